-- Proves: whatever code runs, one scoped key has one record, one life of a key
-- has one transfer and no amount is zero. Tables that exist are left as they are:
-- in a ledger of someone else's, account is theirs. A balance may be below zero,
-- as an account may have been overdrawn before it came here; that no debit takes
-- one there is for engine.CheckFunds, which every transfer passes.
CREATE TABLE IF NOT EXISTS account (
  acct_id ANY NOT NULL PRIMARY KEY, -- integer or text, compared by its text
  holder  TEXT,
  balance INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What an account held when this store opened it, so that its balance can be
-- explained: that, plus its transfers. An account that was there before, of
-- someone else's ledger, has no row.
CREATE TABLE IF NOT EXISTS account_opened (
  acct_id ANY NOT NULL PRIMARY KEY,
  balance INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS transfer (
  transfer_id TEXT NOT NULL PRIMARY KEY,
  src         ANY NOT NULL, -- the account's own acct_id, so that a join finds it
  dst         ANY NOT NULL,
  amount      INTEGER NOT NULL CHECK (amount > 0),
  currency    TEXT NOT NULL,
  created_at  TEXT NOT NULL -- RFC 3339
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS idempotency_key (
  client_id    TEXT NOT NULL,
  endpoint     TEXT NOT NULL,
  idem_key     TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('in_progress', 'completed')),
  fingerprint  BLOB NOT NULL,
  life         INTEGER NOT NULL,
  fence        INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,
  claimed_at   INTEGER NOT NULL, -- this and the next two: unix nanoseconds
  lease_until  INTEGER NOT NULL,
  completed_at INTEGER,
  status       INTEGER,
  reason       TEXT,
  header       TEXT, -- JSON: [[name, value], ...]
  body         BLOB,
  not_kept     INTEGER,
  checksum     BLOB, -- over all of the row, see engine.Checksum; NULL where an older version wrote it
  UNIQUE (client_id, endpoint, idem_key),
  CHECK ((state = 'completed') = (completed_at IS NOT NULL))
) STRICT;

-- What ties a transfer to the life of the key it was made in. It outlives the
-- key: a purge does not make the money unexplained. A primary key is UNIQUE; as
-- the row's own number it needs no index beside the table.
CREATE TABLE IF NOT EXISTS transfer_claim (
  life        INTEGER NOT NULL PRIMARY KEY,
  fence       INTEGER NOT NULL,
  transfer_id TEXT NOT NULL UNIQUE REFERENCES transfer (transfer_id),
  n           INTEGER NOT NULL, -- its place in the chain, from 1
  hash        BLOB NOT NULL     -- SHA-256 over the hash before it and the transfer
) STRICT;

-- The end of the chain over the transfers, as the last transaction left it; and
-- how many transfers no key's life made: those that were there before, and those
-- of the ledger's own code.
CREATE TABLE IF NOT EXISTS chain_head (
  one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  n      INTEGER NOT NULL,
  hash   BLOB NOT NULL,
  untied INTEGER NOT NULL
) STRICT;

-- The last fence token given out. It outlives purges and restarts, so that no
-- token is given out twice.
CREATE TABLE IF NOT EXISTS fence_counter (
  one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  last INTEGER NOT NULL
) STRICT;
INSERT INTO fence_counter (one, last) VALUES (1, 0) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS document (
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  doc  BLOB NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- A table and not user_version: that one belongs to the ledger's owner.
CREATE TABLE IF NOT EXISTS idem_schema (
  one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT;
INSERT INTO idem_schema (one, version) VALUES (1, 3) ON CONFLICT DO NOTHING;
