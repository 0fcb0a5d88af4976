-- Proves: a tie of an older version gets its place in the chain.
UPDATE transfer_claim SET n = ?, hash = ? WHERE life = ?
