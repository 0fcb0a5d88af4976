-- Proves: there is one row to lock.
INSERT INTO idem_migration_lock (one) VALUES (1) ON CONFLICT DO NOTHING
