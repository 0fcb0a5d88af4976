-- Proves: the file has been used as a store before.
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'idem_schema'
