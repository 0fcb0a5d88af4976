package smallworld

import (
	"fmt"

	"idem/engine"
)

// action is something that can happen next.
type action struct {
	kind kind
	who  int
}

type kind uint8

const (
	ticks     kind = iota // time goes on
	purge                 // everything claimed until now is purged, as far as the rules let it
	send                  // a client sends its request
	completes             // the client's work is done, and its effect is to be committed
	crashes               // the client's server is gone
)

func (a action) String() string {
	who := string(rune('A' + a.who))
	return [...]string{"a tick passes", "a purge runs", who + " sends", who + " completes", who + "'s server crashes"}[a.kind]
}

// actions are all that can happen in a state.
func (s *state) actions(out []action) []action {
	if s.now < horizon {
		out = append(out, action{ticks, 0})
	}
	if s.purges > 0 && s.record.state != 0 {
		out = append(out, action{purge, 0})
	}
	for i, c := range s.client {
		switch {
		case c.phase == running:
			out = append(out, action{completes, i}, action{crashes, i})
		case c.left > 0:
			out = append(out, action{send, i})
		}
		if c.phase == ended {
			out = append(out, action{completes, i})
		}
	}
	return out
}

// walker applies actions under some rules.
type walker struct {
	rules Rules
	// counts are how often each thing happened, so that a walk which never came
	// to the dangerous places is noticed.
	counts map[string]int
}

// apply does an action. told is what the client was answered; broken is the
// invariant that it broke, "" for none.
func (w *walker) apply(s *state, a action) (told, broken string) {
	switch a.kind {
	case ticks:
		s.now++
	case purge:
		told = w.purge(s)
	case send:
		told, broken = w.send(s, a.who)
	case completes:
		told, broken = w.complete(s, a.who)
	case crashes:
		s.client[a.who].phase = idle
		told = "its claim stays behind"
	}
	if told != "" {
		w.counts[told]++
	}
	return told, broken
}

func (w *walker) purge(s *state) string {
	s.purges--
	if r := s.record.real(); w.rules.Purgeable(r, instant(s.now+1), instant(s.now)) {
		s.record, s.seen.open = record{}, false
		return "the key is purged"
	}
	return "the key is spared"
}

func (w *walker) send(s *state, who int) (told, broken string) {
	c := &s.client[who]
	c.left--
	existing := s.record.real()
	claim := engine.Claim{Fingerprint: fingerprint(payload(who)), Now: instant(s.now), Lease: policy.Lease}
	v, err := w.rules.Decide(existing, claim, w.rules.Next(engine.Fence(s.last), existing), policy)
	if err != nil {
		return "", "the rules fail: " + err.Error()
	}
	if broken = s.seen.judge(s.now, payload(who), &v); v.Outcome != engine.Fresh {
		c.phase = idle
		return "it is answered " + v.Outcome.String(), broken
	}
	s.record, s.last = recordOf(&v.Record), max(s.last, uint8(v.Record.Fence))
	told = "it has the key"
	if v.Takeover() {
		told = "it takes the key over"
	} else {
		s.seen.begin(s.now, payload(who))
	}
	s.seen.holder, s.seen.leaseUntil = int8(who), s.now+lease
	c.phase, c.fence, c.life = running, s.record.fence, s.seen.life
	return told, broken
}

func (w *walker) complete(s *state, who int) (told, broken string) {
	c := &s.client[who]
	again := c.phase == ended
	c.phase = ended
	if again {
		c.phase = idle
	}
	existing := s.record.real()
	done := engine.Completion{Fence: engine.Fence(c.fence), Now: instant(s.now)}
	if !w.rules.Holds(existing, done, policy) {
		return "it has lost its claim", s.seen.lost(s.now, who, c.life, again)
	}
	next, settled := w.rules.Settle(*existing, done, engine.Reply{Status: 201, Body: []byte{s.seen.life}}, policy)
	if settled != engine.Kept {
		return "", "a success is not kept"
	}
	s.record = recordOf(&next)
	return "its money moves", s.seen.pay(who, c.life)
}

// begin notes that a new life of the key begins.
func (o *onlooker) begin(now uint8, payload byte) {
	o.life++
	o.open, o.completed, o.began, o.payload = true, false, now, payload
}

// valid reports whether the key is in a life that answers retries.
func (o *onlooker) valid(now uint8) bool { return o.open && now < o.began+retention }

// live reports whether somebody may be running under a lease.
func (o *onlooker) live(now uint8) bool { return !o.completed && now < o.leaseUntil }

// judge says what is wrong with an answer to a claim.
func (o *onlooker) judge(now uint8, payload byte, v *engine.Verdict) string {
	valid := o.valid(now)
	switch {
	case v.Outcome == engine.Fresh && valid && (o.completed || o.live(now) || payload != o.payload):
		return "a key is given out that is held or used"
	case v.Outcome == engine.Replay && (!valid || !o.completed || payload != o.payload):
		return "a result is replayed that is not the request's, or not any more"
	case v.Outcome == engine.Replay && (v.Record.Reply.Body[0] != o.life || o.paid[o.life] != 1):
		return "a success is replayed that has not exactly its one transfer"
	case v.Outcome == engine.InFlight && (!valid || !o.live(now) || payload != o.payload):
		return "409 is answered while nothing like it runs"
	case v.Outcome == engine.Mismatch && (!valid || payload == o.payload):
		return "422 is answered to a request that is no other"
	}
	return ""
}

// lost says what is wrong with the loss of a claim: who has it, under a lease
// that is live, must not lose it.
func (o *onlooker) lost(now uint8, who int, life uint8, again bool) string {
	if !again && int(o.holder) == who && life == o.life && o.live(now) && now < o.began+retention {
		return "a live claim is lost"
	}
	return ""
}

// pay notes a transfer and says what is wrong with it.
func (o *onlooker) pay(who int, life uint8) string {
	o.paid[life]++
	stale := int(o.holder) != who || life != o.life
	o.completed = o.completed || !stale
	switch {
	case o.paid[life] > 1:
		return fmt.Sprintf("one life of the key pays %d times", o.paid[life])
	case stale:
		return "a stale token moves money"
	}
	return ""
}
