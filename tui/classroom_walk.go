package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"idem/analysis"
	"idem/analysis/classroom"
	"idem/analysis/replay"
	"idem/engine"
)

// walkTime is how long a command walks before it shows how far it is.
const walkTime = 80 * time.Millisecond

// roundsMost is how many of the last rounds are kept, and seenMost of how many
// keys it is known what was sent under them before.
const (
	roundsMost = 500
	seenMost   = 200_000
)

// walker goes through a lesson. Only the command that runs touches it, and only
// one does at a time.
type walker struct {
	day    replay.Source
	lesson classroom.Lesson
	policy engine.Policy
	inject replay.Options
	duel   *classroom.Duel // nil until the first command began it
	seen   map[string]upcoming
}

// upcoming is a request as a trainee sees it before it is sent.
type upcoming struct {
	n, seq           int64
	at               time.Time
	took             time.Duration
	client, endpoint string
	key              string
	order            string // what it asks for; text that can be drawn
	before           int64  // the last position with its client, endpoint and key; 0 for none
	sameOrder        bool   // and that one asked for the same
	gap              time.Duration
	runs             bool // and still ran when this one arrived, by the log
}

// aim is where a walk is to end: at a position, at the first difference, or where
// an invariant breaks.
type aim struct {
	n       int64
	diverge bool
	breach  bool
}

// taught is a round with the request that it was about.
type taught struct {
	about upcoming
	*classroom.Round
}

// walked is what a command found.
type walked struct {
	rounds  []taught
	next    *upcoming // nil at the end of the day
	total   int64
	first   int64
	reached bool
	verdict *classroom.Verdict
}

// walk sends requests until the aim is reached or the time is over.
func (k *walker) walk(ctx context.Context, to aim) (out walked, err error) {
	if err = k.begin(ctx); err != nil {
		return out, err
	}
	for end := time.Now().Add(walkTime); ; {
		next, err := k.peek()
		if err != nil {
			return out, err
		}
		out.next, out.total, out.first = next, k.duel.Total(), k.duel.First()
		switch {
		case next == nil:
			out.reached = true
			out.verdict, err = k.duel.Run(ctx, nil)
			return out, err
		case k.duel.Sent() >= to.n:
			out.reached = true
			return out, nil
		case len(out.rounds) > 0 && !time.Now().Before(end):
			return out, nil
		}
		r, err := k.duel.Send(ctx)
		if err != nil {
			return out, err
		}
		k.remember(next)
		out.rounds = append(out.rounds[max(0, len(out.rounds)+1-roundsMost):], taught{*next, r})
		if (to.diverge && r.Diverged) || (to.breach && len(r.Violations) > 0) {
			to.n = r.N
		}
	}
}

func (k *walker) begin(ctx context.Context) (err error) {
	if k.duel == nil {
		k.seen = map[string]upcoming{}
		k.duel, err = classroom.Begin(ctx, k.day, k.lesson, k.policy, k.inject)
	}
	return err
}

// peek is the next request; nil at the end of the day.
func (k *walker) peek() (*upcoming, error) {
	r, err := k.duel.Next()
	if errors.Is(err, classroom.ErrEnd) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	req := r.Request()
	u := upcoming{n: r.N(), seq: r.Seq(), at: r.ReceivedAt(), took: r.Duration(), client: req.ClientID, endpoint: req.Endpoint, key: req.Key}
	switch o, ok := r.Order(); {
	case ok:
		u.order = fmt.Sprintf("%s → %s  %s", show(o.Src.Text, 24), show(o.Dst.Text, 24), money(o.Amount, o.Currency))
	case r.Usable():
		u.order = "no payment: its handler refuses it, or the log shows an error"
	default:
		u.order = "no key, or a body that cannot be read"
	}
	if b, known := k.seen[u.scope()]; known && r.Usable() {
		u.before, u.sameOrder, u.gap = b.n, b.order == u.order, u.at.Sub(b.at)
		u.runs = b.took > u.gap
	}
	return &u, nil
}

func (k *walker) remember(u *upcoming) {
	if len(k.seen) < seenMost {
		k.seen[u.scope()] = *u
	}
}

func (u *upcoming) scope() string { return fmt.Sprintf("%q %q %q", u.client, u.endpoint, u.key) }

// close ends the walk. No command may run any more.
func (k *walker) close() {
	if k.duel != nil {
		k.duel.Close()
	}
}

// paged reads a day in pages, so that a trainee who thinks holds no cursor open.
type paged struct{ replay.Source }

// A page has at most so many requests, and bytes of bodies as soon as the last
// one exceeds them.
const (
	pageOf    = 4096
	pageBytes = 4 << 20
)

func (p paged) Requests(ctx context.Context, from int64) iter.Seq2[analysis.Request, error] {
	return func(yield func(analysis.Request, error) bool) {
		for {
			page, more, err := p.page(ctx, from)
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if err != nil {
				yield(analysis.Request{}, err)
				return
			}
			if !more {
				return
			}
			from += int64(len(page))
		}
	}
}

// page reads the requests from a position on; more is false behind the last one.
func (p paged) page(ctx context.Context, from int64) (page []analysis.Request, more bool, err error) {
	bytes := 0
	for r, err := range p.Source.Requests(ctx, from) {
		if err != nil {
			return page, false, err
		}
		r.Body = slices.Clone(r.Body) // the next row takes its place
		page = append(page, r)
		if bytes += len(r.Body); len(page) == pageOf || bytes > pageBytes {
			return page, true, nil
		}
	}
	return page, false, ctx.Err()
}
