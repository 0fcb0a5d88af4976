-- Proves: each tie leads to its transfer, in the order of the claims.
SELECT c.life, t.transfer_id, CAST(t.src AS TEXT), CAST(t.dst AS TEXT), t.amount, t.currency, t.created_at
FROM transfer_claim c LEFT JOIN transfer t USING (transfer_id)
ORDER BY c.life
