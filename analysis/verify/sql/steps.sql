-- Proves: each created request is tied to the transfer that bears its seq, with
-- the amount that the step says; no other request has a life that moved money
-- in its own name.
SELECT s.n,
       CASE WHEN c.transfer_id IS NULL THEN 'it was created and its life made no transfer'
            WHEN c.transfer_id IS NOT 'T' || s.seq THEN 'its life made transfer ' || c.transfer_id
            WHEN c.fence IS NOT s.fence THEN 'another claim of its life made the transfer'
            ELSE 'the transfer has another amount or currency' END
FROM step s
LEFT JOIN transfer_claim c ON c.life = s.life
LEFT JOIN transfer t ON t.transfer_id = c.transfer_id
WHERE s.class = 1
  AND (c.transfer_id IS NOT 'T' || s.seq OR c.fence IS NOT s.fence
       OR t.amount IS NOT s.moved OR t.currency IS NOT s.currency)
UNION ALL
SELECT n, 'it still runs' FROM step WHERE class = 0
ORDER BY 1
