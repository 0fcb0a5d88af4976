-- Proves: which scope the keys have. One record tells it, as all live ones of a
-- store are of one scope; the one that was claimed last lives longest.
SELECT client_id, endpoint, idem_key, claimed_at FROM idempotency_key ORDER BY claimed_at DESC LIMIT 1
