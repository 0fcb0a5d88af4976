-- Proves: each transfer was made by a life of a key.
SELECT CAST(t.transfer_id AS TEXT) FROM transfer t
WHERE NOT EXISTS (SELECT 1 FROM transfer_claim c WHERE c.transfer_id = t.transfer_id)
ORDER BY t.transfer_id
