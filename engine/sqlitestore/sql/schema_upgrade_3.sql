-- Proves: a file of version 2 gets a place for checksums; its records have none
-- until they are written anew.
ALTER TABLE idempotency_key ADD COLUMN checksum BLOB;
UPDATE idem_schema SET version = 3;
