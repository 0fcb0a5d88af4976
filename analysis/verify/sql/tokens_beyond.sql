-- Proves: every token in use was given out by the counter.
SELECT 'key ' || idem_key FROM idempotency_key WHERE max(life, fence) > (SELECT last FROM fence_counter WHERE one = 1)
UNION ALL
SELECT 'transfer ' || transfer_id FROM transfer_claim WHERE max(life, fence) > (SELECT last FROM fence_counter WHERE one = 1)
