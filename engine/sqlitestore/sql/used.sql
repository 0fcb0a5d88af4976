-- Proves: whether a look for a record or a transfer could find any.
SELECT EXISTS (SELECT 1 FROM idempotency_key) OR EXISTS (SELECT 1 FROM transfer)
