package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"idem/engine/fault"
)

// points are the places where a payment can die, and what a retry is told while
// the lease of the claim would still last: 409 where it stands, else 201.
var points = []struct {
	place  string
	times  int
	what   string
	status int
	replay bool
}{
	{fault.BeforeBegin, 1, "before the claim is begun", 201, false},
	{fault.BeforeCommit, 1, "before the claim is committed", 201, false},
	{fault.AfterCommit, 1, "after the claim is committed", 409, false},
	{fault.BeforeBegin, 2, "before the completion is begun", 409, false},
	{fault.InEffect, 1, "in the middle of the effect", 409, false},
	{fault.BeforeCommit, 2, "before the completion is committed", 409, false},
	{fault.AfterCommit, 2, "after the completion is committed", 201, true},
	{fault.BeforeReply, 1, "before the reply", 201, true},
}

// atPoints kills one payment at each place. faulty is the program built with
// -tags faults.
func (r *rig) atPoints(faulty string) error {
	t, err := r.newTill(filepath.Join(r.dir, "points.db"), len(points)+1)
	if err != nil {
		return err
	}
	if err := t.settle(t.fresh()); err != nil { // makes the tables
		return err
	}
	for i, p := range points {
		t.now = t.now.Add(time.Minute)
		if err := t.atPoint(faulty, i); err != nil {
			return fmt.Errorf("killed %s: %w", p.what, err)
		}
		r.tally[faultPoints]++
	}
	return nil
}

// dies runs a command that must be killed at a place, and say nothing before.
func (r *rig) dies(faulty, place string, times int, args ...string) error {
	cmd := exec.Command(faulty, args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+r.dir, fmt.Sprintf("IDEM_FAULT=%s:%d", place, times))
	if out, err := cmd.Output(); err == nil || cmd.ProcessState.Exited() || len(out) > 0 {
		return fmt.Errorf("it was not killed at %s: %v, %s", place, cmd.ProcessState, out)
	}
	return nil
}

func (t *till) atPoint(faulty string, i int) error {
	p, key := points[i], t.fresh()
	request, err := t.request(key)
	if err != nil {
		return err
	}
	if err := t.dies(faulty, p.place, p.times, send(t.db, request, t.now)...); err != nil {
		return err
	}
	if err := errors.Join(t.judge(key, "", true), t.audit(t.db)); err != nil {
		return err
	}
	t.now = t.now.Add(10 * time.Second)
	out, _, err := t.sent(key, toItsEnd)
	if err != nil {
		return err
	}
	var retry answer
	if err := json.Unmarshal([]byte(out), &retry); err != nil {
		return err
	}
	if retry.Status != p.status || retry.Replay != p.replay {
		return fmt.Errorf("a retry is answered %d, replay %v; want %d, %v", retry.Status, retry.Replay, p.status, p.replay)
	}
	if err := t.judge(key, out, false); err != nil {
		return err
	}
	return t.settle(key)
}
