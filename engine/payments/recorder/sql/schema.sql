-- An incident database: balances before, what was received, what really moved.
-- Opening it again goes on where it ended. outcome is what the idempotency
-- layer did with the request.
PRAGMA application_id = 0x69647263;
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS account (
  acct_id ANY PRIMARY KEY,
  holder  TEXT NOT NULL,
  balance INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS req_log (
  seq         INTEGER PRIMARY KEY,
  received_at TEXT NOT NULL,
  client_id   TEXT,
  endpoint    TEXT NOT NULL,
  idem_key    TEXT,
  body        ANY,
  duration_ms INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  method      TEXT NOT NULL,
  attempts    INTEGER NOT NULL,
  outcome     TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS transfer_v1 (
  transfer_id TEXT PRIMARY KEY,
  seq         INTEGER NOT NULL REFERENCES req_log (seq),
  idem_key    TEXT,
  src         ANY NOT NULL,
  dst         ANY NOT NULL,
  amount      INTEGER NOT NULL,
  currency    TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT;
