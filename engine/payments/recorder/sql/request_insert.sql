-- A request at the position it arrived in; it is written when it was answered.
INSERT INTO req_log (seq, received_at, client_id, endpoint, idem_key, body, duration_ms, status, method, attempts, outcome)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
