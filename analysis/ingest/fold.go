package ingest

import (
	"cmp"

	"idem/engine/sqlitestore/sqlfile"
)

// foldTransfers takes rows out that tell of a transfer a second time: two
// exports that overlap, or an export that repeats a row. One of the same id that
// differs is rejected, as one of the two must be wrong. The first row stays.
func (im *importer) foldTransfers() error {
	// The index finds the repeated ids, and stays for those who read the incident.
	if err := im.store.exec("CREATE INDEX transfer_v1_by_id ON transfer_v1 (transfer_id)"); err != nil {
		return err
	}
	return im.fold("transfer_v1", foldTransfersSQL)
}

// foldRequests does the same for requests. A request that carries an id and is
// equal in everything is the same one. One without an id is only when it stands
// in another file as well, and as often as it does there.
func (im *importer) foldRequests() error {
	if err := im.fold("req_log", foldRequestsSQL); err != nil || im.count(Requests) < 2 {
		return err
	}
	return im.fold("req_log", foldNamelessSQL)
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
				im.changed = true
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
	return s.exec(foldSQL + "DELETE FROM " + table + " WHERE rowid IN (SELECT r FROM fold); DROP TABLE fold")
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
