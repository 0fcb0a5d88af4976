-- Proves: only the claim in progress under this fence token is released.
DELETE FROM idempotency_key
WHERE client_id = $1 AND endpoint = $2 AND idem_key = $3 AND fence = $4 AND state = 'in_progress'
