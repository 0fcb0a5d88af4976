-- Proves: a chain begins once, with the transfers that are there; what no key's
-- life made is counted.
INSERT INTO chain_head (one, n, hash, untied)
SELECT 1, ?, ?, (SELECT count(*) FROM transfer t WHERE NOT EXISTS (SELECT 1 FROM transfer_claim c WHERE c.transfer_id = t.transfer_id))
