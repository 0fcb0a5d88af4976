-- Proves which transfers were extra: of all transfers that one scoped key
-- caused, number 1 is the one that was meant, every further one is extra.
-- scope is the number of one (client_id, endpoint, idem_key); created_at is the
-- instant in nanoseconds, so that other offsets and fraction digits cannot
-- change the order; seq and transfer_id break ties.
SELECT number,
       ROW_NUMBER() OVER (
         PARTITION BY scope
         ORDER BY created_at, seq, transfer_id
       ) AS n
FROM candidate
