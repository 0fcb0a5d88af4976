package ingest

import (
	"cmp"
	"fmt"

	"idem/analysis/sqlfile"
)

// foldTransfers takes rows out that tell of a transfer a second time: two
// exports that overlap, or an export that repeats a row. One of the same id that
// differs is rejected, as one of the two must be wrong. The first row stays.
func (im *importer) foldTransfers() error {
	return im.fold("transfer_v1", `CREATE INDEX transfer_v1_by_id ON transfer_v1 (transfer_id);
	CREATE TEMP TABLE fold AS
	SELECT r, source_id, line, first_source, first_line, same, 'transfer ' || transfer_id AS what FROM (
	  SELECT rowid AS r, source_id, line, transfer_id,
	    row_number() OVER w AS n, first_value(source_id) OVER w AS first_source, first_value(line) OVER w AS first_line,
	    src = first_value(src) OVER w AND dst = first_value(dst) OVER w AND amount = first_value(amount) OVER w
	      AND currency = first_value(currency) OVER w AND at_ns = first_value(at_ns) OVER w
	      AND request_ref IS first_value(request_ref) OVER w AS same
	  FROM transfer_v1
	  WHERE transfer_id IN (SELECT transfer_id FROM transfer_v1 GROUP BY transfer_id HAVING count(*) > 1)
	  WINDOW w AS (PARTITION BY transfer_id ORDER BY source_id, line))
	WHERE n > 1`)
}

// foldRequests does the same for requests. A request that carries an id and is
// equal in everything is the same one. One without an id is only when it stands
// in another file as well, and as often as it does there: two equal lines of one
// log are two requests.
func (im *importer) foldRequests() error {
	const equal = "at_ns, client_id, endpoint, idem_key, body, method, status, duration_ms, node, request_ref"
	if err := im.fold("req_log", `CREATE TEMP TABLE fold AS
	SELECT r, source_id, line, first_source, first_line, 1 AS same, 'request ' || request_ref AS what FROM (
	  SELECT seq AS r, source_id, line, request_ref,
	    row_number() OVER w AS n, first_value(source_id) OVER w AS first_source, first_value(line) OVER w AS first_line
	  FROM req_log
	  WHERE request_ref IN (SELECT request_ref FROM req_log WHERE request_ref IS NOT NULL GROUP BY request_ref HAVING count(*) > 1)
	  WINDOW w AS (PARTITION BY `+equal+` ORDER BY source_id, line))
	WHERE n > 1`); err != nil || im.count(Requests) < 2 {
		return err
	}
	return im.fold("req_log", `CREATE TEMP TABLE fold AS
	SELECT r, source_id, line, first_source, first_line, 1 AS same, 'the request' AS what FROM (
	  SELECT r, source_id, line, row_number() OVER w AS n,
	    first_value(source_id) OVER w AS first_source, first_value(line) OVER w AS first_line
	  FROM (SELECT seq AS r, source_id, line, `+equal+`,
	          row_number() OVER (PARTITION BY `+equal+`, source_id ORDER BY line) AS nth
	        FROM req_log
	        WHERE request_ref IS NULL
	          AND at_ns IN (SELECT at_ns FROM req_log GROUP BY at_ns HAVING count(DISTINCT source_id) > 1))
	  WINDOW w AS (PARTITION BY `+equal+`, nth ORDER BY source_id))
	WHERE n > 1`)
}

func (im *importer) count(role Role) (n int) {
	for _, f := range im.files {
		if f.role == role {
			n++
		}
	}
	return n
}

// fold rejects the rows that find puts into the table fold.
func (im *importer) fold(table, find string) error {
	s := im.store
	if err := s.exec(find); err != nil {
		return err
	}
	if table == "transfer_v1" {
		if err := im.takeOff(); err != nil {
			return err
		}
	}
	err := s.each("SELECT source_id, same, count(*) FROM fold GROUP BY 1, 2", func(row *sqlfile.Stmt) {
		for i := range im.result.Sources {
			if src := &im.result.Sources[i]; im.files[i].id == row.Int(0) {
				im.folded = true
				n := row.Int(2)
				src.Accepted -= n
				src.Rejected += n
				if row.Int(1) == 1 {
					src.Aside += n
					src.Overlapping += n
				}
			}
		}
	})
	if err != nil {
		return err
	}
	return s.exec(fmt.Sprintf(`INSERT INTO reject (source_id, line, aside, reason, text)
	  SELECT source_id, line, same, what || iif(same, ' stands already in line ', ' differs from the one in line ') || first_line ||
	    iif(first_source = source_id, '', ' of source ' || first_source), '' FROM fold ORDER BY source_id, line;
	DELETE FROM %s WHERE rowid IN (SELECT r FROM fold);
	DROP TABLE fold`, table))
}

// takeOff takes folded transfers off the books.
func (im *importer) takeOff() error {
	var failed error
	err := im.store.each(`SELECT currency, join_kind, join_confidence, sum(amount), count(*) FROM transfer_v1
	  WHERE rowid IN (SELECT r FROM fold) GROUP BY 1, 2, 3`, func(row *sqlfile.Stmt) {
		j := join{kind: row.String(1), confidence: row.String(2)}
		if err := im.books.transfer(row.String(0), -row.Int(3), -row.Int(4), &j); failed == nil {
			failed = err
		}
	})
	return cmp.Or(failed, err)
}
