-- Proves: a transfer id is used once, as PRIMARY KEY says.
INSERT INTO transfer (transfer_id, src, dst, amount, currency, created_at) VALUES (?, ?, ?, ?, ?, ?)
