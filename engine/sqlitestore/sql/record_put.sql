-- Proves: a key has one record, the last one put. For one user alone, who has
-- decided by then.
INSERT INTO idempotency_key (client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until, checksum,
  completed_at, status, reason, header, body, not_kept)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (client_id, endpoint, idem_key) DO UPDATE
SET state = excluded.state, fingerprint = excluded.fingerprint, life = excluded.life, fence = excluded.fence, attempt = excluded.attempt,
    claimed_at = excluded.claimed_at, lease_until = excluded.lease_until, checksum = excluded.checksum, completed_at = excluded.completed_at, status = excluded.status,
    reason = excluded.reason, header = excluded.header, body = excluded.body, not_kept = excluded.not_kept
