package replay

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"idem/analysis"
	"idem/engine"
)

// Step is the step at position n as seen from position at, 1 <= n <= at <= Frontier.
func (p *Player) Step(ctx context.Context, n, at int64) (Step, error) {
	steps, err := p.Steps(ctx, n, at, 1)
	if err != nil {
		return Step{}, err
	}
	if len(steps) == 0 {
		return Step{}, ErrEnd
	}
	return steps[0], nil
}

// Steps are up to limit steps from position from on, none beyond position at,
// and as seen from there: what ended later is still Running.
func (p *Player) Steps(ctx context.Context, from, at int64, limit int) ([]Step, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.steps(ctx, from, at, limit)
}

func (p *Player) steps(ctx context.Context, from, at int64, limit int) ([]Step, error) {
	at = min(at, p.frontier)
	steps, err := p.journal.steps(ctx, max(from, 1), min(at, from+int64(limit)-1))
	for i := range steps {
		steps[i].seenFrom(at)
	}
	return steps, err
}

// seenFrom takes back what position at has not seen yet.
func (s *Step) seenFrom(at int64) {
	if s.Done > at {
		s.Class, s.Status, s.Reason, s.Moved, s.Currency = Running, 0, "", 0, ""
		s.Done, s.DoneAt = 0, time.Time{}
	}
	if s.extra && s.Class != Running {
		s.Stopped = s.V1Moved - s.keptOf()
	}
}

// keptOf is the part of V1Moved that the engine moved too.
func (s *Step) keptOf() int64 {
	if s.Class == Created && s.V1Currency == s.Currency {
		return s.Moved
	}
	return 0
}

// Detail is the step at position n with its request and records, as seen from n.
func (p *Player) Detail(ctx context.Context, n int64) (Detail, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	steps, err := p.steps(ctx, n, n, 1)
	if err != nil {
		return Detail{}, err
	}
	if len(steps) == 0 {
		return Detail{}, ErrEnd
	}
	d := Detail{Step: steps[0]}
	if d.Request, err = p.request(ctx, d.N); err != nil {
		return Detail{}, fmt.Errorf("read request: %w", err)
	}
	d.accounts()
	d.fingerprint(p.policy)
	return d, p.records(ctx, &d)
}

func (d *Detail) accounts() {
	if order, refused, err := engine.ParseOrder(d.Request.Body); err == nil && refused == nil {
		d.Src.Account, d.Dst.Account = order.Src.Text, order.Dst.Text
	}
}

func (d *Detail) fingerprint(policy engine.Policy) {
	if d.Holder == 0 {
		return
	}
	r := engine.Request{Method: d.Request.Method, Target: d.Request.Endpoint, Body: d.Request.Body}
	if f, err := r.Fingerprint(policy.Fingerprint); err == nil {
		d.Fingerprint = f.String()
	}
}

// records fills in the key's record before and after the step, and the reply.
func (p *Player) records(ctx context.Context, d *Detail) (err error) {
	if d.Holder == 0 {
		d.Reply = engine.Reply{Status: d.Status, Reason: d.Reason}
		return nil
	}
	// A request that made no claim met the record as its predecessor left it: what
	// ended after its arrival, in the same step, it did not see.
	met := d.N - 1
	if d.Holder == d.N {
		met = d.N
	}
	if d.After, d.HolderSeq, err = p.record(ctx, d.Holder, met); err != nil {
		return err
	}
	switch {
	case d.Holder != d.N:
		d.Before = d.After
	case d.prior != 0:
		if d.Before, _, err = p.record(ctx, d.prior, d.N-1); err != nil {
			return err
		}
	}
	switch {
	case d.Class == Running:
	case d.After != nil && (d.Class == Replayed || d.Holder == d.N):
		d.Reply = d.After.Reply
	default:
		d.Reply = engine.Reply{Status: d.Status, Reason: d.Reason}
	}
	return nil
}

