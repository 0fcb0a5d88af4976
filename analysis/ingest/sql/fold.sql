-- Puts the rows of the table fold among the rejects.
INSERT INTO reject (source_id, line, aside, reason, text)
SELECT source_id, line, same,
  what || iif(same, ' stands already in line ', ' differs from the one in line ') || first_line
    || iif(first_source = source_id, '', ' of source ' || first_source),
  ''
FROM fold
ORDER BY source_id, line;
