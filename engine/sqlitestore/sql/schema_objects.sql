-- Proves: the file has been used as a store before, and whether a purge would
-- find its index there.
SELECT type
FROM sqlite_schema
WHERE type = 'table' AND name = 'idem_schema' OR type = 'index' AND name = 'idempotency_key_claimed_at'
