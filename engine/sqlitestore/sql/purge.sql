-- Proves: a purge deletes completed records and lapsed claims that were claimed
-- before the cutoff, a live claim never.
DELETE FROM idempotency_key
WHERE rowid IN (
  SELECT rowid FROM idempotency_key
  WHERE claimed_at < ? AND (state = 'completed' OR lease_until <= ?)
  ORDER BY claimed_at
  LIMIT ?
)
