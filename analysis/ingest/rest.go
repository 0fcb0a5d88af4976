package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"idem/engine/sqlitestore/sqlfile"
)

// reach is how long after a request its transfer may be booked for the two to be
// tied by nothing but circumstances, in nanoseconds.
const reach = 600_000_000_000

// search is one way to find the request of a transfer.
type search struct {
	kind string
	// prepare makes the index that the query needs.
	prepare string
	// query gives seq, idem_key, at_ns, duration_ms and whether the body asks for
	// this very payment (NULL: nothing is known of it), the nearest first.
	query  string
	wanted func(t *loose) string // what is looked for, nil for nothing of its own
	stmt   *sqlfile.Stmt
}

// asks compares the payment of a body with ?2 to ?5.
const asks = `CASE WHEN kind <> 'payment' THEN NULL
  ELSE body ->> '$.amount' = ?2 AND body ->> '$.currency' = ?3 AND body ->> '$.src' = ?4 AND body ->> '$.dst' = ?5 END`

// canMove leaves out the methods that move no money.
const canMove = "(method IS NULL OR method NOT IN ('GET', 'HEAD', 'OPTIONS', 'TRACE'))"

// searches are tried in this order.
var searches = []search{
	{
		kind:    joinReference,
		prepare: "CREATE INDEX by_reference ON req_log (reference) WHERE reference IS NOT NULL",
		query: `SELECT seq, idem_key, at_ns, duration_ms, ` + asks + ` FROM req_log
		  WHERE reference = ?6 AND ` + canMove + ` ORDER BY abs(at_ns - ?1) LIMIT 50`,
		wanted: func(t *loose) string { return t.ref },
	},
	{
		kind:    joinKey,
		prepare: "CREATE INDEX by_key ON req_log (idem_key) WHERE idem_key IS NOT NULL",
		query: `SELECT seq, idem_key, at_ns, duration_ms, ` + asks + ` FROM req_log
		  WHERE idem_key = ?6 AND ` + canMove + ` ORDER BY abs(at_ns - ?1) LIMIT 50`,
		wanted: func(t *loose) string { return t.key },
	},
	{
		kind:    joinCircumstances,
		prepare: askedSQL,
		query: fmt.Sprintf(`SELECT r.seq, r.idem_key, r.at_ns, r.duration_ms, 1 FROM asked a JOIN req_log r ON r.seq = a.seq
		  WHERE a.amount = ?2 AND a.currency = ?3 AND a.src = ?4 AND a.dst = ?5
		    AND a.at_ns BETWEEN ?1 - %d AND ?1 + %d ORDER BY abs(a.at_ns - ?1) LIMIT 50`, reach, slack),
	},
}

// loose is a transfer without a request.
type loose struct {
	row, at, amount    int64
	currency, src, dst string
	ref, key           string
	named              bool // it carries the id of a request, which is not in the log
}

// find gives the requests that may have caused t.
func (s *search) find(t *loose) (found []candidate, err error) {
	q := s.stmt
	if s.wanted != nil {
		wanted := s.wanted(t)
		if wanted == "" {
			return nil, nil
		}
		q.BindText(6, wanted)
	}
	q.BindInt(1, t.at)
	q.BindInt(2, t.amount)
	for i, text := range [...]string{t.currency, t.src, t.dst} {
		q.BindText(3+i, text)
	}
	for q.Next() {
		found = append(found, candidate{seq: q.Int(0), key: []byte(q.String(1)), at: q.Int(2), duration: q.Int(3) * 1_000_000,
			agrees: q.Type(4) != sqlfile.Null && q.Int(4) == 1, silent: q.Type(4) == sqlfile.Null})
	}
	return found, q.Reset()
}

