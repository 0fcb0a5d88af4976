-- Proves: only the claim in progress under this fence token gets the result.
UPDATE idempotency_key
SET state = 'completed', completed_at = $5, status = $6, reason = $7, header = $8, body = $9, not_kept = $10, checksum = $11
WHERE client_id = $1 AND endpoint = $2 AND idem_key = $3 AND fence = $4 AND state = 'in_progress'
