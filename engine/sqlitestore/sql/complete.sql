-- Proves: only the claim in progress under this fence token gets the result.
UPDATE idempotency_key
SET state = 'completed', completed_at = ?, status = ?, reason = ?, header = ?, body = ?, not_kept = ?, checksum = ?
WHERE client_id = ? AND endpoint = ? AND idem_key = ? AND fence = ? AND state = 'in_progress'
