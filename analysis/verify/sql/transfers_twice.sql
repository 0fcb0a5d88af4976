-- Proves: a transfer is there once, also in a table without a key.
SELECT CAST(transfer_id AS TEXT) FROM transfer GROUP BY transfer_id HAVING count(*) > 1
