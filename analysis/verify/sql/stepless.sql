-- Proves: no transfer came from nowhere: each is some created request's.
SELECT transfer_id FROM transfer
WHERE transfer_id NOT IN (SELECT 'T' || seq FROM step WHERE class = 1)
ORDER BY transfer_id
