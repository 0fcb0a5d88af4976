-- Proves: each tie leads to a transfer.
SELECT c.transfer_id FROM transfer_claim c
WHERE NOT EXISTS (SELECT 1 FROM transfer t WHERE t.transfer_id = c.transfer_id)
ORDER BY c.life
