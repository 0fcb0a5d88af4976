package ingest

import (
	"fmt"

	"idem/engine/sqlitestore/sqlfile"
)

// How a transfer was tied to its request, strongest first.
const (
	joinRequestID     = "request_id"
	joinReference     = "reference"
	joinKey           = "key"
	joinCircumstances = "circumstances"
)

// How sure a join is.
const (
	certain   = "certain"
	probable  = "probable"
	suspected = "suspected"
)

// join ties a transfer to a request; kind "" is none.
type join struct {
	kind, confidence string
	seq              int64
	key              []byte // the request's
}

// slack is how far the clocks of a gateway and a ledger may differ, in
// nanoseconds, before a request counts as later than its transfer.
const slack = 2_000_000_000

// byID finds the request of a transfer by the request's id, row for row.
type byID struct {
	stmt *sqlfile.Stmt
	key  []byte
}

// newByID makes the index that the search needs.
func newByID(s *store) (*byID, error) {
	const index = "CREATE INDEX by_request_ref ON req_log (request_ref, at_ns) WHERE request_ref IS NOT NULL"
	if err := s.exec(index); err != nil {
		return nil, fmt.Errorf("index requests: %w", err)
	}
	stmt, err := s.prepare("SELECT seq, idem_key, at_ns FROM req_log WHERE request_ref = ?1 ORDER BY at_ns LIMIT 100")
	if err != nil {
		return nil, fmt.Errorf("index requests: %w", err)
	}
	return &byID{stmt: stmt}, nil
}

// find takes the only request of that id; of several the last that began before
// the transfer was booked, which is only probable.
func (x *byID) find(t *Transfer, j *join) error {
	*j = join{}
	if len(t.Request) == 0 {
		return nil
	}
	x.stmt.BindText(1, text(t.Request))
	for n := 0; x.stmt.Next(); n++ {
		if n > 0 && x.stmt.Int(2) > t.At+slack {
			j.confidence = probable
			break
		}
		x.key = append(x.key[:0], x.stmt.Bytes(1)...)
		*j = join{kind: joinRequestID, confidence: certain, seq: x.stmt.Int(0), key: x.key}
		if n > 0 {
			j.confidence = probable
		}
	}
	return x.stmt.Reset()
}
