-- Proves: the file has a chain.
SELECT n FROM chain_head WHERE one = 1
