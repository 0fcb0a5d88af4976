-- Proves: a file of version 1 gets the columns of the chain and keeps all it has.
ALTER TABLE transfer_claim ADD COLUMN n INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfer_claim ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
UPDATE idem_schema SET version = 2;
