-- Proves: one transfer has one life, also where the UNIQUE constraint was taken
-- out. That a life has one transfer is its primary key's to prove.
SELECT transfer_id FROM transfer_claim NOT INDEXED GROUP BY transfer_id HAVING count(*) > 1
