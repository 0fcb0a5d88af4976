//go:build faults

package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"idem/engine"
	"idem/engine/fault"
	"idem/proof/linear"
)

// request is what a client sends, and what becomes of it.
type request struct {
	client, worker int
	key            string
	variant        uint8
	order          engine.Order
	place          int // in the history of what clients saw
}

// send begins a request of a client at a server.
func (w *world) send(s *server, key string, variant uint8) {
	w.workers++
	r := &request{client: w.random.IntN(3), worker: w.workers, key: key, variant: variant}
	w.history.add("server %d: worker %d begins for client %d, key %s, request %d", s.n, r.worker, r.client, key, variant)
	r.place = w.history.sent(r.client, linear.Input{Key: key, Variant: variant})
	w.begin(s, func() { w.serve(s, r) })
}

// begin starts a worker and lets it come to its first place.
func (w *world) begin(s *server, work func()) {
	s.workers++
	w.running++
	w.active = s
	go func() {
		work()
		s.workers--
		w.running--
	}()
	w.settle()
}

// serve is what a server does with a request: claim, handle, complete, reply.
func (w *world) serve(s *server, r *request) {
	if w.park(s, r.worker, "arrives") != nil {
		return
	}
	body := []byte(w.bodies[r.variant-1])
	claim, err := w.policy.Claim(engine.Request{ClientID: "shop", Endpoint: "/t", Key: r.key, Body: body}, w.now)
	if err != nil {
		w.fail("a claim is not made: %v", err)
		return
	}
	v, err := w.claims(s, r.worker, claim)
	switch {
	case errors.Is(err, errAbandoned):
		return
	case err != nil:
		w.reply(s, r, linear.Unknown, engine.Answer{Status: 503})
	case v.Outcome != engine.Fresh:
		w.noteVerdict(&v)
		w.reply(s, r, kinds[v.Outcome], v.Answer(w.policy))
	default:
		w.noteVerdict(&v)
		w.handle(s, r, v.Record, body)
	}
}

var kinds = map[engine.Outcome]linear.Kind{engine.Replay: linear.Replayed, engine.InFlight: linear.Conflict, engine.Mismatch: linear.Mismatch}

// handle runs the request under its claim. A completion that failed may be tried
// again, and one that succeeded may, too, by a worker who does not know it.
func (w *world) handle(s *server, r *request, claimed engine.Record, body []byte) {
	order, refused, err := engine.ParseOrder(body)
	if err != nil || refused != nil {
		w.fail("an order is not read: %v, %v", refused, err)
		return
	}
	r.order = order
	answered := false
	for tries := 1; ; tries++ {
		if w.park(s, r.worker, "handled") != nil {
			return
		}
		at := w.now
		done := engine.Completion{Key: claimed.Key, Fence: claimed.Fence, Now: at}
		record, settled, err := w.completes(s, r.worker, done, pay(order, w.transferID(r.worker, tries), at))
		if errors.Is(err, errAbandoned) {
			return
		}
		again := tries < 3 && w.random.IntN(4) == 0 && !w.calm
		switch {
		case answered:
			w.noteAgain(settled, err)
		case err == nil:
			answered = true
			w.settled(s, r, record, settled)
		case !again:
			w.reply(s, r, linear.Unknown, engine.Answer{Status: 503})
		}
		if !again || settled == engine.Lost {
			return
		}
	}
}

func (w *world) transferID(worker, tries int) string {
	return fmt.Sprintf("T%d-%d-%d", w.n, worker, tries)
}

func pay(o engine.Order, id string, at time.Time) engine.Effect {
	return func(ctx context.Context, tx engine.Tx) (engine.Reply, error) { return engine.Pay(ctx, tx, o, id, at) }
}

// settled answers a completion.
func (w *world) settled(s *server, r *request, record engine.Record, settled engine.Settlement) {
	switch settled {
	case engine.Kept:
		w.Counters.Kept++
		w.reply(s, r, linear.Created, engine.AnswerOf(record.Reply, false))
	case engine.Released:
		w.Counters.Released++
		w.reply(s, r, linear.Unknown, engine.Answer{Status: 402})
	default:
		w.Counters.Stale++
		w.reply(s, r, linear.Unknown, engine.LostAnswer(w.policy))
	}
}

// reply sends an answer, unless the server crashes before.
func (w *world) reply(s *server, r *request, kind linear.Kind, a engine.Answer) {
	w.Counters.count(fault.BeforeReply)
	if w.park(s, r.worker, fault.BeforeReply) != nil {
		return
	}
	reason := ""
	if a.Reason != nil {
		reason = *a.Reason
	}
	w.history.add("server %d: worker %d answers %d %s%s", s.n, r.worker, a.Status, reason, a.Body)
	w.history.answered(r.place, linear.Output{Kind: kind, Body: fmt.Sprint(a.Status, reason, string(a.Body))}, a)
}

// purge begins one, of what was claimed some time ago.
func (w *world) purge(s *server) {
	w.workers++
	worker := w.workers
	age := pick(w.random, 99, 100, w.policy.Lease, 0)
	w.history.add("server %d: worker %d purges what is %d ns old", s.n, worker, age)
	w.begin(s, func() {
		if w.park(s, worker, "arrives") != nil {
			return
		}
		live, expired := w.purgeable(w.now.Add(-age))
		n, err := w.purgesBefore(s, worker, w.now.Add(-age))
		if err != nil {
			return
		}
		w.history.add("server %d: worker %d purged %d", s.n, worker, n)
		w.Counters.Purged += int64(n)
		if n > 0 {
			w.Counters.PurgedExpired += expired
			w.Counters.PurgesSparing += live
		}
	})
}
