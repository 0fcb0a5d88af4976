package httpidem

import (
	"context"
	"errors"
	"net/http"
	"time"

	"idem/engine"
)

// maxMargin is the longest time between the end of a handler's context and that
// of its lease.
const maxMargin = 3 * time.Second

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
	claim.Under = x.under
	return claim, nil
}

// under is [engine.Claim.Under]. A body that the stored record's rule cannot read
// is another request than the stored one, which it could: the zero fingerprint
// equals none that such a rule made.
func (x *exchange) under(rule engine.FingerprintRule) (engine.Fingerprint, error) {
	f, err := x.event.Request.Fingerprint(rule)
	if errors.Is(err, engine.ErrAmbiguous) {
		return engine.Fingerprint{}, nil
	}
	return f, err
}

// answer acts on the verdict.
func (x *exchange) answer(claim engine.Claim, v *engine.Verdict) {
	x.event.Attempt, x.event.Takeover = v.Record.Attempt, v.Takeover()
	x.event.Claimed = v.Outcome == engine.Fresh
	x.event.ExpiredRerun = x.event.Claimed && v.Expired
	switch v.Outcome {
	case engine.Fresh:
		x.execute(v.Record)
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
func (x *exchange) execute(claimed engine.Record) {
	left := claimed.LeaseUntil.Sub(x.opt.Now())
	if left <= 0 {
		// The store took longer than the lease; the claim is anybody's.
		x.unavailable(engine.ErrBusy, time.Second)
		return
	}
	handled, inTime := x.run(left)
	if !inTime {
		x.problem(Lost, claimLost.as(x.policy.OnInFlight))
		return
	}
	reply, settled, err := x.complete(claimed, handled)
	switch {
	case err != nil:
		x.unavailable(err, claimed.LeaseUntil.Sub(x.opt.Now()))
	case settled == engine.Lost:
		x.problem(Lost, claimLost.as(x.policy.OnInFlight))
	default:
		x.event.Outcome, x.event.Status, x.event.Body = Executed, reply.status, reply.body
		reply.send(x.w)
	}
}

// complete commits the effects and the reply. It returns the reply as it was
// committed.
func (x *exchange) complete(claimed engine.Record, handled *capture) (*capture, engine.Settlement, error) {
	reply, settled, err := x.settle(claimed, handled)
	var failed *effectError
	if err == nil || storeFailed(err) || !errors.As(err, &failed) {
		return reply, settled, err
	}
	x.event.Err = failed.err
	problem := handlerFailed
	if errors.Is(err, errTooLarge) {
		problem = replyTooLarge
	}
	return x.settle(claimed, handled.failure(problem))
}

func (x *exchange) settle(claimed engine.Record, handled *capture) (*capture, engine.Settlement, error) {
	var reply *capture
	effect := func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		// The store may run this more than once; each time on the reply as the
		// handler left it.
		reply = handled.again()
		if err := reply.runEffects(ctx, tx); err != nil {
			return engine.Reply{}, err
		}
		return reply.stored(x.Layer), nil
	}
	done := engine.Completion{Key: claimed.Key, Fence: claimed.Fence, Now: x.opt.Now()}
	_, settled, err := x.store.Complete(x.detached, done, x.policy, effect)
	if errors.Is(err, engine.ErrUnknownCommit) && reply != nil {
		settled, err = x.reread(done, reply.status, err)
	}
	return reply, settled, err
}

// reread finds out what became of a commit that was sent and not answered. It
// never runs anything again. unknown is returned where the record says that the
// claim still stands, that is, where nothing was committed.
func (x *exchange) reread(done engine.Completion, status int, unknown error) (engine.Settlement, error) {
	var found *engine.Record
	err := x.store.View(x.detached, func(tx engine.Tx) (err error) {
		found, err = tx.Record(x.detached, done.Key)
		return err
	})
	switch {
	case err != nil:
		return 0, errors.Join(unknown, err)
	case found == nil && !x.policy.Stores(status):
		return engine.Released, nil
	case found == nil || found.Fence != done.Fence:
		return engine.Lost, nil
	case found.State == engine.Completed:
		return engine.Kept, nil
	}
	return 0, unknown
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
