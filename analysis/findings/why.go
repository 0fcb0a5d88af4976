package findings

import (
	"slices"
	"strconv"
	"time"
)

// A Reason is one link of the chain from money back to its cause: the name of a
// text and what it tells. Reports have the words, in their languages.
type Reason struct {
	Name string
	Args []any // string (from the data), int64, time.Duration, Amount, Row, TransferID
}

// TransferID names a row of transfer_v1.
type TransferID string

// At is where a row of the incident stands.
type At struct {
	Table string `json:"table"`
	Row   string `json:"row"` // its seq or transfer_id
}

// Rows are those that the reason rests on, in the order in which it tells them.
func (r *Reason) Rows() []At {
	var list []At
	for _, arg := range r.Args {
		switch v := arg.(type) {
		case Row:
			list = append(list, At{"req_log", strconv.FormatInt(v.Seq, 10)})
		case TransferID:
			list = append(list, At{"transfer_v1", string(v)})
		}
	}
	return list
}

// Amount is money of one currency, in minor units.
type Amount struct {
	Minor    int64
	Currency string
}

// Row is a row of req_log, and where an import found it.
type Row struct {
	Seq  int64
	File string // "" where it was not imported
	Line int64
}

func (s *Send) row() Row {
	r := Row{Seq: s.Seq}
	if s.Origin != nil {
		r.File, r.Line = s.Origin.File, s.Origin.Line
	}
	return r
}

// Names of reasons, as the texts of a report have them.
const (
	becauseTransfer      = "because_transfer"       // id, amount, the id that it repeats
	becauseOneOf         = "because_one_of"         // id, amount: disputed
	becauseRequest       = "because_request"        // row
	becauseUnlogged      = "because_unlogged"       //
	becauseTied          = "because_tied"           // by what
	becauseSameRequest   = "because_same_request"   // id of the transfer before
	becauseAttempts      = "because_attempts"       // number
	becauseSameKey       = "because_same_key"       // key, row
	becauseSpelling      = "because_spelling"       // key, row, its spelling there
	becauseBodyKey       = "because_body_key"       // key in the body, row, the one there
	becauseNewKeySame    = "because_new_key_same"   // key, row: the body is equal
	becauseNewKey        = "because_new_key"        // key, row
	becauseNoKey         = "because_no_key"         // row
	becauseOtherClient   = "because_other_client"   // client, the other
	becauseOtherEndpoint = "because_other_endpoint" // endpoint, the other
	becauseWhile         = "because_while"          // row, time left
	becauseAfterError    = "because_after_error"    // gap, row, status
	becauseAfterAnswer   = "because_after_answer"   // gap, row, status
	becauseAfter         = "because_after"          // gap, row
	becauseTimeout       = "because_timeout"        // shortest gap, longest gap, timeout
	becauseLag           = "because_lag"            // rows, lag
	becauseFactor        = "because_factor"         // factor
	becauseNote          = "because_note"           // what the log says besides
)

// Chains are those of the extra transfers, then those of the disputed ones, at
// most so many, each from the money back to the cause.
func (f *Finding) Chains(most int) [][]Reason {
	var list [][]Reason
	for i := range min(len(f.Extra), most) {
		t := &f.Extra[i]
		list = append(list, append([]Reason{{becauseTransfer, []any{TransferID(t.ID), Amount{t.Amount, t.Currency}, TransferID(t.Of)}}}, f.because(t)...))
	}
	for i := range min(len(f.Disputed), most-len(list)) {
		t := &f.Disputed[i]
		list = append(list, append([]Reason{{becauseOneOf, []any{TransferID(t.ID), Amount{t.Amount, t.Currency}}}}, f.because(t)...))
	}
	return list
}

