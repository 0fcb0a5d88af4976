-- Proves: the record of a key is found by its three columns, never by their
-- concatenation.
SELECT state, fingerprint, life, fence, attempt, claimed_at, lease_until, checksum, completed_at, status, reason, header, body, not_kept
FROM idempotency_key
WHERE client_id = ? AND endpoint = ? AND idem_key = ?
