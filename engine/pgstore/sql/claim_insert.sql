-- Proves: of two claims of one key exactly one inserts; the other one waits for
-- the first to commit. No row written means that the key is held, and only then
-- is its record looked at.
INSERT INTO idempotency_key (client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until, checksum)
VALUES ($1, $2, $3, 'in_progress', $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (client_id, endpoint, idem_key) DO NOTHING
