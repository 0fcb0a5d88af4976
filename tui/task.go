package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

// task is something that a screen finds out and that may take long: one run of
// it at a time, and only the newest counts. Its address tells it from others.
type task struct {
	run  int // number of the newest run
	busy bool
	halt context.CancelFunc
	far  *meter
}

type (
	// taskMsg is what a run found; got is nil where err is not.
	taskMsg struct {
		of  *task
		run int
		got any
		err error
	}
	// beatMsg has a screen drawn again while a run goes on.
	beatMsg struct {
		of  *task
		run int
	}
)

// start begins a run and gives up the one before it. Ask is called in a command.
func (t *task) start(ctx context.Context, ask func(ctx context.Context, progress func(done, total int64)) (any, error)) tea.Cmd {
	t.stop()
	ctx, halt := context.WithCancel(ctx)
	t.busy, t.halt, t.far = true, halt, new(meter)
	run, far := t.run, t.far
	return tea.Batch(t.tick(run), func() tea.Msg {
		defer halt()
		got, err := ask(ctx, far.set)
		return taskMsg{t, run, got, err}
	})
}

// stop gives up what runs; false when nothing does.
func (t *task) stop() bool {
	on := t.busy
	if on {
		t.halt()
	}
	t.run++
	t.busy = false
	return on
}

// took reports whether a message is the end of the newest run.
func (t *task) took(msg taskMsg) bool {
	if msg.of != t || msg.run != t.run || !t.busy {
		return false
	}
	t.busy = false
	return !errors.Is(msg.err, context.Canceled)
}

// beat goes on beating for as long as the run that it belongs to.
func (t *task) beat(msg beatMsg) tea.Cmd {
	if msg.of != t || msg.run != t.run || !t.busy {
		return nil
	}
	return t.tick(msg.run)
}

func (t *task) tick(run int) tea.Cmd {
	return tea.Tick(countEvery, func(time.Time) tea.Msg { return beatMsg{t, run} })
}

// text is how far the run is, for people.
func (t *task) text(doing string) string {
	if !t.busy {
		return ""
	}
	done, total := t.far.done.Load(), t.far.total.Load()
	switch {
	case total > 0:
		return doing + "… " + number(min(done*100/total, 100)) + " %"
	case done > 0:
		return doing + "… " + number(done) + " rows"
	}
	return doing + "…"
}
