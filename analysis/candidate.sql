-- The transfers of the keys that have two or more, in a database in memory.
CREATE TABLE candidate (
  id          INTEGER PRIMARY KEY,
  client_id   TEXT NOT NULL,
  endpoint    TEXT NOT NULL,
  idem_key    TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  transfer_id TEXT NOT NULL
) STRICT;
