-- Proves: the tables are those of the version this program knows.
SELECT version FROM idem_schema WHERE one = 1
