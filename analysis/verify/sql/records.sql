-- Proves: what each record says happened, beside what its life made.
SELECT k.idem_key, k.state, k.status, k.body, k.fence, k.life,
       c.fence, c.transfer_id, t.transfer_id,
       CAST(t.src AS TEXT), CAST(t.dst AS TEXT), t.amount, t.currency, t.created_at
FROM idempotency_key k
LEFT JOIN transfer_claim c ON c.life = k.life
LEFT JOIN transfer t ON t.transfer_id = c.transfer_id
