-- Proves: whatever code runs, one scoped key has one record, one life of a key
-- has one transfer, no balance is below zero and no amount is zero.
-- Each statement may be run again.
-- +goose Up
CREATE TABLE IF NOT EXISTS account (
  acct_id    TEXT NOT NULL PRIMARY KEY,
  is_integer BOOLEAN NOT NULL, -- written as a number where that makes a difference
  holder     TEXT NOT NULL,
  balance    BIGINT NOT NULL -- minor units; below zero where it was opened so
);

CREATE TABLE IF NOT EXISTS transfer (
  transfer_id TEXT NOT NULL PRIMARY KEY,
  src         TEXT NOT NULL,
  dst         TEXT NOT NULL,
  amount      BIGINT NOT NULL CHECK (amount > 0), -- minor units
  currency    TEXT NOT NULL,
  created_at  TEXT NOT NULL -- RFC 3339, exact to the nanosecond, which TIMESTAMPTZ is not
);

CREATE TABLE IF NOT EXISTS idempotency_key (
  client_id    TEXT NOT NULL,
  endpoint     TEXT NOT NULL,
  idem_key     TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('in_progress', 'completed')),
  fingerprint  BYTEA NOT NULL,
  life         BIGINT NOT NULL,
  fence        BIGINT NOT NULL,
  attempt      BIGINT NOT NULL,
  claimed_at   BIGINT NOT NULL, -- this and the next two: unix nanoseconds
  lease_until  BIGINT NOT NULL,
  completed_at BIGINT,
  status       BIGINT,
  reason       TEXT,
  header       TEXT, -- JSON: [[name, value], ...]
  body         BYTEA,
  not_kept     BOOLEAN,
  PRIMARY KEY (client_id, endpoint, idem_key),
  CHECK ((state = 'completed') = (completed_at IS NOT NULL))
);

-- A purge touches what is old and nothing else.
CREATE INDEX IF NOT EXISTS idempotency_key_claimed_at ON idempotency_key (claimed_at);

-- What ties a transfer to the life of the key it was made in. It outlives the
-- key: a purge does not make the money unexplained.
CREATE TABLE IF NOT EXISTS transfer_claim (
  life        BIGINT NOT NULL PRIMARY KEY,
  fence       BIGINT NOT NULL,
  transfer_id TEXT NOT NULL UNIQUE REFERENCES transfer (transfer_id)
);

-- The last fence token given out. A row and no SEQUENCE: what a sequence gave
-- out can be given out again after a crash that came before its log was flushed,
-- and after a switch to a logical replica. A row is as durable as the records.
CREATE TABLE IF NOT EXISTS fence_counter (
  one  INT NOT NULL PRIMARY KEY CHECK (one = 1),
  last BIGINT NOT NULL
);

INSERT INTO fence_counter (one, last) VALUES (1, 0) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS document (
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  doc  BYTEA NOT NULL,
  PRIMARY KEY (kind, id)
);
