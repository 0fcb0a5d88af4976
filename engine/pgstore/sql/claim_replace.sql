-- Proves: a claim replaces the record that the decision was made on and no
-- other. Whatever changes a record changes its fence or its state, so these two
-- are its version; no row written means that another was quicker.
UPDATE idempotency_key
SET state = 'in_progress', fingerprint = $4, life = $5, fence = $6, attempt = $7, claimed_at = $8, lease_until = $9, checksum = $10,
    completed_at = NULL, status = NULL, reason = NULL, header = NULL, body = NULL, not_kept = NULL
WHERE client_id = $1 AND endpoint = $2 AND idem_key = $3 AND fence = $11 AND state = $12
