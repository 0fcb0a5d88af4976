package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"time"
)

// rig runs the program under test in a folder of its own.
type rig struct {
	idem, dir string
	random    *rand.Rand
	*tally
}

func (r *rig) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(r.idem, args...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "TMPDIR="+r.dir)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	return cmd, out
}

// do runs a command to its end.
func (r *rig) do(args ...string) (string, error) {
	cmd, out := r.command(args...)
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("idem %q: %w\n%s", args, err, out)
	}
	return out.String(), nil
}

// killed starts a command and kills it when moment returns, which is given a
// channel that is closed when the process has ended. landed is false when it had
// ended before. at is where its database was, if it has one: db may be "".
func (r *rig) killed(db string, moment func(ended <-chan struct{}), args ...string) (out string, at place, landed bool, err error) {
	cmd, text := r.command(args...)
	p, err := begin(cmd)
	if err != nil {
		return "", at, false, err
	}
	moment(p.ended)
	at, landed, err = r.kill(p, db)
	if err == nil && !landed && !cmd.ProcessState.Success() {
		err = fmt.Errorf("idem %q: %v", args, cmd.ProcessState)
	}
	return text.String(), at, landed, err
}

// within waits for a random time up to most.
func (r *rig) within(most time.Duration) func(<-chan struct{}) {
	wait := r.upTo(most)
	return func(ended <-chan struct{}) {
		select {
		case <-ended:
		case <-time.After(wait):
		}
	}
}

// upTo is a random time.
func (r *rig) upTo(most time.Duration) time.Duration {
	return time.Duration(r.random.Int64N(max(1, int64(most))))
}

// glance is the time between two looks at what a process does: it needs the
// processor itself.
const glance = 20 * time.Microsecond

// growth waits until a file has changed its size some times, up to most, and then
// up to a moment longer.
func (r *rig) growth(path string, most int, moment time.Duration) func(<-chan struct{}) {
	times, wait := r.random.IntN(most)+1, r.upTo(moment)
	return func(ended <-chan struct{}) {
		last := sizeOf(path)
		for range times {
			for sizeOf(path) == last {
				select {
				case <-ended:
					return
				case <-time.After(glance):
				}
			}
			last = sizeOf(path)
		}
		pause(wait, ended)
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// audit is idem verify on a database.
func (r *rig) audit(db string) error {
	r.tally[audits]++
	_, err := r.do("verify", db, "--now", "2030-01-02T00:00:00Z")
	return err
}
