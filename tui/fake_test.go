package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
)

// fake is a session without a database: a day of any length whose every text is
// the one given.
type fake struct {
	total, frontier int64
	comparing       time.Duration // how long a comparison takes
	ranking         time.Duration // how long a ranking takes
	broken          int64         // the position at which an invariant breaks; 0 for none
	text            string
	step            time.Duration // how long the engine takes for a request
	writing         time.Duration // how long the files take
	preparing       time.Duration // how long the replay does
	finding         time.Duration // how long the findings take
	reading         time.Duration // how long a row of the log takes
	importing       time.Duration // how long an import does
	imports         []ImportForm  // those that were asked for
	writes          int
	panics          bool
	part            analysis.Filter // that was opened last
}

func fakeConfig(f *fake) Config {
	return Config{File: f.text + ".db", OutDir: f.text, Version: "test", Policy: engine.DefaultPolicy(), Session: f, Importer: f,
		Open: func(_ context.Context, x analysis.Filter) (Session, error) { f.part = x; return f, nil }}
}

func (f *fake) Total() int64  { return f.total }
func (f *fake) Changed() bool { return false }
func (f *fake) Narrowing() (n analysis.Narrowing) {
	if n.Filter = f.part; !f.part.IsZero() {
		n.Requests, n.HiddenRequests = f.total, 2*f.total
	}
	return n
}
func (f *fake) Close() error { return nil }

func (f *fake) Player(context.Context) (Player, error) {
	time.Sleep(f.preparing)
	return f, nil
}

func (f *fake) Evidence(context.Context) (analysis.Evidence, error) {
	return analysis.Evidence{File: f.text, SHA256: strings.Repeat("ab", 32), Size: 1 << 20}, nil
}

func (f *fake) scope(i int64) analysis.Scope {
	return analysis.Scope{ClientID: f.text, Endpoint: f.text, Key: fmt.Sprint(f.text, i)}
}

func (f *fake) Duplicates(context.Context, func(done, total int64)) (*analysis.Duplicates, error) {
	d := &analysis.Duplicates{
		Requests: f.total, UniqueKeys: f.total / 2, BadRequests: 1, KeylessRequests: 2, UnmatchedCount: 1, KeyDiffersCount: 1,
		Bad:        []analysis.BadRow{{Table: f.text, Row: f.text, Column: f.text, Value: f.text, Reason: f.text}},
		Unmatched:  []analysis.TransferV1{{ID: f.text, Key: f.text, Src: f.text, Dst: f.text, Currency: f.text}},
		KeyDiffers: []analysis.KeyDifference{{TransferID: f.text, Transfer: f.text, Request: f.text}},
	}
	for i := range min(f.total, 1_000_000) {
		g := analysis.Group{Scope: f.scope(i), Requests: 2, Kept: f.text, Extra: []string{f.text + "x"}, Transfers: 2}
		g.Paid.Add(f.text, 1+i%7)
		d.Groups = append(d.Groups, g)
	}
	d.DoublePaid.Add(f.text, 1<<62)
	d.DoublePaid.Add("KRW", 5)
	return d, nil
}

func (f *fake) Timeline(context.Context, int) (analysis.Timeline, error) {
	return analysis.Timeline{Width: time.Hour, Requests: []int64{1, 0, 5}, Retries: []int64{0, 0, 1}}, nil
}

func (f *fake) RequestsOf(_ context.Context, key analysis.Scope) ([]analysis.Request, error) {
	return []analysis.Request{f.request(1), f.request(2)}, nil
}

func (f *fake) Search(context.Context, string, int64, replay.Direction) (int64, error) { return 0, nil }

func (f *fake) Result(context.Context) (replay.Result, error) {
	r := replay.Result{Total: f.total, Policy: engine.DefaultPolicy(), LongestGap: 100 * time.Hour}
	r.Stopped.Add(f.text, 1)
	r.OnlyReplay.Add(f.text, 2)
	r.Unmatched.Add("KRW", 2)
	return r, nil
}

func (f *fake) Report(context.Context) (string, error) {
	return "# " + f.text + "\n\n| a | b |\n|---|---|\n| `" + f.text + "` | &#27;[2J &#x9b;31m |\n\n[link](http://example.org/" + f.text + ")\n", nil
}

