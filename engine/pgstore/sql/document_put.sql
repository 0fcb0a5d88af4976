-- Proves: one kind and id has one document, the last one put.
INSERT INTO document (kind, id, doc) VALUES ($1, $2, $3)
ON CONFLICT (kind, id) DO UPDATE SET doc = excluded.doc
