package tui

import (
	"context"
	"sync"

	"idem/analysis"
	"idem/analysis/replay"
)

// desk is what all screens share: the terminal, the session and what has been
// learned about it so far. Only Update changes it.
type desk struct {
	cfg    Config
	ctx    context.Context // ends when the app does
	theme  theme
	dark   bool    // the terminal's background, as far as it told
	has    colours // that the terminal has
	width  int
	height int
	mouse  bool
	away   chosenAway // columns that are not shown

	session  Session // for commands; nil while none is open
	player   Player  // for commands; nil until the replay is prepared
	opening  bool
	openErr  error
	changed  bool
	counted  *meter
	evidence *analysis.Evidence
	found    *analysis.Duplicates
	load     *analysis.Timeline
	partErr  error // of evidence, duplicates or load
	result   *replay.Result
	files    writing
	writers  sync.WaitGroup // commands that write them

	notice  string
	turn    int // how many cells have been copied since another key
	asking  *asking
	drafts  map[string]string // what was typed into a prompt that was left, by label
	version int               // of all of the above; panes are kept by it
	enter   func(room int)    // opens a screen
}

// writing is how far the day's files are.
type writing struct {
	state phase
	names []string
	stale []string // reports of an earlier run beside them
	err   error
}

type phase uint8

const (
	idle phase = iota
	busy
	done
	failed
)

// tell shows a line at the bottom until the next key.
func (d *desk) tell(line string) { d.notice = line }

// total is the number of requests, at most that many until the replay is
// prepared; ok is false while no incident is open.
func (d *desk) total() (n int64, ok bool) {
	switch {
	case d.session == nil:
		return 0, false
	case d.player == nil:
		return d.session.Total(), true
	}
	return d.player.Total(), true
}

// forget drops everything that was learned about a session that is replaced.
func (d *desk) forget() {
	d.session, d.player, d.openErr, d.changed, d.counted = nil, nil, nil, false, nil
	d.evidence, d.found, d.load, d.partErr = nil, nil, nil, nil
	d.result, d.files = nil, writing{}
}
