-- Proves: which scope the keys have. One record tells it, as all live ones of a
-- store are of one scope; the row that came last is likely to be live.
SELECT client_id, endpoint, idem_key FROM idempotency_key ORDER BY rowid DESC LIMIT 1
