-- Proves: there is a place for the row that migrating servers lock.
CREATE TABLE IF NOT EXISTS idem_migration_lock (one INT NOT NULL PRIMARY KEY CHECK (one = 1))
