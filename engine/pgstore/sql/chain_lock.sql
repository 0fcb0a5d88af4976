-- Proves: one server seals at a time, and none waits for it.
SELECT n, hash FROM chain_head WHERE one = 1 FOR UPDATE NOWAIT
