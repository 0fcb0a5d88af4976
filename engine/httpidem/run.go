package httpidem

import (
	"bytes"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"idem/engine"
	"idem/engine/fault"
)

// run is one run of a handler under a claim. What the handler gets is part of
// it, so that all of that is one allocation. It is not used again: a handler may
// keep what it was given for as long as it likes.
type run struct {
	x     *exchange
	claim engine.Completion
	life  engine.Fence
	lease time.Time // its end, by the clock of claims
	end   time.Time // the same by the runtime's clock

	ctx   handlerContext
	body  requestBody
	reply capture
	final *capture // the reply that was committed

	// These are the watch's.
	prev, next *run
	// given is closed when the watch has answered for the handler; nil while it
	// has no reason to.
	given chan struct{}
}

// maxMargin is the longest time between the end of a handler's context and that
// of its lease.
const maxMargin = 3 * time.Second

// errGoexit: the handler's goroutine ended without a return or a panic.
var errGoexit = errors.New("handler called runtime.Goexit")

// call calls the handler under a claim that is good for left, and answers. The
// handler runs on the goroutine of its connection: to hand each request to
// another one would cost more than all the rest of the layer. The watch answers
// for a handler that ignores its context.
func (r *run) call(left time.Duration) {
	r.end = time.Now().Add(left)
	r.reply.open(r.x.w, r.x.opt.MaxReply)
	inner := r.request(r.end.Add(-min(left/10, maxMargin)))
	r.x.watch.add(r)
	err := errGoexit
	// However the handler ends, what it claimed is completed.
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		r.ctx.end()
		r.finish(err)
	}()
	r.x.next.ServeHTTP(&r.reply, inner)
	err = nil
}

// request is the request as the handler sees it: its body is the bytes that the
// fingerprint was made of, however they came.
func (r *run) request(deadline time.Time) *http.Request {
	from := &r.x.event.Request
	r.ctx.values, r.ctx.deadline = r.x.detached, deadline
	r.ctx.request = request{from.ClientID, &r.reply, r.claim.Key, r.life}
	inner := r.x.r.WithContext(&r.ctx)
	inner.Body, inner.ContentLength, inner.TransferEncoding = http.NoBody, int64(len(from.Body)), nil
	if len(from.Body) > 0 {
		r.body.Reset(from.Body)
		inner.Body = &r.body
	}
	return inner
}

// requestBody is a body that was read already.
type requestBody struct{ bytes.Reader }

// Close implements io.Closer.
func (*requestBody) Close() error { return nil }

// giveUp answers for a handler that is still running at the end of its lease: its
// claim is anybody's now, and nothing that it still does will be written. The
// client is told at once; its connection is of no use until the handler is back.
func (r *run) giveUp() {
	defer close(r.given)
	r.reply.shut()
	r.x.w.Header().Set("Connection", "close")
	r.x.problem(Lost, claimLost.as(r.x.policy.OnInFlight))
	r.x.flush()
	r.x.observe()
}

// finish completes the claim and answers, unless the watch has answered.
func (r *run) finish(err error) {
	if given := r.x.watch.remove(r); given != nil {
		<-given // the connection must not go on while the answer is being sent
		return
	}
	r.reply.shut()
	reply := &r.reply
	if err != nil {
		r.x.event.Err = err
		reply = reply.failure(handlerFailed)
	}
	r.conclude(reply)
	if errors.Is(err, errGoexit) {
		r.x.flush() // this goroutine ends here, and with it the connection
	}
}

// conclude completes the claim with what was handled and answers.
func (r *run) conclude(handled *capture) {
	settled, err := r.complete(handled)
	if err == nil {
		err = fault.Point(fault.BeforeReply)
	}
	switch x := r.x; {
	case err != nil:
		x.unavailable(err, r.lease.Sub(x.opt.Now()))
	case settled == engine.Lost:
		x.problem(Lost, claimLost.as(x.policy.OnInFlight))
	default:
		x.event.Outcome, x.event.Status, x.event.Body = Executed, r.final.status, r.final.body
		r.final.send(x.w)
	}
}
