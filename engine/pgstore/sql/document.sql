-- Proves: a document is found by kind and id, two columns.
SELECT doc FROM document WHERE kind = $1 AND id = $2
