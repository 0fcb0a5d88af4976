-- Proves: a released key has no record. For one user alone, who has decided by
-- then.
DELETE FROM idempotency_key WHERE client_id = ? AND endpoint = ? AND idem_key = ?
