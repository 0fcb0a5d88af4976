package cli

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/report"
	"idem/tui"
)

// workbench is one start of the terminal app.
type workbench struct {
	path   string
	dir    string // private, removed when the app ends
	out    string
	policy engine.Policy
	langs  []report.Lang
	theme  string
	narrow analysis.Filter
	tour   bool
	start  tui.Start
	given  []string // flags of the command line
	lab    bool     // the incident was made on the spot
	record recordFlags
}

// run shows the workbench, and records it where that is asked for.
func (w workbench) run(ctx context.Context, s streams) error {
	w.keepsNothing()
	// Preparing the replay of a long day takes a while, which the screen need not
	// wait for; whether the file can be read at all is told before it.
	err := w.readable(ctx)
	// What may pass (a lock, a file that is being written) is told on the screen,
	// where it can be tried again; what will not is an error before it.
	if err != nil && !errors.Is(err, analysis.ErrLocked) && !errors.Is(err, analysis.ErrChanged) {
		return err
	}
	gatherLess()
	importing := &importer{work: w}
	cfg := w.config(ctx, s)
	cfg.OpenErr, cfg.Importer = err, importing
	// What a recording would replace is still there should the incident be unreadable.
	rec, err := w.record.open(w.path)
	if err != nil {
		return err
	}
	if rec != nil {
		cfg.Record, cfg.RecordIdle = rec, w.record.idle
	}
	code, err := tui.Run(ctx, cfg)
	importing.wait()
	err = rec.closedAfter(err)
	if err != nil && code == exitDone {
		code = exitFailed
	}
	switch {
	case err != nil:
		return &coded{code, err}
	case code != exitDone:
		return &coded{code: code}
	}
	return nil
}

func (w workbench) config(ctx context.Context, s streams) tui.Config {
	cfg := tui.Config{
		File: w.path, Narrow: w.narrow, OutDir: w.out, Version: Version, Policy: w.policy, Open: w.open,
		In: s.in.(*os.File), Out: s.out.(*os.File), NoColor: os.Getenv("NO_COLOR") != "", Theme: w.theme,
		StateDir: stateDir(), Log: logOf(ctx), Tour: w.tour,
		Start: w.start, Lab: w.lab, Flags: w.given,
	}
	if w.tour {
		cfg.StateDir = "" // a tour leaves nothing behind
	}
	return cfg
}

// stateDir is where the workbench keeps notes between its starts, by the rule of
// https://specifications.freedesktop.org/basedir-spec/; "" where there is no home.
func stateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "idem")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "idem")
}

// readable reports what is wrong with the incident's file. It does not wait long
// for a lock: the screen tells of one, and can wait better than a blank terminal.
func (w workbench) readable(ctx context.Context) error {
	in, err := analysis.Open(ctx, w.path, analysis.TempDir(w.dir), analysis.LockWait(200*time.Millisecond))
	if err != nil {
		return err
	}
	return in.Close()
}

// session is an opened incident with its replay, as the screens see it.
type session struct {
	inquiry
	in     *analysis.Incident
	rows   int64 // of req_log, at most
	policy engine.Policy
	dir    string
	langs  []report.Lang

	preparing sync.Mutex // guards player
	player    *replay.Player

	mu  sync.Mutex // guards what follows
	dup *analysis.Duplicates
	day *finished
}

// open opens the incident anew, or a part of it, in a private folder of its own.
func (w workbench) open(ctx context.Context, part analysis.Filter) (tui.Session, error) {
	opened := logged(ctx, "open", "bytes", fileSize(w.path))
	defer opened()
	whole, err := analysis.Open(ctx, w.path, analysis.TempDir(w.dir))
	if err != nil {
		return nil, err
	}
	in, err := whole.Narrow(ctx, part, analysis.TempDir(w.dir))
	if err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	dir, err := os.MkdirTemp(w.dir, "replay-")
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	rows, err := in.RequestsAtMost(ctx)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &session{inquiry: inquiry{in: in}, in: in, rows: rows, policy: w.policy, dir: dir, langs: w.langs}, nil
}

func (s *session) Total() int64                  { return s.rows }
func (s *session) Changed() bool                 { return s.in.Changed() }
func (s *session) Narrowing() analysis.Narrowing { return s.in.Narrowing() }

