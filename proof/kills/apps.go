package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/creack/pty"
)

// apps kills the workbench in a terminal, at random while it plays the day and
// writes its files. What is there afterwards is whole, the incident is as it was,
// and the next one that is let be writes all of it.
func (r *rig) apps(n int) error {
	if n == 0 {
		return nil
	}
	day := filepath.Join(r.dir, "app.db")
	if _, err := r.do("gen", "--out", day, "--requests", "3000", "--keys", "2500"); err != nil {
		return err
	}
	before, want := contents(day), filepath.Join(r.dir, "app-want")
	began := time.Now()
	if err := r.app(day, want, nil); err != nil {
		return fmt.Errorf("app: %w", err)
	}
	whole := time.Since(began)
	for i := range n {
		out := filepath.Join(r.dir, "app-out")
		if r.random.IntN(3) == 0 { // else what the last one left is in the way
			if err := os.RemoveAll(out); err != nil {
				return err
			}
		}
		moment := r.within(whole)
		if r.random.IntN(2) == 0 {
			moment = atMost(2*whole, r.growth(filepath.Join(out, evidence[r.random.IntN(len(evidence))]), 1, 200*time.Microsecond))
		}
		if err := r.app(day, out, moment); err != nil {
			return fmt.Errorf("app %d: %w", i, err)
		}
		if _, err := wholeFiles(out, want); err != nil {
			return fmt.Errorf("app %d: %w", i, err)
		}
		if db := filepath.Join(out, "day.db"); exists(db) {
			if err := r.audit(db); err != nil {
				return fmt.Errorf("app %d: %w", i, err)
			}
		}
		if !bytes.Equal(contents(day), before) {
			return fmt.Errorf("app %d: the incident was changed", i)
		}
	}
	// The folder has what the last kill left.
	if err := r.app(day, filepath.Join(r.dir, "app-out"), nil); err != nil {
		return fmt.Errorf("app after the kills: %w", err)
	}
	there, err := wholeFiles(filepath.Join(r.dir, "app-out"), want)
	if err == nil && there != len(evidence) {
		err = fmt.Errorf("after the kills the app writes %d of %d files", there, len(evidence))
	}
	return err
}

// app opens the workbench, goes to the replay and runs it to its end. It is
// killed at the moment; without one it is quit when the files are there.
func (r *rig) app(day, out string, moment func(<-chan struct{})) error {
	cmd := exec.Command(r.idem, day, "--out", out)
	cmd.Dir, cmd.Env = r.dir, append(cmd.Environ(), "TMPDIR="+r.dir, "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		return err
	}
	defer terminal.Close()
	ended, started := make(chan struct{}), make(chan struct{})
	go watch(terminal, started)
	go func() {
		_ = cmd.Wait() // how it ended is read from its state
		close(ended)
	}()
	select {
	case <-started:
	case <-ended:
		return fmt.Errorf("it ended before it drew anything: %v", cmd.ProcessState)
	}
	done := func() bool { return moment == nil && countFiles(out) == len(evidence) }
	go typist(terminal, done, ended)
	if moment == nil {
		return quit(cmd, ended)
	}
	moment(ended)
	_ = cmd.Process.Kill()
	<-ended
	if cmd.ProcessState.Exited() {
		return fmt.Errorf("it ended by itself: %v", cmd.ProcessState)
	}
	r.tally[killed]++
	r.tally[workbenches]++
	return nil
}

// atMost is a moment that comes when a time is over at the latest: a file that is
// there already need not change.
func atMost(most time.Duration, moment func(<-chan struct{})) func(<-chan struct{}) {
	return func(ended <-chan struct{}) {
		over := make(chan struct{})
		go func() {
			select {
			case <-ended:
			case <-time.After(most):
			}
			close(over)
		}()
		moment(over)
	}
}

// watch drains what the program draws; started is closed at the first of it.
func watch(terminal io.Reader, started chan<- struct{}) {
	room := make([]byte, 1<<16)
	for n := 0; ; n++ {
		_, err := terminal.Read(room)
		if n == 0 {
			close(started)
		}
		if err != nil {
			return
		}
	}
}

// typist asks for the replay and its end, again and again, as keys that come
// before there is a day are of no effect; and to quit when done.
func typist(terminal io.Writer, done func() bool, ended <-chan struct{}) {
	for {
		keys := "2G"
		if done() {
			keys = "qqq"
		}
		_, _ = io.WriteString(terminal, keys) // it may have ended
		select {
		case <-ended:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// quit waits until the app that is let be has quit.
func quit(cmd *exec.Cmd, ended <-chan struct{}) error {
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		_ = cmd.Process.Kill()
		<-ended
		return fmt.Errorf("it does not write its files, or does not quit")
	}
	if cmd.ProcessState.ExitCode() != 0 {
		return fmt.Errorf("it ended with %v", cmd.ProcessState)
	}
	return nil
}

func countFiles(out string) (n int) {
	for _, name := range evidence {
		if exists(filepath.Join(out, name)) {
			n++
		}
	}
	return n
}
