-- Proves: which claims are open, for the rules to say what a retry gets.
SELECT client_id, endpoint, idem_key, fingerprint, life, fence, attempt, claimed_at, lease_until
FROM idempotency_key
WHERE state = 'in_progress'
ORDER BY lease_until
