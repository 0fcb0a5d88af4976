package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"idem/analysis/ingest/secret"
)

// Sink takes the rows that a format reads. It is for one goroutine.
type Sink struct {
	ctx    context.Context
	role   Role
	clean  *secret.Cleaner // nil keeps secrets
	bodies *bodyReader
	batch  *batch
	send   func(*batch) (*batch, error) // hands a full batch on, gives an empty one
	counts Counts
	raw    func() []byte // the row being handed over as it stands, where the reader can tell
	first  error         // the first Unsettled among the rejects
	err    error
}

// Counts tell what became of the rows of a file: Read = Accepted + Rejected.
type Counts struct {
	Read     int64 `json:"read"`
	Accepted int64 `json:"accepted"`
	Rejected int64 `json:"rejected"`
	Aside    int64 `json:"aside"` // of the rejected: sound, but no request or transfer of their own
}

// Role is what the file that is read tells of.
func (s *Sink) Role() Role { return s.role }

// Going reports whether more rows are wanted.
func (s *Sink) Going() bool { return s.err == nil }

// Stop ends the import with an error.
func (s *Sink) Stop(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Err is what ended the import.
func (s *Sink) Err() error { return s.err }

// Request takes a request.
func (s *Sink) Request(r *Request) {
	if err := checkRequest(r); err != nil {
		s.Reject(r.Line, s.text(r.Endpoint), err)
		return
	}
	if s.clean != nil {
		s.cleanRequest(r)
	}
	s.batch.requests = append(s.batch.requests, requestRow{})
	row := &s.batch.requests[len(s.batch.requests)-1]
	row.from(r, &s.batch.arena)
	if err := s.bodies.read(row, r.Body, &s.batch.arena); err != nil {
		s.batch.requests = s.batch.requests[:len(s.batch.requests)-1]
		s.Reject(r.Line, s.text(r.Body), err)
		return
	}
	s.accepted()
}

func checkRequest(r *Request) error {
	if r.At == 0 {
		return errors.New("the request has no time")
	}
	return checkTexts(r.Ref, r.Client, r.Method, r.Endpoint, r.Key, r.Node)
}

func (s *Sink) cleanRequest(r *Request) {
	r.Endpoint = s.clean.Form(r.Endpoint)
	for _, text := range []*[]byte{&r.Ref, &r.Key, &r.Upstreams, &r.Retry, &r.Replayed, &r.Trace, &r.Note} {
		*text = s.clean.Text(*text)
	}
	r.Client = s.clean.Client(r.Client)
	r.Body = s.clean.JSON(r.Body)
}

// Transfer takes a transfer.
func (s *Sink) Transfer(t *Transfer) {
	if err := checkTransfer(t); err != nil {
		s.Reject(t.Line, s.text(t.ID), err)
		return
	}
	if s.clean != nil {
		for _, text := range []*[]byte{&t.ID, &t.Request, &t.Key, &t.Ref, &t.Src, &t.Dst, &t.Note} {
			*text = s.clean.Text(*text)
		}
	}
	a := &s.batch.arena
	row := *t
	row.Key = bareKey(row.Key)
	for _, text := range []*[]byte{&row.ID, &row.Request, &row.Key, &row.Ref, &row.Src, &row.Dst, &row.Currency, &row.Note} {
		*text = a.keep(*text)
	}
	s.batch.transfers = append(s.batch.transfers, row)
	s.accepted()
}

func checkTransfer(t *Transfer) error {
	switch {
	case t.At == 0:
		return errors.New("the transfer has no time")
	case len(t.ID) == 0:
		return errors.New("the transfer has no id")
	case len(t.Currency) == 0:
		return unsettled("--currency", "the transfer has no currency")
	case len(t.Src) == 0, len(t.Dst) == 0:
		return errors.New("the transfer lacks a party")
	case t.Amount <= 0:
		return fmt.Errorf("the amount %d is not above zero", t.Amount)
	}
	return checkTexts(t.ID, t.Request, t.Key, t.Ref, t.Src, t.Dst, t.Currency)
}

// Account takes an opening balance.
func (s *Sink) Account(a *Account) {
	if len(a.ID) == 0 {
		s.Reject(a.Line, s.text(nil), errors.New("the account has no id"))
		return
	}
	row := *a
	if s.clean != nil {
		row.ID, row.Holder = s.clean.Text(row.ID), s.clean.Text(row.Holder)
	}
	row.ID, row.Holder = s.batch.arena.keep(row.ID), s.batch.arena.keep(row.Holder)
	s.batch.accounts = append(s.batch.accounts, row)
	s.accepted()
}

// text is what a reject shows of a row.
func (s *Sink) text(part []byte) []byte {
	if s.raw != nil {
		return s.raw()
	}
	return part
}

// Reject takes a row that cannot be used, and why.
func (s *Sink) Reject(line int64, text []byte, err error) {
	if u := new(Unsettled); s.first == nil && errors.As(err, &u) {
		s.first = fmt.Errorf("line %d: %w", line, err)
	}
	s.counts.Rejected++
	s.refuse(line, text, reject{reason: err.Error()})
}

// Aside takes a row that is sound but tells of no request or transfer of its
// own: a fee, a payout, the second row of one payment.
func (s *Sink) Aside(line int64, text []byte, why string) {
	s.counts.Rejected++
	s.counts.Aside++
	s.refuse(line, text, reject{reason: why, aside: true})
}

// keptText is how much of a rejected row is kept, in bytes.
const keptText = 400

func (s *Sink) refuse(line int64, text []byte, r reject) {
	if s.clean != nil {
		// A secret may be cut in two, so it is looked for before the text is cut.
		text = s.clean.Rough(text[:min(len(text), 16*keptText)])
	}
	r.line = line
	r.text = s.batch.arena.keep(bytes.ToValidUTF8(text[:min(len(text), keptText)], []byte("\uFFFD")))
	s.batch.rejects = append(s.batch.rejects, r)
	s.row()
}

func (s *Sink) accepted() {
	s.counts.Accepted++
	s.row()
}

func (s *Sink) row() {
	s.counts.Read++
	if s.batch.full() {
		s.flush()
	}
}

func (s *Sink) flush() {
	if s.err == nil {
		s.err = context.Cause(s.ctx)
	}
	if s.err != nil {
		s.batch.reset()
		return
	}
	next, err := s.send(s.batch)
	if err != nil {
		s.err, next = err, &batch{}
	}
	s.batch = next
}

// checkTexts refuses texts that SQLite or a terminal could not hold as text.
func checkTexts(texts ...[]byte) error {
	for _, t := range texts {
		if !utf8.Valid(t) {
			return errors.New("the row is not UTF-8")
		}
		if bytes.IndexByte(t, 0) >= 0 {
			return errors.New("the row holds a NUL byte")
		}
	}
	return nil
}
