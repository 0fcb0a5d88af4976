package replay

import (
	"context"
	"time"

	"idem/analysis"
	"idem/engine"
)

// row is a request of the log made ready for the engine: parsed and
// fingerprinted, which needs no store and so runs ahead of it.
type row struct {
	n, seq   int64
	at       time.Time // zero when unreadable
	duration time.Duration
	src, dst string // accounts in the body, for their balances; "" when unreadable

	skip  string // reason for which no key is looked at: no_key, unusable_row
	claim engine.Claim
	order engine.Order
	// answer is what the handler answers in place of the ledger: the refusal of
	// a body that is no order, or the error that the log shows.
	answer *engine.Reply
	logged bool // answer is the log's

	v1 []v1Move
}

// v1Move is one transfer of the unprotected service.
type v1Move struct {
	amount   int64
	currency string
	src, dst string
}

// maxDuration bounds a believable run; a longer one counts as unknown.
const maxDuration = 366 * 24 * time.Hour

// prepare makes a row of a request. It keeps no reference to the request's body.
func prepare(req *analysis.Request, policy engine.Policy) row {
	r := row{n: req.N, seq: req.Seq, at: req.ReceivedAt}
	if req.HasDur && req.Duration <= maxDuration {
		r.duration = req.Duration
	}
	for _, t := range req.Transfers {
		r.v1 = append(r.v1, v1Move{t.Amount, t.Currency, t.Src, t.Dst})
	}
	order, refused, err := engine.ParseOrder(req.Body)
	if err == nil && refused == nil {
		r.src, r.dst = order.Src.Text, order.Dst.Text
	}
	switch {
	case req.Keyless():
		r.skip = ReasonNoKey
	case req.Unusable != "" || err != nil:
		r.skip = ReasonUnusable
	default:
		r.handler(req, order, refused)
		r.claimOf(req, policy)
	}
	return r
}

// handler settles what the replayed handler does: what the log says that the
// original did. A row that moved nothing and shows an error answers that error;
// every other row executes.
func (r *row) handler(req *analysis.Request, order engine.Order, refused *engine.Refusal) {
	r.order = order
	switch {
	case len(r.v1) == 0 && req.Status >= 400:
		r.answer, r.logged = &engine.Reply{Status: req.Status, Reason: ReasonLoggedError}, true
	case refused != nil:
		reply := refused.Reply()
		r.answer = &reply
	}
}

func (r *row) claimOf(req *analysis.Request, policy engine.Policy) {
	claim, err := policy.Claim(engine.Request{
		ClientID: req.ClientID, Endpoint: req.Endpoint, Key: req.Key,
		Method: req.Method, Target: req.Endpoint, Body: req.Body,
	}, time.Time{})
	if err != nil {
		r.skip = ReasonUnusable
		return
	}
	claim.Under = nil // one replay, one rule; and the closure would hold the body
	// A replayed worker renews its lease until it is done.
	claim.Lease = max(policy.Lease, r.duration)
	r.claim = claim
}

// batch is how many rows are handed over at once: enough to make the hand-over
// cheap, few enough to be no memory to speak of.
const batch = 256

type prepared struct {
	rows []row
	err  error
}

// read prepares the rows of the day from a position on, in batches, until ctx
// ends. The channel is closed after the last one or an error.
func read(ctx context.Context, in *analysis.Incident, policy engine.Policy) <-chan prepared {
	out := make(chan prepared, 4)
	send := func(p prepared) bool {
		select {
		case out <- p:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(out)
		rows := make([]row, 0, batch)
		for req, err := range in.Requests(ctx, 1) {
			if err != nil {
				send(prepared{rows, err})
				return
			}
			rows = append(rows, prepare(&req, policy))
			if len(rows) == batch {
				if !send(prepared{rows: rows}) {
					return
				}
				rows = make([]row, 0, batch)
			}
		}
		send(prepared{rows: rows})
	}()
	return out
}
