-- Proves: the chain's end is remembered with the transfers that it is the end of.
UPDATE chain_head SET n = ?, hash = ?, untied = ? WHERE one = 1