func (f *fake) Obstacle(string) error { return nil }

func (f *fake) Stale(string) []string { return []string{f.text} }

func (f *fake) Write(ctx context.Context, _ string) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(f.writing):
	}
	f.writes++
	return []string{f.text, "day.db"}, nil
}

func (f *fake) Frontier() int64 { return f.frontier }

func (f *fake) RunTo(ctx context.Context, n int64, until func(*replay.Step) bool, _ func(done, total int64)) error {
	if f.panics {
		panic("the engine broke")
	}
	for f.frontier < min(n, f.total) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(f.step)
		f.frontier++
		s, _ := f.Step(ctx, f.frontier, f.frontier)
		_, s.Broken = f.Breach()
		if until != nil && until(&s) {
			return nil
		}
	}
	return nil
}

func (f *fake) Step(_ context.Context, n, _ int64) (replay.Step, error) {
	if n < 1 || n > f.frontier {
		return replay.Step{}, replay.ErrEnd
	}
	class := replay.Classes[n%5]
	b := replay.Balances{Account: f.text, Known: n%2 == 0, Engine: 1 << 60, V1: -n}
	return replay.Step{
		N: n, Seq: n, At: time.Unix(n, 0), Class: class, Status: 200, Reason: f.text, Holder: n - n%3, Moved: n % 2, Currency: f.text,
		V1Count: 1, V1Moved: n << 32, V1Currency: f.text, Src: b, Dst: b,
	}, nil
}

func (f *fake) Steps(ctx context.Context, from, at int64, limit int) (list []replay.Step, err error) {
	for n := from; n <= at && len(list) < limit; n++ {
		s, err := f.Step(ctx, n, at)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (f *fake) request(n int64) analysis.Request {
	return analysis.Request{
		N: n, Seq: n, RawTime: f.text, ClientID: f.text, Endpoint: f.text, Key: f.text, Body: []byte(f.text), Method: f.text, Node: f.text,
		Unusable:  f.text,
		Transfers: []analysis.TransferV1{{ID: f.text, Amount: n, Currency: f.text}, {ID: f.text + "x", Amount: n, Currency: f.text}},
	}
}

func (f *fake) Detail(ctx context.Context, n int64) (replay.Detail, error) {
	s, err := f.Step(ctx, n, n)
	r := &engine.Record{State: engine.Completed, Attempt: 1, Fence: 2}
	return replay.Detail{Step: s, Request: f.request(n), Fingerprint: f.text, Before: r, After: r,
		Reply: engine.Reply{Status: 200, Reason: f.text, Body: []byte(f.text)}}, err
}

func (f *fake) Counters(_ context.Context, n int64) (c replay.Counters, err error) {
	if n > f.frontier {
		return c, errors.New("beyond the frontier")
	}
	c.Requests, c.Created, c.Running = n, n, n%3
	c.Stopped.Add(f.text, n)
	return c, nil
}

func (f *fake) Rank(ctx context.Context, r replay.Ranking) (part replay.Part, err error) {
	time.Sleep(f.ranking)
	part.Of, part.Seen = f.frontier, f.frontier
	first := int64(1)
	switch {
	case r.After != nil && r.Back:
		first = max(1, r.After.N-int64(r.Limit))
	case r.After != nil:
		first = r.After.N + 1
	case r.Back:
		first = max(1, f.frontier-int64(r.Limit)+1)
	}
	for n := first; n <= f.frontier && len(part.Steps) < r.Limit && (!r.Back || r.After == nil || n < r.After.N); n++ {
		part.Steps = append(part.Steps, replay.Ranked{N: n})
	}
	return part, ctx.Err()
}

func (f *fake) Breach() (b replay.Breach, ok bool) {
	if f.broken == 0 || f.frontier < f.broken {
		return b, false
	}
	return replay.Breach{At: f.broken, N: f.broken, Invariant: replay.OneTransfer, Why: f.text}, true
}

func (f *fake) Find(ctx context.Context, from int64, dir replay.Direction, t replay.Target) (int64, error) {
	for n := from + int64(dir); n >= 1 && n <= f.frontier; n += int64(dir) {
		if s, _ := f.Step(ctx, n, n); matches(t, &s) {
			return n, nil
		}
	}
	return 0, nil
}
