package tui

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/report"
)

// Source says how an incident is opened.
type Source struct {
	Path    string
	Policy  engine.Policy
	Version string        // of the program, for the evidence
	Langs   []report.Lang // further languages of the report
	Dir     string        // for private files; "" is the system's
}

// live is a Session on an incident database.
type live struct {
	source   Source
	in       *analysis.Incident
	total    int64
	player   once[*replay.Player]
	dir      string // of the replayed ledger; private
	evidence once[analysis.Evidence]
	found    once[*analysis.Duplicates]
	result   once[replay.Result]
	report   once[*report.Report]
}

// once keeps the answer to a question that is costly to ask. An error is not
// kept: the next one asks again.
type once[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

func (o *once[T]) get(ask func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known {
		return o.value, nil
	}
	value, err := ask()
	if err == nil {
		o.known, o.value = true, value
	}
	return value, err
}

// Open opens an incident and prepares its replay, whose ledger is made in a
// private folder that Close removes. Errors are those of [analysis.Open].
func (s Source) Open(ctx context.Context, part analysis.Filter) (Session, error) {
	whole, err := analysis.Open(ctx, s.Path, analysis.TempDir(s.Dir))
	if err != nil {
		return nil, err
	}
	in, err := whole.Narrow(ctx, part, analysis.TempDir(s.Dir))
	if err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	dir, err := os.MkdirTemp(s.Dir, "idem-day-")
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	total, err := in.RequestsAtMost(ctx)
	if err != nil {
		return nil, errors.Join(err, in.Close(), os.RemoveAll(dir))
	}
	return &live{source: s, in: in, total: total, dir: dir}, nil
}

func (l *live) Total() int64  { return l.total }
func (l *live) Changed() bool { return l.in.Changed() }

func (l *live) Narrowing() analysis.Narrowing { return l.in.Narrowing() }

func (l *live) Player(ctx context.Context) (Player, error) { return l.replay(ctx) }

func (l *live) replay(ctx context.Context) (*replay.Player, error) {
	return l.player.get(func() (*replay.Player, error) { return replay.New(ctx, l.in, l.source.Policy, l.dir) })
}

func (l *live) Close() error {
	l.player.mu.Lock() // waits for one that is being prepared
	defer l.player.mu.Unlock()
	var err error
	if l.player.known {
		err = l.player.value.Close()
	}
	return errors.Join(err, l.in.Close(), os.RemoveAll(l.dir))
}

func (l *live) Evidence(ctx context.Context) (analysis.Evidence, error) {
	return l.evidence.get(func() (analysis.Evidence, error) { return l.in.Evidence(ctx, nil) })
}

func (l *live) Duplicates(ctx context.Context, progress func(done, total int64)) (*analysis.Duplicates, error) {
	return l.found.get(func() (*analysis.Duplicates, error) { return l.in.Duplicates(ctx, progress) })
}

func (l *live) Timeline(ctx context.Context, buckets int) (analysis.Timeline, error) {
	return l.in.Timeline(ctx, buckets)
}

func (l *live) RequestsOf(ctx context.Context, key analysis.Scope) ([]analysis.Request, error) {
	return l.in.RequestsOf(ctx, key)
}

// Search reads the log from the position on; backwards, from its beginning.
func (l *live) Search(ctx context.Context, text string, from int64, dir replay.Direction) (int64, error) {
	start := from + 1
	if dir == replay.Backward {
		start = 1
	}
	text = strings.ToLower(text)
	last := int64(0)
	for r, err := range l.in.Requests(ctx, start) {
		switch {
		case err != nil:
			return 0, err
		case dir == replay.Backward && r.N >= from:
			return last, nil
		case !holds(&r, text):
		case dir == replay.Forward:
			return r.N, nil
		default:
			last = r.N
		}
	}
	return last, nil
}

// holds reports whether a request's key, client or endpoint has a text in it.
func holds(r *analysis.Request, lower string) bool {
	return strings.Contains(strings.ToLower(r.Key), lower) ||
		strings.Contains(strings.ToLower(r.ClientID), lower) ||
		strings.Contains(strings.ToLower(r.Endpoint), lower)
}

func (l *live) Result(ctx context.Context) (replay.Result, error) {
	return l.result.get(func() (replay.Result, error) {
		found, err := l.Duplicates(ctx, nil)
		if err != nil {
			return replay.Result{}, err
		}
		player, err := l.replay(ctx)
		if err != nil {
			return replay.Result{}, err
		}
		return player.Result(ctx, found)
	})
}

// checked is the day with its figures checked against the replayed ledger.
func (l *live) checked(ctx context.Context) (*report.Report, error) {
	return l.report.get(func() (*report.Report, error) {
		result, err := l.Result(ctx)
		if err != nil {
			return nil, err
		}
		found, err := l.Duplicates(ctx, nil)
		if err != nil {
			return nil, err
		}
		evidence, err := l.Evidence(ctx)
		if err != nil {
			return nil, err
		}
		return report.Prepare(ctx, report.Day{Incident: l.in, Duplicates: found, Result: result,
			DayDB: l.player.value.DayDB(), Evidence: evidence, Version: l.source.Version})
	})
}

func (l *live) Report(ctx context.Context) (string, error) {
	r, err := l.checked(ctx)
	if err != nil {
		return "", err
	}
	text, err := r.Markdown(report.Languages()[0])
	return string(text), err
}

func (l *live) Write(ctx context.Context, dir string) ([]string, error) {
	r, err := l.checked(ctx)
	if err != nil {
		return nil, err
	}
	return r.Write(ctx, dir, l.source.Langs...)
}

func (l *live) Obstacle(dir string) error { return report.Obstacle(dir, l.in, l.source.Langs...) }

func (l *live) Stale(dir string) []string { return report.Stale(dir, l.source.Langs...) }