// record rebuilds the record whose claim position n made, as seen from position
// at: what the store held then, though it may hold another life of the key now.
func (p *Player) record(ctx context.Context, n, at int64) (*engine.Record, int64, error) {
	steps, err := p.journal.steps(ctx, n, n)
	if err != nil {
		return nil, 0, err
	}
	if len(steps) == 0 {
		return nil, 0, fmt.Errorf("step %d is missing from the journal", n)
	}
	s := steps[0]
	s.seenFrom(at)
	crashed := s.Reason == ReasonCrashed // its claim stands
	if s.Class != Running && !crashed && (s.Reason == ReasonClaimLost || !p.policy.Stores(s.Status)) {
		return nil, s.Seq, nil // the claim left no record
	}
	req, err := p.request(ctx, n)
	if err != nil {
		return nil, 0, fmt.Errorf("read request: %w", err)
	}
	row := prepare(&req, []engine.Policy{p.policy})
	claim, _ := row.claim(p.policy)
	r := engine.Record{
		Key: claim.Key, State: engine.InProgress, Fingerprint: claim.Fingerprint,
		Life: s.Life, Fence: s.Fence, Attempt: s.Attempt,
		ClaimedAt: s.At, LeaseUntil: s.At.Add(p.course.lease(&row)),
	}
	if s.Attempt > 1 {
		if r.ClaimedAt, err = p.journal.claimedAt(s.Life); err != nil {
			return nil, 0, err
		}
	}
	if s.Class != Running && !crashed {
		r.State, r.CompletedAt, r.Reply = engine.Completed, s.DoneAt, row.reply(&s)
	}
	return &r, s.Seq, nil
}

// reply is what the step's request was answered, rebuilt from what it did.
func (w *work) reply(s *Step) engine.Reply {
	if s.Class != Created {
		return engine.Reply{Status: s.Status, Reason: s.Reason}
	}
	return engine.TransferReply(w.order, TransferID(s.Seq), s.DoneAt)
}

// Counters are the sums up to position n <= Frontier; position 0 has zero sums.
func (p *Player) Counters(ctx context.Context, n int64) (Counters, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n >= p.frontier {
		var sums Counters
		err := sums.add(&p.course.sums)
		return sums, err
	}
	return p.journal.counters(ctx, n)
}

// Direction of a search.
type Direction int

// Directions.
const (
	Forward  Direction = 1
	Backward Direction = -1
)

// Target is what to look for. The zero Target matches nothing.
type Target struct {
	Classes   []Class // any of InFlight, Mismatch, Refused
	Duplicate bool    // or a request for which v1 made a duplicate
}

// Find looks for the nearest matching position up to the frontier, position from
// itself excluded; 0 when there is none.
func (p *Player) Find(_ context.Context, from int64, dir Direction, t Target) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best int64
	for _, where := range t.conditions() {
		n, err := p.journal.nearest(from, dir, where)
		if err != nil {
			return 0, err
		}
		if n != 0 && (best == 0 || (n < best) == (dir == Forward)) {
			best = n
		}
	}
	return best, nil
}

// conditions are the searches a target is made of, one partial index each.
func (t Target) conditions() []string {
	var list []string
	for _, c := range t.Classes {
		list = append(list, "class IN (3, 4, 5) AND class = "+string('0'+rune(c)))
	}
	if t.Duplicate {
		list = append(list, "extra = 1")
	}
	return list
}

func (j *journal) nearest(from int64, dir Direction, where string) (n int64, err error) {
	if err := j.settle(); err != nil {
		return 0, err
	}
	q := `SELECT coalesce(min(n), 0) FROM step WHERE n > ? AND ` + where
	if dir == Backward {
		q = strings.NewReplacer("min", "max", "n >", "n <").Replace(q)
	}
	if err := j.db.QueryRow(q, from).Scan(&n); err != nil {
		return 0, fmt.Errorf("search steps: %w", err)
	}
	return n, nil
}

// Peek is the request after the frontier, which is not sent by it; ErrEnd at the
// end of the day.
func (p *Player) Peek(ctx context.Context) (analysis.Request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.request(ctx, p.frontier+1)
}

// request reads the request at a position.
func (p *Player) request(ctx context.Context, n int64) (analysis.Request, error) {
	for req, err := range p.in.Requests(ctx, n) {
		req.Body = bytes.Clone(req.Body)
		return req, err
	}
	return analysis.Request{}, ErrEnd
}