// joinRest ties the transfers that carry no request's id: by reference, by key,
// by circumstances. They are taken in the order of time, so that of two equal
// ones the first gets the first request.
func (im *importer) joinRest(ctx context.Context) error {
	if im.books.joins[[2]string{}] == 0 || im.books.requests == 0 {
		return nil
	}
	s := im.store
	if err := s.exec("CREATE TEMP TABLE loose AS SELECT rowid AS r FROM transfer_v1 WHERE seq IS NULL ORDER BY at_ns, rowid"); err != nil {
		return err
	}
	tie, err := s.prepare("UPDATE transfer_v1 SET seq = ?1, idem_key = ifnull(idem_key, ?2), join_kind = ?3, join_confidence = ?4 WHERE rowid = ?5")
	if err != nil {
		return err
	}
	list := slices.Clone(searches)
	for i := range list {
		if err := s.exec(list[i].prepare); err != nil {
			return err
		}
		if list[i].stmt, err = s.prepare(list[i].query); err != nil {
			return err
		}
	}
	for last := int64(0); ; {
		page, next, err := im.looseAfter(last)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := cmp.Or(ctx.Err(), im.tieAll(page, list, tie)); err != nil {
			return err
		}
		last = next
	}
}

// looseAfter reads a page of transfers without a request.
func (im *importer) looseAfter(last int64) (page []loose, next int64, err error) {
	next = last
	err = im.store.each(fmt.Sprintf(`SELECT t.rowid, at_ns, amount, currency, src, dst, reference, idem_key, request_ref IS NOT NULL, l.rowid
	  FROM loose l JOIN transfer_v1 t ON t.rowid = l.r WHERE l.rowid > %d ORDER BY l.rowid LIMIT 1000`, last), func(row *sqlfile.Stmt) {
		page = append(page, loose{row.Int(0), row.Int(1), row.Int(2), row.String(3), row.String(4), row.String(5), row.String(6), row.String(7), row.Int(8) == 1})
		next = row.Int(9)
	})
	return page, next, err
}

func (im *importer) tieAll(page []loose, list []search, tie *sqlfile.Stmt) error {
	for i := range page {
		t := &page[i]
		j, err := im.searchAll(t, list)
		if err != nil {
			return err
		}
		if j.kind == "" {
			continue
		}
		im.books.tie(&j)
		tie.BindInt(1, j.seq)
		bindText(tie, 2, j.key)
		tie.BindText(3, j.kind)
		tie.BindText(4, j.confidence)
		tie.BindInt(5, t.row)
		if err := tie.Run(); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) searchAll(t *loose, list []search) (join, error) {
	for i := range list {
		found, err := list[i].find(t)
		if err != nil {
			return join{}, err
		}
		if len(found) > 0 {
			return choose(list[i].kind, t, found, im.books.moved), nil
		}
	}
	return join{}, nil
}

// candidate is a request that may have caused a transfer.
type candidate struct {
	seq, at, duration int64
	key               []byte
	agrees            bool // its body asks for this very payment
	silent            bool // its body is not known
}

// choose takes the best of the candidates: one that asks for this payment, then
// one during which it was booked, then one that has no transfer yet, then the
// last one that began before it.
func choose(kind string, t *loose, found []candidate, moved bitset) join {
	rank := func(c *candidate) [5]bool {
		began := c.at <= t.at+slack
		during := began && t.at <= c.at+c.duration+slack
		return [5]bool{c.agrees, c.silent, during, !moved.has(c.seq), began}
	}
	best := slices.MaxFunc(found, func(a, b candidate) int {
		x, y := rank(&a), rank(&b)
		for i := range x {
			if x[i] != y[i] {
				return map[bool]int{true: 1, false: -1}[x[i]]
			}
		}
		// The list is sorted by nearness, and MaxFunc keeps the first.
		return 0
	})
	return join{kind: kind, seq: best.seq, key: best.key, confidence: sureness(kind, t, &best, len(found))}
}

// sureness: a key that one request carried proves the join, a reference makes it
// likely, circumstances only suggest it. A body that asks for another payment
// leaves but a suspicion, and so does a request's id that is not in the log: the
// transfer belongs to a send that nobody logged.
func sureness(kind string, t *loose, best *candidate, candidates int) string {
	switch {
	case kind == joinCircumstances, !best.agrees && !best.silent, t.named && kind != joinKey:
		return suspected
	case kind == joinKey && candidates == 1 && !t.named:
		return certain
	}
	return probable
}
