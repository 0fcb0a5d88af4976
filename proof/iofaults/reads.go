package main

import (
	"bytes"
	"fmt"
	"os"
)

// read is a command that only reads: it says the same as ever, or that it cannot.
type read struct {
	*lab
	args []string
	file string // what it reads
	text []byte // of the file
	want string // what it prints
}

func newVerify(l *lab) (*scenario, error) {
	if err := l.day(); err != nil {
		return nil, err
	}
	if _, err := l.do("replay", "day.db", "--out", "audited"); err != nil {
		return nil, err
	}
	return (&read{lab: l, file: "audited/day.db", args: []string{"verify", "audited/day.db", "--now", "2026-01-02T00:00:00Z"}}).scenario()
}

func newAnalyze(l *lab) (*scenario, error) {
	if err := l.day(); err != nil {
		return nil, err
	}
	return (&read{lab: l, file: "day.db", args: []string{"analyze", "day.db", "--json"}}).scenario()
}

func (r *read) scenario() (*scenario, error) {
	var err error
	if r.text, err = os.ReadFile(r.path(r.file)); err != nil {
		return nil, err
	}
	r.want, err = r.do(r.args...)
	return &scenario{fresh: func() error { return nil }, judge: r.judge,
		run: func(f *fault) (*trace, error) { return r.traced(f, r.args...) }}, err
}

// judge: an audit that finds that it cannot read says so in its report, with
// exit code 1 and nothing on stderr.
func (r *read) judge(t *trace) error {
	reported := t.code == 1 && bytes.Contains([]byte(t.out), []byte("BROKEN"))
	switch {
	case t.code == 0 && t.out != r.want:
		return fmt.Errorf("it ended well and said something else")
	case t.code != 0 && !reported:
		if err := t.fails(1, 3); err != nil {
			return err
		}
	}
	if now, err := os.ReadFile(r.path(r.file)); err != nil || !bytes.Equal(now, r.text) {
		return fmt.Errorf("%s was changed, %v", r.file, err)
	}
	return nil
}
