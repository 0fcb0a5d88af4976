-- Proves: a purge deletes completed records and lapsed claims that were claimed
-- before the cutoff, a live claim never. The condition stands twice: between the
-- choice of the rows and their deletion a lapsed claim may have been taken over,
-- and only the outer condition is looked at again when that has committed.
DELETE FROM idempotency_key
WHERE (client_id, endpoint, idem_key) IN (
  SELECT client_id, endpoint, idem_key FROM idempotency_key
  WHERE claimed_at < $1 AND (state = 'completed' OR lease_until <= $2)
  ORDER BY claimed_at
  LIMIT $3
)
AND claimed_at < $1 AND (state = 'completed' OR lease_until <= $2)
