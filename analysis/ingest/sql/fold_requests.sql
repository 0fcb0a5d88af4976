-- Which rows tell of a request a second time: those that carry an id and are
-- equal in everything to an earlier row.
CREATE TEMP TABLE fold AS
SELECT r, source_id, line, first_source, first_line, 1 AS same, 'request ' || request_ref AS what
FROM (
  SELECT seq AS r, source_id, line, request_ref,
    row_number() OVER w AS n,
    first_value(source_id) OVER w AS first_source,
    first_value(line) OVER w AS first_line
  FROM req_log
  WHERE request_ref IN (
    SELECT request_ref FROM req_log WHERE request_ref IS NOT NULL GROUP BY request_ref HAVING count(*) > 1)
  WINDOW w AS (
    PARTITION BY at_ns, client_id, endpoint, idem_key, body, method, status, duration_ms, node, request_ref
    ORDER BY source_id, line)
)
WHERE n > 1;
