-- Proves: tokens go on from the last one given out, and a block of them is one
-- server's when this has committed.
UPDATE fence_counter SET last = last + $1 WHERE one = 1 RETURNING last
