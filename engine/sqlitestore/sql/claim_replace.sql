-- Proves: a claim replaces the record that the decision was made on (its fence)
-- and no other.
UPDATE idempotency_key
SET state = 'in_progress', fingerprint = ?, life = ?, fence = ?, attempt = ?, claimed_at = ?, lease_until = ?, checksum = ?,
    completed_at = NULL, status = NULL, reason = NULL, header = NULL, body = NULL, not_kept = NULL
WHERE client_id = ? AND endpoint = ? AND idem_key = ? AND fence = ?
