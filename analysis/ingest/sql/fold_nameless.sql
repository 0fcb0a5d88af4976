-- Which requests without an id stand in another file already: the nth row of
-- some content in one file is the nth of that content in another. Two equal
-- lines of one log are two requests.
CREATE TEMP TABLE fold AS
SELECT r, source_id, line, first_source, first_line, 1 AS same, 'the request' AS what
FROM (
  SELECT r, source_id, line,
    row_number() OVER w AS n,
    first_value(source_id) OVER w AS first_source,
    first_value(line) OVER w AS first_line
  FROM (
    SELECT seq AS r, source_id, line, at_ns, client_id, endpoint, idem_key, body, method, status, duration_ms, node,
      row_number() OVER (
        PARTITION BY at_ns, client_id, endpoint, idem_key, body, method, status, duration_ms, node, source_id
        ORDER BY line) AS nth
    FROM req_log
    WHERE request_ref IS NULL
      AND at_ns IN (SELECT at_ns FROM req_log GROUP BY at_ns HAVING count(DISTINCT source_id) > 1)
  )
  WINDOW w AS (
    PARTITION BY at_ns, client_id, endpoint, idem_key, body, method, status, duration_ms, node, nth
    ORDER BY source_id)
)
WHERE n > 1;
