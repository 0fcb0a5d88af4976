-- Proves: the tables are those of a version this program knows. Fails where the
-- table is missing, as in a new file or in someone else's ledger.
SELECT version FROM idem_schema WHERE one = 1
