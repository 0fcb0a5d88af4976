-- Proves: the chain's end goes on from the one that was locked.
UPDATE chain_head SET n = $1, hash = $2 WHERE one = 1 AND n = $3
