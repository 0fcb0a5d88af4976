-- Proves: a purge touches what is old and nothing else. A day that is replayed
-- in bulk is never purged and goes without it.
CREATE INDEX IF NOT EXISTS idempotency_key_claimed_at ON idempotency_key (claimed_at);
