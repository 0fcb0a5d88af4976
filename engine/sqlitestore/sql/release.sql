-- Proves: only the claim in progress under this fence token is released.
DELETE FROM idempotency_key
WHERE client_id = ? AND endpoint = ? AND idem_key = ? AND fence = ? AND state = 'in_progress'
