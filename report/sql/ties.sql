-- Proves: each transfer is tied to one life of a key, each tie to a transfer, and
-- each created request to the transfer that bears its seq, with the amount that
-- the step says. That a life has one transfer is the UNIQUE constraint's to prove.
SELECT
  (SELECT count(*) FROM transfer t LEFT JOIN transfer_claim c USING (transfer_id) WHERE c.life IS NULL),
  (SELECT count(*) FROM transfer_claim c LEFT JOIN transfer t USING (transfer_id) WHERE t.amount IS NULL),
  (SELECT count(*)
     FROM step s
     LEFT JOIN transfer_claim c ON c.life = s.life
     LEFT JOIN transfer t ON t.transfer_id = c.transfer_id
    WHERE s.class = 1
      AND (c.transfer_id IS NOT 'T' || s.seq OR c.fence IS NOT s.fence
           OR t.amount IS NOT s.moved OR t.currency IS NOT s.currency))
