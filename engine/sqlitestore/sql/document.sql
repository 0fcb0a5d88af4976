-- Proves: a document is found by kind and id, two columns.
SELECT doc FROM document WHERE kind = ? AND id = ?
