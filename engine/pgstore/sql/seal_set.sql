-- Proves: a transfer gets its place once.
UPDATE transfer_claim SET place = $2, hash = $3 WHERE life = $1 AND place IS NULL
