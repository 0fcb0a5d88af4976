-- Proves: a transfer id is used once, as PRIMARY KEY says; no row written means
-- that it was used.
INSERT INTO transfer (transfer_id, src, dst, amount, currency, created_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (transfer_id) DO NOTHING
