-- An incident as an import leaves it: the three tables that every incident has,
-- with what the import knows besides, and where each row came from.
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA cache_size = -16384;
PRAGMA temp_store = FILE;
PRAGMA temp.cache_size = -8192;
BEGIN;
CREATE TABLE account (
  acct_id TEXT NOT NULL PRIMARY KEY,
  holder  TEXT NOT NULL,
  balance INTEGER NOT NULL,
  assumed INTEGER NOT NULL  -- 1: no file gives the account, its balance covers everything
) STRICT;
CREATE TABLE req_log (
  seq           INTEGER PRIMARY KEY, -- in the order of time, then source and line
  received_at   TEXT NOT NULL,
  client_id     TEXT NOT NULL,
  endpoint      TEXT NOT NULL,
  idem_key      TEXT,
  body          TEXT NOT NULL,
  duration_ms   INTEGER,
  status        INTEGER,
  method        TEXT,
  node          TEXT,
  attempts      INTEGER,
  source_id     INTEGER NOT NULL,
  line          INTEGER NOT NULL,
  at_ns         INTEGER NOT NULL,    -- received_at in nanoseconds since 1970
  kind          TEXT NOT NULL,       -- payment, other, unknown
  request_ref   TEXT,                -- its id in the log
  key_raw       TEXT,                -- the key as received, where idem_key is not
  body_key      TEXT,                -- a key that stands in the body
  reference     TEXT,                -- order, invoice: what the payment is for
  body_from     TEXT NOT NULL,       -- log, moved, ledger, key, none: see the documentation
  body_received TEXT,                -- the body as received, where body is not
  query         TEXT,
  upstreams     TEXT,                -- every execution that the log shows
  retry         TEXT,                -- header that marks a retry
  replayed      TEXT,                -- header that marks a stored reply
  trace_id      TEXT,
  note          TEXT
) STRICT;
CREATE TABLE transfer_v1 (
  transfer_id     TEXT NOT NULL,
  seq             INTEGER,           -- the request that caused it; NULL: unmatched
  idem_key        TEXT,
  src             TEXT NOT NULL,
  dst             TEXT NOT NULL,
  amount          INTEGER NOT NULL,
  currency        TEXT NOT NULL,
  created_at      TEXT NOT NULL,
  source_id       INTEGER NOT NULL,
  line            INTEGER NOT NULL,
  at_ns           INTEGER NOT NULL,
  request_ref     TEXT,              -- the request's id, as the ledger has it
  reference       TEXT,
  join_kind       TEXT,              -- request_id, reference, key, circumstances
  join_confidence TEXT,              -- certain, probable, suspected
  ledger_seq      INTEGER,
  note            TEXT
) STRICT;
CREATE TABLE source (
  id          INTEGER PRIMARY KEY,
  role        TEXT NOT NULL,         -- requests, transfers, accounts
  path        TEXT NOT NULL,
  size        INTEGER NOT NULL,
  sha256      TEXT NOT NULL,
  compression TEXT NOT NULL,
  encoding    TEXT NOT NULL,
  format      TEXT NOT NULL,
  rows_read   INTEGER NOT NULL,      -- accepted + rejected
  accepted    INTEGER NOT NULL,
  rejected    INTEGER NOT NULL,
  aside       INTEGER NOT NULL,      -- of the rejected: sound, but no row of their own
  overlapping INTEGER NOT NULL       -- of the rejected: rows that an earlier row tells already
) STRICT;
CREATE TABLE reject (
  source_id INTEGER NOT NULL,
  line      INTEGER NOT NULL,
  aside     INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  text      TEXT NOT NULL            -- its beginning
) STRICT;
CREATE TABLE mapping (toml TEXT NOT NULL) STRICT;
CREATE TABLE import (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
