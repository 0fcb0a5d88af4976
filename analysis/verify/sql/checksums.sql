-- Proves: all that each record says, beside the checksum that was kept of it.
SELECT client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until,
       completed_at, status, reason, header, body, not_kept, checksum
FROM idempotency_key
