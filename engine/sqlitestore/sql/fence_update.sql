-- Proves: a token that was given out is remembered with the claim it went to.
UPDATE fence_counter SET last = ? WHERE one = 1
