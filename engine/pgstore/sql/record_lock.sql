-- Proves: while a completion runs, its record is nobody else's; and whoever gets
-- this row knows that the transaction which had it before has ended.
SELECT state, fingerprint, life, fence, attempt, claimed_at, lease_until, checksum, completed_at, status, reason, header, body, not_kept
FROM idempotency_key
WHERE client_id = $1 AND endpoint = $2 AND idem_key = $3
FOR UPDATE
