-- Proves which transfers were extra: of all transfers that one scoped key
-- caused, number 1 is the one that was meant, every further one is extra.
-- created_at is the instant in nanoseconds, so that other offsets and fraction
-- digits cannot change the order; seq and transfer_id break ties.
SELECT id,
       ROW_NUMBER() OVER (
         PARTITION BY idem_key, client_id, endpoint
         ORDER BY created_at, seq, transfer_id
       ) AS n
FROM candidate
