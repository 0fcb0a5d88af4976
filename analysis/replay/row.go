package replay

import (
	"time"

	"idem/analysis"
	"idem/engine"
)

// Row is a request of the log made ready for the engine: parsed and
// fingerprinted, which needs no store and so runs ahead of it. A row is not
// changed by what is done with it: any number of courses can share it.
type Row struct {
	work
	at       time.Time // zero when unreadable
	src, dst string    // accounts in the body, for their balances; "" when unreadable
	skip     string    // reason for which no key is looked at: no_key, unusable_row

	request engine.Request // without its body
	scoped  string         // the key in the scope of its amount, where a policy asks for that
	prints  [rules]engine.Fingerprint
	known   [rules]bool // which of the prints were made
}

// rules is how many fingerprint rules there are; each is an index.
const rules = int(engine.RuleRequest) + 1

// work is what there is to do once a row has its key.
type work struct {
	n, seq   int64
	duration time.Duration
	order    engine.Order
	// answer is what the handler answers in place of the ledger: the refusal of
	// a body that is no order, or the error that the log shows.
	answer *engine.Reply
	logged bool // answer is the log's
	status int  // the logged one; 0 where the log has none
	v1     []v1Move
}

// v1Move is one transfer of the unprotected service.
type v1Move struct {
	amount   int64
	currency string
	src, dst string
}

// maxDuration bounds a believable run; a longer one counts as unknown.
const maxDuration = 366 * 24 * time.Hour

// prepare makes a row of a request, with the fingerprints that the policies
// compare. It keeps no reference to the request's body.
func prepare(req *analysis.Request, policies []engine.Policy) Row {
	r := Row{work: work{n: req.N, seq: req.Seq, status: req.Status}, at: req.ReceivedAt}
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
		r.identify(req, policies)
	}
	return r
}

// handler settles what the replayed handler does: what the log says that the
// original did. A row that moved nothing and shows an error answers that error;
// every other row executes.
func (w *work) handler(req *analysis.Request, order engine.Order, refused *engine.Refusal) {
	w.order = order
	switch {
	case len(req.Transfers)+req.UnusableTransfers == 0 && req.Status >= 400:
		w.answer, w.logged = &engine.Reply{Status: req.Status, Reason: ReasonLoggedError}, true
	case refused != nil:
		reply := refused.Reply()
		w.answer = &reply
	}
}

// identify computes what the policies know the request by.
func (r *Row) identify(req *analysis.Request, policies []engine.Policy) {
	whole := engine.Request{ClientID: req.ClientID, Endpoint: req.Endpoint, Key: req.Key,
		Method: req.Method, Target: req.Endpoint, Body: req.Body}
	r.request = whole
	r.request.Body = nil
	for i := range policies {
		if r.scoped == "" && policies[i].ScopesAmount() {
			r.scoped = policies[i].ScopedKey(whole).Key
		}
		rule := policies[i].Fingerprint
		if int(rule) >= rules || r.known[rule] {
			continue
		}
		print, err := whole.Fingerprint(rule)
		r.prints[rule], r.known[rule] = print, err == nil
	}
}

// claim is what the row asks the engine for under a policy; ok is false for a
// row whose key is not looked at.
func (r *Row) claim(p engine.Policy) (c engine.Claim, ok bool) {
	if !r.Usable() || !r.known[p.Fingerprint] {
		return c, false
	}
	// Claim.Under stays nil: one course has one rule.
	return engine.Claim{Key: r.ScopedKey(p), Fingerprint: r.prints[p.Fingerprint], Lease: p.Lease}, true
}

// ScopedKey is the row's key in a policy's scope, one of the policies that the
// day is read for.
func (r *Row) ScopedKey(p engine.Policy) engine.ScopedKey {
	if !p.ScopesAmount() {
		return p.ScopedKey(r.request)
	}
	k := p.ScopedKey(r.request)
	k.Key = r.scoped
	return k
}

// Usable reports whether the row's key is looked at: there is one, and a body.
func (r *Row) Usable() bool { return r.skip == "" }

// N is the row's position in the day, from 1.
func (r *Row) N() int64 { return r.n }

// Seq is req_log.seq.
func (r *Row) Seq() int64 { return r.seq }

// ReceivedAt is the row's own time; the zero time when unreadable.
func (r *Row) ReceivedAt() time.Time { return r.at }

// Duration is how long the request runs.
func (r *Row) Duration() time.Duration { return r.duration }

// Status is the answer that the log shows; 0 where it shows none.
func (r *Row) Status() int { return r.status }

// Order is what the row asks for; ok is false where its handler answers something
// else: a body that is no order, or an error that the log shows.
func (r *Row) Order() (o engine.Order, ok bool) {
	return r.order, r.Usable() && r.answer == nil
}

// Request is the request without its body.
func (r *Row) Request() engine.Request { return r.request }

// Fingerprint is the row's under a rule; ok is false where the day was not read
// for that rule, or the body has none.
func (r *Row) Fingerprint(rule engine.FingerprintRule) (f engine.Fingerprint, ok bool) {
	if int(rule) >= rules {
		return f, false
	}
	return r.prints[rule], r.known[rule]
}

// V1Count is how many transfers the unprotected service made for the row.
func (r *Row) V1Count() int { return len(r.v1) }

// V1 is one of those transfers, from 0, in minor units.
func (r *Row) V1(i int) (amount int64, currency string) { return r.v1[i].amount, r.v1[i].currency }
