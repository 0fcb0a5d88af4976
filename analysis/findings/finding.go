package findings

import (
	"fmt"
	"slices"
	"time"

	"idem/analysis"
)

// Class is why money moved twice, or why it only looks so.
type Class string

// Confidence is how sure a finding is. Nothing but a certain one may be acted
// upon without a person.
type Confidence uint8

// The steps of confidence. What accuses no transfer is never more than probable.
const (
	Suspected Confidence = iota + 1 // circumstances alone
	Probable                        // what the payment is for and the marks of a retry agree
	Certain                         // a key or the log proves it
)

var confidences = [...]string{"none", "suspected", "probable", "certain"}

func (c Confidence) String() string {
	if int(c) < len(confidences) {
		return confidences[c]
	}
	return fmt.Sprintf("Confidence(%d)", uint8(c))
}

// Transfer is a transfer of a finding.
type Transfer struct {
	ID       string
	Send     int // its request in Finding.Sends
	Src, Dst string
	Amount   int64 // minor units
	Currency string
	At       time.Time
	Of       string // of an extra transfer: the one that it repeats
	// Join says how the transfer was tied to its request where the ledger does
	// not name that: "reference", "key", "circumstances"; "" where it does. Tie
	// is how sure that is.
	Join string
	Tie  Confidence
}

// Send is a request of a finding.
type Send struct {
	Seq      int64
	Known    bool // req_log has it: of some transfers the ledger alone tells
	Status   int32
	Attempts int32 // 0 when unknown, as Status
	At       time.Time
	Duration time.Duration // -1 when unknown
	ClientID string
	Endpoint string
	Key      string // as received; "" is none
	BodyKey  string // a key in the body
	Ref      string // what the payment is for: order, invoice
	Node     string
	Origin   *Origin // of an imported request
	body     uint64  // equal for equal bodies, keys and times left out
	raw      uint64  // equal for equal bodies to the byte
}

// Origin is where an imported request stood.
type Origin struct {
	Name string // its id in the log
	File string
	Line int64
	Note string
}

// End is when the request was answered; its arrival where that is unknown.
func (s *Send) End() time.Time { return s.At.Add(max(s.Duration, 0)) }

// Unanswered reports whether its caller was told of an error or a timeout.
func (s *Send) Unanswered() bool { return noAnswer(int(s.Status)) }

// Finding is one explanation of transfers that are, or look, too many. An extra
// or disputed transfer stands in one finding only. A kept one is what the extra
// ones of its finding repeat: several findings may have it, and a less sure one
// may accuse it in turn.
type Finding struct {
	Class      Class
	Confidence Confidence
	beat       classSet
	Kept       *Transfer  // the one that was meant; nil where none is known
	Extra      []Transfer // those that repeat it
	AlsoKept   []Transfer // further ones that were meant, where extra ones repeat several
	Disputed   []Transfer // one of them was meant, and the log does not tell which
	Alike      []Transfer // these only look like duplicates of each other
	Sends      []Send     // the requests, in the order of time
	Paid       analysis.Money
	Cause      Cause
}

// Cause are figures that a class found and its words tell.
type Cause struct {
	Lag    time.Duration // between the two runs of a batch
	Rows   int64         // of the batch, or of an import in the wrong unit
	Factor int64         // between two amounts, or what was asked and what moved
}

// Accuses reports whether the finding says that money moved once too often.
func (f *Finding) Accuses() bool { return len(f.Extra) > 0 || len(f.Disputed) > 0 }

// Beat are the classes that would have explained it, too, but less well.
func (f *Finding) Beat() []Class { return f.beat.list() }

// ClientID is that of the first request.
func (f *Finding) ClientID() string { return f.first().ClientID }

// Endpoint is that of the first request.
func (f *Finding) Endpoint() string { return f.first().Endpoint }

func (f *Finding) first() *Send {
	if len(f.Sends) == 0 {
		return &Send{}
	}
	return &f.Sends[0]
}

// Keys are the distinct keys of the requests as they were received.
func (f *Finding) Keys() []string {
	var list []string
	for i := range f.Sends {
		if k := f.Sends[i].Key; k != "" && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// Transfers are all transfers of the finding, the kept one first.
func (f *Finding) Transfers() []*Transfer {
	var list []*Transfer
	if f.Kept != nil {
		list = append(list, f.Kept)
	}
	for _, part := range [][]Transfer{f.AlsoKept, f.Extra, f.Disputed, f.Alike} {
		for i := range part {
			list = append(list, &part[i])
		}
	}
	return list
}

// Gaps are the times from each request to the next.
func (f *Finding) Gaps() []time.Duration {
	var list []time.Duration
	for i := 1; i < len(f.Sends); i++ {
		a, b := &f.Sends[i-1], &f.Sends[i]
		if !a.At.IsZero() && !b.At.IsZero() {
			list = append(list, b.At.Sub(a.At))
		}
	}
	return list
}

// timeouts are those that people set.
var timeouts = []time.Duration{
	300 * time.Second, 180 * time.Second, 120 * time.Second, 100 * time.Second, 90 * time.Second, 60 * time.Second, 45 * time.Second,
	30 * time.Second, 25 * time.Second, 20 * time.Second, 15 * time.Second, 10 * time.Second, 5 * time.Second, 3 * time.Second, 2 * time.Second,
}

// Timeout is the caller's timeout that the gaps point to: the longest usual one
// that every gap exceeds by no more than a fifth, while each send but the last
// took at least as long. 0 where there is none.
func (f *Finding) Timeout() time.Duration {
	gaps := f.Gaps()
	if len(gaps) == 0 || len(gaps) != len(f.Sends)-1 {
		return 0
	}
	for i := range gaps {
		if s := &f.Sends[i]; s.Duration < 0 && !s.Unanswered() {
			return 0
		}
	}
	for _, t := range timeouts {
		fits := true
		for i, gap := range gaps {
			fits = fits && gap >= t && gap <= t+t/5 && (f.Sends[i].Duration < 0 || f.Sends[i].Duration >= t)
		}
		if fits {
			return t
		}
	}
	return 0
}
