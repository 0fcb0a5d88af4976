package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// evidence are the files of a replay that are the same bytes each time.
var evidence = []string{"dup_report.json", "result.json", "policy.json", "idem_report.md"}

// replays kills replays of one day. What is there afterwards is whole; and the
// next replay makes of the day what the first one did.
func (r *rig) replays(n int) error {
	if n == 0 {
		return nil
	}
	day := filepath.Join(r.dir, "idem.db")
	if _, err := r.do("gen", "--out", day, "--requests", "3000", "--keys", "2500"); err != nil {
		return err
	}
	want, before := filepath.Join(r.dir, "want"), contents(day)
	began := time.Now()
	if _, err := r.do("replay", day, "--out", want); err != nil {
		return err
	}
	whole := time.Since(began)
	for i := range n {
		out := filepath.Join(r.dir, fmt.Sprint("out", i))
		if err := r.replay(day, out, want, whole); err != nil {
			return fmt.Errorf("replay %d: %w", i, err)
		}
		if !bytes.Equal(contents(day), before) {
			return fmt.Errorf("replay %d: the incident was changed", i)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	return nil
}

func (r *rig) replay(day, out, want string, whole time.Duration) error {
	// Half of the kills wait for one of the files to be published.
	moment := r.within(whole)
	if r.random.IntN(2) == 0 {
		moment = r.growth(filepath.Join(out, evidence[r.random.IntN(len(evidence))]), 1, 200*time.Microsecond)
	}
	_, _, landed, err := r.killed("", moment, "replay", day, "--out", out)
	if err != nil {
		return err
	}
	if landed {
		r.tally[replays]++
	}
	there, err := wholeFiles(out, want)
	if err != nil {
		return err
	}
	if landed && there > 0 {
		r.tally[replaysPartial]++
	}
	if db := filepath.Join(out, "day.db"); exists(db) {
		if err := r.audit(db); err != nil {
			return err
		}
	}
	if _, err := r.do("replay", day, "--out", out); err != nil {
		return fmt.Errorf("after the kill: %w", err)
	}
	if there, err = wholeFiles(out, want); err == nil && there != len(evidence) {
		err = fmt.Errorf("after the kill %d of %d files are there", there, len(evidence))
	}
	if err != nil {
		return err
	}
	if err := nothing(filepath.Join(r.dir, "idem-*")); err != nil {
		return err
	}
	return r.audit(filepath.Join(out, "day.db"))
}

// wholeFiles counts the files that are there; each must be what it would be.
func wholeFiles(out, want string) (n int, err error) {
	for _, name := range evidence {
		text, err := os.ReadFile(filepath.Join(out, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return n, err
		}
		if !bytes.Equal(text, contents(filepath.Join(want, name))) {
			return n, fmt.Errorf("%s is not what another replay makes", name)
		}
		n++
	}
	return n, nil
}

func contents(path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return text
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
