-- Proves: a life's first token is its number, and a takeover has another. Servers
-- that draw tokens in blocks do not give them out in their order.
SELECT 'key ' || idem_key FROM idempotency_key WHERE attempt < 1 OR (attempt = 1) <> (fence = life)
