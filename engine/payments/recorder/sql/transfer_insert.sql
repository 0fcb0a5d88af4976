-- The money that one request moved.
INSERT INTO transfer_v1 (transfer_id, seq, idem_key, src, dst, amount, currency, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);
