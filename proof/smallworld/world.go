package smallworld

import (
	"time"

	"idem/engine"
)

// Rules are what a world is walked under; [Engine] are the real ones. Each can
// be exchanged for a wrong one.
type Rules struct {
	Decide    func(existing *engine.Record, c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error)
	Holds     func(existing *engine.Record, c engine.Completion, p engine.Policy) bool
	Settle    func(existing engine.Record, c engine.Completion, reply engine.Reply, p engine.Policy) (engine.Record, engine.Settlement)
	Purgeable func(r *engine.Record, cutoff, now time.Time) bool
	// Next is the token of the next claim, after last was given out.
	Next func(last engine.Fence, existing *engine.Record) engine.Fence
}

// Engine are the engine's rules.
func Engine() Rules {
	return Rules{
		Decide: engine.Decide, Holds: engine.Holds, Settle: engine.Settle, Purgeable: engine.Purgeable,
		Next: func(last engine.Fence, _ *engine.Record) engine.Fence { return last + 1 },
	}
}

// The size of the world. Times are in ticks.
const (
	clients   = 3
	sends     = 2 // of each client
	purges    = 2
	lease     = 2
	retention = 3
	horizon   = 6
	lives     = clients*sends + 1
)

// phase is where a client is.
type phase uint8

const (
	idle    phase = iota
	running       // it holds a claim, or thinks so
	ended         // it completed, and may do so once more, not knowing that it did
)

// client is one sender. Its first two have the same request, the last another.
type client struct {
	phase phase
	fence uint8
	life  uint8 // the onlooker's number of the life that it runs in
	left  uint8 // sends
}

func payload(i int) byte { return byte(i / 2) }

// state is everything there is, small and comparable.
type state struct {
	now    uint8
	record record
	last   uint8 // token given out
	purges uint8 // left
	client [clients]client
	seen   onlooker
}

// record is an engine.Record of this world.
type record struct {
	state                 engine.State // 0: there is none
	payload               byte
	life, fence, attempt  uint8
	claimedAt, leaseUntil uint8
	answer                uint8 // the onlooker's number of the life that the reply is of
}

// onlooker is what can be seen from outside.
type onlooker struct {
	life       uint8 // the present life's number, from 1
	open       bool  // it has not been purged
	completed  bool
	payload    byte
	holder     int8 // the client of the latest claim
	began      uint8
	leaseUntil uint8
	paid       [lives]uint8 // transfers, by life
}

func start() (s state) {
	s.purges = purges
	for i := range s.client {
		s.client[i].left = sends
	}
	return s
}

// policy is the world's: a second is a tick.
var policy = func() engine.Policy {
	p := engine.DefaultPolicy()
	p.Retention, p.Lease = retention*time.Second, lease*time.Second
	return p
}()

func instant(tick uint8) time.Time { return time.Unix(int64(tick), 0).UTC() }
func tick(t time.Time) uint8       { return uint8(t.Unix()) }

func fingerprint(payload byte) engine.Fingerprint { return engine.Fingerprint{2, payload} }

// real is the record as the engine knows it; nil for none.
func (r *record) real() *engine.Record {
	if r.state == 0 {
		return nil
	}
	out := &engine.Record{
		State: r.state, Fingerprint: fingerprint(r.payload), Life: engine.Fence(r.life), Fence: engine.Fence(r.fence),
		Attempt: int(r.attempt), ClaimedAt: instant(r.claimedAt), LeaseUntil: instant(r.leaseUntil),
	}
	if r.state == engine.Completed {
		out.Reply = engine.Reply{Status: 201, Body: []byte{r.answer}}
	}
	return out
}

func recordOf(r *engine.Record) record {
	out := record{
		state: r.State, payload: r.Fingerprint[1], life: uint8(r.Life), fence: uint8(r.Fence), attempt: uint8(r.Attempt),
		claimedAt: tick(r.ClaimedAt), leaseUntil: tick(r.LeaseUntil),
	}
	if r.State == engine.Completed {
		out.answer = r.Reply.Body[0]
	}
	return out
}
