-- Proves: of two claims of one key exactly one inserts. No row written means
-- that the key is held, and only then is its record looked at.
INSERT INTO idempotency_key (client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until, checksum)
VALUES (?, ?, ?, 'in_progress', ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (client_id, endpoint, idem_key) DO NOTHING
