-- Proves: a document that a transaction found missing was missing until it
-- wrote it; no row written means that another was quicker.
INSERT INTO document (kind, id, doc) VALUES ($1, $2, $3)
ON CONFLICT (kind, id) DO NOTHING
