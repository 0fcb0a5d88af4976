-- Proves: the tables are those of a version this program knows. Fails where the
-- table is missing, as in a new database.
SELECT coalesce(max(version_id), 0) FROM idem_migration
