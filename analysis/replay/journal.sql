-- step proves what became of each request of the day: one row each, in one class.
-- Positions count from 1 in seq order. Times are Unix nanoseconds, UTC.
CREATE TABLE step (
  n        INTEGER PRIMARY KEY,
  seq      INTEGER NOT NULL, -- req_log.seq
  at       INTEGER NOT NULL, -- the replay's clock when the request arrived
  class    INTEGER NOT NULL, -- 0 running, 1 created, 2 replayed, 3 in flight, 4 mismatch, 5 refused
  status   INTEGER NOT NULL,
  reason   TEXT    NOT NULL,
  holder   INTEGER NOT NULL, -- the position whose claim decided; 0 for none
  prior    INTEGER NOT NULL, -- the position whose record a fresh claim replaced; 0 for none
  life     INTEGER NOT NULL,
  fence    INTEGER NOT NULL,
  attempt  INTEGER NOT NULL,
  expired  INTEGER NOT NULL, -- 1: a fresh run under a key that had expired
  done     INTEGER NOT NULL, -- the position that saw the completion; 0 for none
  done_at  INTEGER NOT NULL,
  moved    INTEGER NOT NULL, -- minor units moved by the engine
  currency TEXT    NOT NULL,
  v1_count INTEGER NOT NULL, -- transfers that the unprotected service made
  v1_moved INTEGER NOT NULL, -- their sum in v1_currency
  v1_currency TEXT NOT NULL,
  extra    INTEGER NOT NULL, -- 1: at least one of them is a duplicate
  twin     INTEGER NOT NULL, -- class of the twin that an injected race sent; 0 for none
  src_engine INTEGER, src_v1 INTEGER, -- balances after the step
  dst_engine INTEGER, dst_v1 INTEGER,
  delta    TEXT -- change of the counters in this step; NULL for a plain created one
) STRICT;
CREATE INDEX step_event ON step (class, n) WHERE class IN (3, 4, 5);
CREATE INDEX step_extra ON step (n) WHERE extra = 1;
-- kept holds the counters at some positions, so that those of any position are
-- one kept state and a short sum of deltas.
CREATE TABLE kept (n INTEGER PRIMARY KEY, counters TEXT NOT NULL) STRICT;
