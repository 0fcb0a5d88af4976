-- Proves: one life of a key makes one transfer, as UNIQUE says.
INSERT INTO transfer_claim (life, fence, transfer_id) VALUES (?, ?, ?)