func (s *session) Player(ctx context.Context) (tui.Player, error) { return s.replay(ctx) }

// replay prepares the replay once; who comes while that runs waits for it.
func (s *session) replay(ctx context.Context) (*replay.Player, error) {
	s.preparing.Lock()
	defer s.preparing.Unlock()
	if s.player == nil {
		player, err := replay.New(ctx, s.in, s.policy, s.dir)
		if err != nil {
			return nil, err
		}
		s.player = player
	}
	return s.player, nil
}

func (s *session) Evidence(ctx context.Context) (analysis.Evidence, error) {
	return s.in.Evidence(ctx, nil)
}

func (s *session) Timeline(ctx context.Context, buckets int) (analysis.Timeline, error) {
	defer debug.FreeOSMemory()
	defer large()()
	return s.in.Timeline(ctx, buckets)
}

func (s *session) RequestsOf(ctx context.Context, key analysis.Scope) ([]analysis.Request, error) {
	return s.in.RequestsOf(ctx, key)
}

// Duplicates analyses once; who comes while that runs waits for it.
func (s *session) Duplicates(ctx context.Context, progress func(done, total int64)) (*analysis.Duplicates, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.duplicates(ctx, progress)
}

func (s *session) duplicates(ctx context.Context, progress func(done, total int64)) (*analysis.Duplicates, error) {
	if s.dup == nil {
		// What the analysis took is not needed again for as long as the app is open.
		defer debug.FreeOSMemory()
		defer large()()
		dup, err := s.in.Duplicates(ctx, progress)
		if err != nil {
			return nil, err
		}
		s.dup = dup
	}
	return s.dup, nil
}

// finished is the day's end with its report, made once.
func (s *session) finished(ctx context.Context) (*finished, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.day != nil {
		return s.day, nil
	}
	dup, err := s.duplicates(ctx, nil)
	if err != nil {
		return nil, err
	}
	player, err := s.replay(ctx)
	if err != nil {
		return nil, err
	}
	defer debug.FreeOSMemory()
	defer large()()
	day, err := finish(ctx, s.in, player, dup, nil)
	if err != nil {
		return nil, err
	}
	s.day = &day
	return s.day, nil
}

func (s *session) Result(ctx context.Context) (replay.Result, error) {
	day, err := s.finished(ctx)
	if err != nil {
		return replay.Result{}, err
	}
	return day.result, nil
}

func (s *session) Report(ctx context.Context) (string, error) {
	day, err := s.finished(ctx)
	if err != nil {
		return "", err
	}
	text, err := day.report.Markdown(s.shown())
	return string(text), err
}

func (s *session) Write(ctx context.Context, dir string) ([]string, error) {
	day, err := s.finished(ctx)
	if err != nil {
		return nil, err
	}
	defer debug.FreeOSMemory() // what a long list was written from
	defer large()()
	paths, err := day.report.Write(ctx, dir, s.langs...)
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	return names, err
}

func (s *session) Obstacle(dir string) error { return report.Obstacle(dir, s.in, s.langs...) }

func (s *session) Stale(dir string) []string { return report.Stale(dir, s.langs...) }

// Search streams the log from the position on, or up to it and keeps the last.
func (s *session) Search(ctx context.Context, text string, from int64, dir replay.Direction) (int64, error) {
	first, last := from+1, int64(math.MaxInt64)
	if dir == replay.Backward {
		first, last = 1, from-1
	}
	var found int64
	for r, err := range s.in.Requests(ctx, first) {
		if err != nil {
			return 0, err
		}
		if r.N > last {
			break
		}
		if strings.Contains(r.Key, text) || strings.Contains(r.ClientID, text) || strings.Contains(r.Endpoint, text) {
			if found = r.N; dir == replay.Forward {
				break
			}
		}
	}
	return found, nil
}

func (s *session) Close() error {
	s.preparing.Lock()
	defer s.preparing.Unlock()
	var err error
	if s.player != nil {
		err = s.player.Close()
	}
	return errors.Join(err, s.in.Close(), os.RemoveAll(s.dir))
}

// shown is the language of the report on the screen: the first that was asked
// for, and the report's own otherwise.
func (s *session) shown() report.Lang {
	if len(s.langs) > 0 {
		return s.langs[0]
	}
	return report.Korean
}
