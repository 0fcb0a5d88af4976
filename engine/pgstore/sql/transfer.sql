-- Proves: a transfer is found by its id.
SELECT src, dst, amount, currency, created_at FROM transfer WHERE transfer_id = $1
