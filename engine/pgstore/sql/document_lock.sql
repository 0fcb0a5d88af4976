-- Proves: a document that a transaction read stays until it has ended.
SELECT doc FROM document WHERE kind = $1 AND id = $2 FOR UPDATE
