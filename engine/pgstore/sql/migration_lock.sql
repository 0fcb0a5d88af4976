-- Proves: one server migrates at a time, and none is kept waiting by one that
-- crashed: the lock ends with its connection.
SELECT one FROM idem_migration_lock WHERE one = 1 FOR UPDATE
