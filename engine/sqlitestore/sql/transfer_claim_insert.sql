-- Proves: one life of a key makes one transfer, as UNIQUE says; and which
-- transfer it was, in which place, as the chain of hashes says.
INSERT INTO transfer_claim (life, fence, transfer_id, n, hash) VALUES (?, ?, ?, ?, ?)
