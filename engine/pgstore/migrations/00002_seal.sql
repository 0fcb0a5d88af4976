-- Proves: each transfer that is sealed has a place of its own in one chain, what
-- an account began with is known, and a transfer that no key made is known to be
-- one. Each statement may be run again; no two of them share a transaction, as
-- CockroachDB cannot index a column in the transaction that adds it.
-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE transfer_claim ADD COLUMN IF NOT EXISTS place BIGINT; -- in the chain, from 1; NULL until it is sealed

ALTER TABLE transfer_claim ADD COLUMN IF NOT EXISTS hash BYTEA; -- SHA-256 over the hash before it and the transfer

-- A sealing finds what is to be sealed, and nothing else.
CREATE INDEX IF NOT EXISTS transfer_claim_unsealed ON transfer_claim (life) WHERE place IS NULL;

CREATE UNIQUE INDEX IF NOT EXISTS transfer_claim_place ON transfer_claim (place) WHERE place IS NOT NULL;

-- The end of the chain. Only who seals locks it, never who pays.
CREATE TABLE IF NOT EXISTS chain_head (
  one  INT NOT NULL PRIMARY KEY CHECK (one = 1),
  n    BIGINT NOT NULL,
  hash BYTEA NOT NULL
);

INSERT INTO chain_head (one, n, hash) VALUES (1, 0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;

-- What an account held when it was opened, so that its balance can be explained:
-- that, plus its transfers. One that an older version opened has no row.
CREATE TABLE IF NOT EXISTS account_opened (
  acct_id TEXT NOT NULL PRIMARY KEY,
  balance BIGINT NOT NULL
);

-- The transfers that no key's life made: those of the ledger's own code.
CREATE TABLE IF NOT EXISTS transfer_outside (
  transfer_id TEXT NOT NULL PRIMARY KEY REFERENCES transfer (transfer_id)
);

INSERT INTO transfer_outside (transfer_id)
SELECT transfer_id FROM transfer t
WHERE NOT EXISTS (SELECT 1 FROM transfer_claim c WHERE c.transfer_id = t.transfer_id)
ON CONFLICT DO NOTHING;
