-- The transfers of the keys that have two or more, in a database in memory.
-- scope is the number of one (client_id, endpoint, idem_key), in their order.
-- The primary key is the order in which duplicates.sql numbers the rows, so
-- that nothing has to be sorted there; number tells equal rows apart.
CREATE TABLE candidate (
  scope       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  transfer_id TEXT NOT NULL,
  number      INTEGER NOT NULL,
  PRIMARY KEY (scope, created_at, seq, transfer_id, number)
) STRICT, WITHOUT ROWID;
