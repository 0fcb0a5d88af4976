package httpidem

import (
	"context"
	"net/http"
	"time"

	"idem/engine"
)

// exchange is one request on its way through the layer.
type exchange struct {
	*Layer
	next  http.Handler
	w     http.ResponseWriter
	r     *http.Request
	event Event
	// detached is the request's context without its end: a claim or a completion
	// that is under way must be known to have happened or not, whether the
	// client stays or leaves. How long they may take is the store's to bound.
	detached context.Context
	observed bool
}

func (x *exchange) serve() {
	if !x.authenticate() {
		return
	}
	if !TakesKey(x.r.Method) {
		x.pass()
		return
	}
	if problem := x.read(); problem != nil {
		x.refuse(*problem)
		return
	}
	claim, problem := x.claim()
	if problem != nil {
		x.refuse(*problem)
		return
	}
	x.detached = context.WithoutCancel(x.r.Context())
	verdict, err := x.store.Claim(x.detached, claim, x.policy)
	if err != nil {
		x.unavailable(err, time.Second)
		return
	}
	x.answer(claim, &verdict)
}

// authenticate comes before anything else, also before a look at the key.
func (x *exchange) authenticate() bool {
	credential, ok := bearer(x.r.Header)
	if !ok {
		x.challenge(`Bearer realm="api"`, unauthorized)
		return false
	}
	client, err := x.opt.Authenticate(x.r.Context(), credential)
	if err != nil {
		x.unavailable(err, time.Second)
		return false
	}
	if client == "" {
		x.challenge(`Bearer realm="api", error="invalid_token"`, denied)
		return false
	}
	x.event.Request.ClientID = client
	return true
}

func (x *exchange) challenge(challenge string, p Problem) {
	x.w.Header().Set("WWW-Authenticate", challenge)
	x.refuse(p)
}

// read fills the request of the event: what the engine needs to know.
func (x *exchange) read() (problem *Problem) {
	req := &x.event.Request
	if req.Key, problem = keyOf(x.r.Header); problem != nil {
		return problem
	}
	req.Target = target(x.r)
	req.Body, problem = readBody(x.r, x.opt.MaxBody)
	return problem
}

// claim is the claim of a request that was read whole.
func (x *exchange) claim() (engine.Claim, *Problem) {
	claim, err := x.policy.Claim(x.event.Request, x.opt.Now())
	if err != nil {
		return engine.Claim{}, &bodyInvalid
	}
	return claim, nil
}

// answer acts on the verdict.
func (x *exchange) answer(claim engine.Claim, v *engine.Verdict) {
	x.event.Attempt, x.event.Takeover = v.Record.Attempt, v.Takeover()
	x.event.Claimed = v.Outcome == engine.Fresh
	x.event.ExpiredRerun = x.event.Claimed && v.Expired
	switch v.Outcome {
	case engine.Fresh:
		x.execute(&v.Record)
	case engine.InFlight:
		x.w.Header().Set("Retry-After", retryAfter(v.Record.LeaseUntil.Sub(claim.Now)))
		x.problem(InFlight, inProgress.as(x.policy.OnInFlight))
	case engine.Mismatch:
		x.mismatch(claim, v.Record.Fingerprint)
	case engine.Replay:
		x.replay(v.Record.Reply)
	}
}

// mismatch shows both fingerprints, where possible under the rule of the stored
// one: that is the rule they were compared under.
func (x *exchange) mismatch(claim engine.Claim, stored engine.Fingerprint) {
	got := claim.Fingerprint
	if got.Rule() != stored.Rule() {
		if same, err := claim.Under(stored.Rule()); err == nil && same.Rule() == stored.Rule() {
			got = same
		}
	}
	p := keyReused.as(int(x.policy.OnMismatch))
	p.Detail = reusedDetail(x.event.Request.Key, stored, got)
	x.problem(Mismatch, p)
}

func (x *exchange) replay(reply engine.Reply) {
	if reply.NotKept {
		x.problem(NotKept, notKept)
		return
	}
	x.event.Outcome, x.event.Status = Replayed, reply.Status
	replay(x.w, reply)
}

// execute runs the handler under its claim, completes the claim and sends the
// reply: save first, then send.
func (x *exchange) execute(claimed *engine.Record) {
	left := claimed.LeaseUntil.Sub(x.opt.Now())
	if left <= 0 {
		// The store took longer than the lease; the claim is anybody's.
		x.unavailable(engine.ErrBusy, time.Second)
		return
	}
	r := &run{x: x, claim: engine.Completion{Key: claimed.Key, Fence: claimed.Fence}, life: claimed.Life, lease: claimed.LeaseUntil}
	r.call(left)
}

func (x *exchange) refuse(p Problem) { x.problem(Refused, p) }

// unavailable answers 503: nothing ran, or nothing that ran is known to be
// recorded. wait is when it may be worth trying again.
func (x *exchange) unavailable(err error, wait time.Duration) {
	x.event.Err = err
	x.w.Header().Set("Retry-After", retryAfter(wait))
	x.problem(Unavailable, unavailable)
}

func (x *exchange) problem(o Outcome, p Problem) {
	x.event.Outcome, x.event.Status = o, p.Status
	p.Write(x.w)
}

// flush sends what was written before the handler is back. Where a writer around
// this layer cannot, the client has to wait.
func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }
