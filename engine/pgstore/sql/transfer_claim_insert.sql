-- Proves: one life of a key makes one transfer, as PRIMARY KEY says, and no
-- transfer belongs to two; no row written means that the life made one already.
INSERT INTO transfer_claim (life, fence, transfer_id) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
