-- Proves: a transfer is found by its id; account ids come back as their text.
SELECT CAST(src AS TEXT), CAST(dst AS TEXT), amount, currency, created_at
FROM transfer
WHERE transfer_id = ?
