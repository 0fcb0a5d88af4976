package classroom

import (
	"bytes"
	"context"

	"idem/engine"
)

// lookUpFirst looks whether there is a record, runs the request, and inserts the
// record at the end. Between the look and the insertion everyone else looks, too.
type lookUpFirst struct {
	engine.Store
	last    engine.Fence // its own tokens count down, so as not to meet the store's
	claimed map[engine.Fence]engine.Claim
}

func newLookUpFirst(s engine.Store) engine.Store {
	return &lookUpFirst{Store: s, claimed: map[engine.Fence]engine.Claim{}}
}

func (s *lookUpFirst) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	found, err := recordOf(ctx, s.Store, c.Key)
	if err != nil {
		return engine.Verdict{}, err
	}
	s.last--
	s.claimed[s.last] = c
	return engine.Decide(found, c, s.last, p)
}

func (s *lookUpFirst) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	claim := s.claimed[c.Fence]
	delete(s.claimed, c.Fence)
	reply, err := runAlone(ctx, s.Store, effect)
	if err != nil {
		return engine.Record{}, 0, err
	}
	v, err := s.Store.Claim(ctx, claim, p)
	if err != nil || v.Outcome != engine.Fresh {
		return v.Record, engine.Kept, err // somebody was faster, and the money has moved
	}
	c.Fence = v.Record.Fence
	return s.Store.Complete(ctx, c, p, just(reply))
}

// completeFirst writes the record as completed before the money moves. Retries
// are told of a success that a crash in between makes a lie.
type completeFirst struct {
	engine.Store
	replies map[engine.ScopedKey]engine.Reply // once the money has moved
}

func newCompleteFirst(s engine.Store) engine.Store {
	return &completeFirst{Store: s, replies: map[engine.ScopedKey]engine.Reply{}}
}

func (s *completeFirst) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	v, err := s.Store.Claim(ctx, c, p)
	if err != nil {
		return v, err
	}
	if reply, known := s.replies[c.Key]; known && v.Outcome == engine.Replay {
		v.Record.Reply = reply
	}
	if v.Outcome == engine.Fresh {
		delete(s.replies, c.Key)
		done := engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: c.Now}
		_, _, err = s.Store.Complete(ctx, done, p, just(engine.Reply{Status: 201}))
	}
	return v, err
}

func (s *completeFirst) Complete(ctx context.Context, c engine.Completion, _ engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	reply, err := runAlone(ctx, s.Store, effect)
	s.replies[c.Key] = reply
	return engine.Record{}, engine.Kept, err
}

// computeAnew answers a retry with a reply made at that moment instead of the
// stored one.
type computeAnew struct{ engine.Store }

func newComputeAnew(s engine.Store) engine.Store { return computeAnew{s} }

func (s computeAnew) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	v, err := s.Store.Claim(ctx, c, p)
	if err == nil && v.Outcome == engine.Replay {
		then, now := engine.FormatInstant(v.Record.CompletedAt), engine.FormatInstant(c.Now)
		v.Record.Reply.Body = bytes.ReplaceAll(v.Record.Reply.Body, []byte(then), []byte(now))
	}
	return v, err
}

// noFence completes whatever claim there is: a worker that was taken over, and
// comes back, is believed.
type noFence struct{ engine.Store }

func newNoFence(s engine.Store) engine.Store { return noFence{s} }

func (s noFence) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	found, err := recordOf(ctx, s.Store, c.Key)
	if err != nil || found == nil {
		return engine.Record{}, engine.Lost, err
	}
	if found.State == engine.InProgress {
		c.Fence = found.Fence // the check that is missing
		return s.Store.Complete(ctx, c, p, effect)
	}
	_, err = runAlone(ctx, s.Store, effect)
	return *found, engine.Kept, err
}

func recordOf(ctx context.Context, s engine.Store, key engine.ScopedKey) (r *engine.Record, err error) {
	err = s.View(ctx, func(tx engine.Tx) error {
		r, err = tx.Record(ctx, key)
		return err
	})
	return r, err
}

// runAlone runs an effect in a transaction of its own, tied to no claim.
func runAlone(ctx context.Context, s engine.Store, effect engine.Effect) (reply engine.Reply, err error) {
	err = s.Update(ctx, func(tx engine.Tx) error {
		reply, err = effect(ctx, tx)
		return err
	})
	return reply, err
}

// just is an effect that changes nothing and has its reply.
func just(reply engine.Reply) engine.Effect {
	return func(context.Context, engine.Tx) (engine.Reply, error) { return reply, nil }
}