// because goes from a transfer to its request, its key and the send before it.
func (f *Finding) because(t *Transfer) []Reason {
	var list []Reason
	s := &f.Sends[t.Send]
	switch {
	case s.Known:
		list = append(list, Reason{becauseRequest, []any{s.row()}})
	default:
		list = append(list, Reason{becauseUnlogged, nil})
	}
	if t.Join != "" {
		list = append(list, Reason{becauseTied, []any{t.Join}})
	}
	if origin := f.origin(t); origin != nil && origin.Send == t.Send && origin.ID != t.ID {
		list = append(list, Reason{becauseSameRequest, []any{TransferID(origin.ID)}})
		if s.Attempts > 1 {
			list = append(list, Reason{becauseAttempts, []any{int64(s.Attempts)}})
		}
		return list
	}
	before := f.sentBefore(t)
	if before == nil {
		return list
	}
	return append(append(list, keyReasons(before, s)...), timeReasons(before, s)...)
}

// origin is the transfer that t repeats, nil where there is none.
func (f *Finding) origin(t *Transfer) *Transfer {
	for _, o := range f.Transfers() {
		if t.Of != "" && o.ID == t.Of {
			return o
		}
	}
	return nil
}

// sentBefore is the send that the one of t followed: of a batch the twin in its
// first run, else the one before it.
func (f *Finding) sentBefore(t *Transfer) *Send {
	if o := f.origin(t); o != nil && f.Class == BatchRunAgain {
		return &f.Sends[o.Send]
	}
	if t.Send == 0 {
		return nil
	}
	return &f.Sends[t.Send-1]
}

// keyReasons says how the key of a send stands to that of the one before.
func keyReasons(a, b *Send) []Reason {
	var list []Reason
	add := func(name string, args ...any) { list = append(list, Reason{name, args}) }
	switch p, q := NormalKey(a.Key), NormalKey(b.Key); {
	case q == "":
		add(becauseNoKey, a.row())
	case p == q && a.Key == b.Key:
		add(becauseSameKey, b.Key, a.row())
	case p == q:
		add(becauseSpelling, b.Key, a.row(), a.Key)
	case a.body != 0 && a.body == b.body:
		add(becauseNewKeySame, b.Key, a.row())
	default:
		add(becauseNewKey, b.Key, a.row())
	}
	if a.BodyKey != "" && b.BodyKey != "" && a.BodyKey != b.BodyKey && a.BodyKey != NormalKey(a.Key) {
		add(becauseBodyKey, b.BodyKey, a.row(), a.BodyKey)
	}
	if a.ClientID != b.ClientID {
		add(becauseOtherClient, b.ClientID, a.ClientID)
	}
	if a.Endpoint != b.Endpoint {
		add(becauseOtherEndpoint, b.Endpoint, a.Endpoint)
	}
	return list
}

// timeReasons says when a send came after the one before, and what the caller of
// that knew.
func timeReasons(a, b *Send) []Reason {
	if a.At.IsZero() || b.At.IsZero() {
		return nil
	}
	gap := b.At.Sub(a.At)
	switch {
	case a.Duration > gap:
		return []Reason{{becauseWhile, []any{a.row(), a.Duration - gap}}}
	case a.Unanswered():
		return []Reason{{becauseAfterError, []any{gap, a.row(), Status(a.Status)}}}
	case a.Status != 0:
		return []Reason{{becauseAfterAnswer, []any{gap, a.row(), Status(a.Status)}}}
	}
	return []Reason{{becauseAfter, []any{gap, a.row()}}}
}

// Status is an HTTP status, which is a name and no number.
type Status int32

// Conclusion is what the chains have in common: the caller's timeout, the figures
// of the class, and what the log notes.
func (f *Finding) Conclusion() []Reason {
	var list []Reason
	if t := f.Timeout(); t > 0 {
		gaps := f.Gaps()
		list = append(list, Reason{becauseTimeout, []any{slices.Min(gaps), slices.Max(gaps), t}})
	}
	if f.Cause.Lag > 0 {
		list = append(list, Reason{becauseLag, []any{f.Cause.Rows, f.Cause.Lag.Round(time.Second)}})
	}
	if f.Cause.Factor > 0 {
		list = append(list, Reason{becauseFactor, []any{f.Cause.Factor}})
	}
	for i := range f.Sends {
		if o := f.Sends[i].Origin; o != nil && o.Note != "" {
			list = append(list, Reason{becauseNote, []any{f.Sends[i].row(), o.Note}})
			break
		}
	}
	return list
}
