// Package cast writes down what goes to a terminal, as an asciicast file
// (version 2, https://docs.asciinema.org/manual/asciicast/v2/): a header and
// then a line for each event, so that a recording is whole up to its last line
// whatever becomes of the program.
package cast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Recorder writes a recording. Its methods may be called at the same time. The
// first error of writing ends it, and Err tells.
type Recorder struct {
	mu    sync.Mutex
	w     io.Writer
	clock func() time.Time
	idle  time.Duration
	last  time.Time     // when something was written down last
	at    time.Duration // where the recording is
	size  [2]int        // of the terminal
	clean cleaner
	err   error
}

// Options say how a recording is made.
type Options struct {
	Width, Height int              // of the terminal, in cells
	Term          string           // its kind, as in TERM
	Clock         func() time.Time // what its pace comes from
	Idle          time.Duration    // the longest pause that is kept; 0 keeps all
}

// New begins a recording on w, with its header. Every line is one Write.
func New(w io.Writer, o Options) *Recorder {
	now := o.Clock()
	r := &Recorder{w: w, clock: o.Clock, idle: o.Idle, last: now, size: [2]int{o.Width, o.Height}}
	head := struct {
		Version   int               `json:"version"`
		Width     int               `json:"width"`
		Height    int               `json:"height"`
		Timestamp int64             `json:"timestamp"`
		Env       map[string]string `json:"env,omitempty"`
	}{2, o.Width, o.Height, now.Unix(), nil}
	if o.Term != "" {
		head.Env = map[string]string{"TERM": o.Term}
	}
	r.line(head)
	return r
}

// Output writes down what was written to the terminal: what is to be seen of
// it, without what asks the terminal something or fills its clipboard.
func (r *Recorder) Output(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text := r.clean.take(b); text != "" {
		r.event("o", text)
	}
}

// Resize writes down that the terminal has another size, if it has.
func (r *Recorder) Resize(width, height int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if size := [2]int{width, height}; size != r.size {
		r.size = size
		r.event("r", fmt.Sprintf("%dx%d", width, height))
	}
}

// Err is what went wrong; after it nothing more was written.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Recorder) event(kind, data string) {
	now := r.clock()
	pause := max(0, now.Sub(r.last))
	if r.idle > 0 {
		pause = min(pause, r.idle)
	}
	r.last, r.at = now, r.at+pause
	r.line([]any{json.Number(fmt.Sprintf("%.6f", r.at.Seconds())), kind, data})
}

func (r *Recorder) line(v any) {
	if r.err != nil {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if r.err = e.Encode(v); r.err == nil {
		_, r.err = r.w.Write(b.Bytes())
	}
}
