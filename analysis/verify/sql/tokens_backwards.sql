-- Proves: a life's first token is its number, and tokens only grow.
SELECT 'key ' || idem_key FROM idempotency_key WHERE fence < life OR attempt < 1 OR attempt = 1 AND fence <> life
UNION ALL
SELECT 'transfer ' || transfer_id FROM transfer_claim WHERE fence < life
