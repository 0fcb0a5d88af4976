-- Proves: tokens go on from the last one given out, and the chain from its end.
SELECT f.last, h.n, h.hash, h.untied FROM fence_counter f, chain_head h WHERE f.one = 1 AND h.one = 1
