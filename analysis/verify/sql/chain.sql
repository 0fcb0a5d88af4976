-- Proves: what stands at each place of the chain, with the transfer it seals. What
-- is not sealed yet has no place.
SELECT c.n, c.hash, c.transfer_id, t.transfer_id, CAST(t.src AS TEXT), CAST(t.dst AS TEXT), t.amount, t.currency, t.created_at
FROM transfer_claim c
LEFT JOIN transfer t ON t.transfer_id = c.transfer_id
WHERE c.n IS NOT NULL
ORDER BY c.n
