-- Which rows tell of a transfer a second time: all but the first of each id, in
-- the order of file and line. same says whether such a row agrees with the first.
CREATE TEMP TABLE fold AS
SELECT r, source_id, line, first_source, first_line, same, 'transfer ' || transfer_id AS what
FROM (
  SELECT rowid AS r, source_id, line, transfer_id,
    row_number() OVER w AS n,
    first_value(source_id) OVER w AS first_source,
    first_value(line) OVER w AS first_line,
    src = first_value(src) OVER w
      AND dst = first_value(dst) OVER w
      AND amount = first_value(amount) OVER w
      AND currency = first_value(currency) OVER w
      AND at_ns = first_value(at_ns) OVER w
      AND request_ref IS first_value(request_ref) OVER w AS same
  FROM transfer_v1
  WHERE transfer_id IN (SELECT transfer_id FROM transfer_v1 GROUP BY transfer_id HAVING count(*) > 1)
  WINDOW w AS (PARTITION BY transfer_id ORDER BY source_id, line)
)
WHERE n > 1;
