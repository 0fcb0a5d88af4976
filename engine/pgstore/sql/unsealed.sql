-- Proves: what is sealed next has been committed, and has no place yet. Those who
-- commit later come later, whatever their numbers are.
SELECT c.life, t.transfer_id, t.src, t.dst, t.amount, t.currency, t.created_at
FROM transfer_claim c JOIN transfer t ON t.transfer_id = c.transfer_id
WHERE c.place IS NULL
ORDER BY c.life
LIMIT $1
