-- Proves: there is a place for a checksum over each record. Records of an older
-- version have none until they are written anew. A server of an older version
-- must not go on beside a new one: it would change records and leave their
-- checksums as they were, and they would be taken for damaged.
-- +goose Up
ALTER TABLE idempotency_key ADD COLUMN IF NOT EXISTS checksum BYTEA; -- see engine.Checksum
