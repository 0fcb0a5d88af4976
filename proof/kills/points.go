package main

import (
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
	db := filepath.Join(r.dir, "points.db")
	if err := makeBank(db, len(points)+1); err != nil {
		return err
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := r.payment(db, 0, now); err != nil { // makes the tables
		return err
	}
	for i, p := range points {
		now = now.Add(time.Minute)
		if err := r.atPoint(faulty, db, i, now); err != nil {
			return fmt.Errorf("killed %s: %w", p.what, err)
		}
		r.points++
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

func (r *rig) atPoint(faulty, db string, i int, now time.Time) error {
	p := points[i]
	request, err := r.request(i + 1)
	if err != nil {
		return err
	}
	if err := r.dies(faulty, p.place, p.times, send(db, request, now)...); err != nil {
		return err
	}
	if err := r.audit(db); err != nil {
		return err
	}
	var retry, last answer
	if err := r.answered(&retry, send(db, request, now.Add(10*time.Second))); err != nil {
		return err
	}
	if err := r.answered(&last, send(db, request, now.Add(40*time.Second))); err != nil {
		return err
	}
	if retry.Status != p.status || retry.Replay != p.replay {
		return fmt.Errorf("a retry is answered %d, replay %v; want %d, %v", retry.Status, retry.Replay, p.status, p.replay)
	}
	return r.judge(db, i+1, false, &answer{}, &retry, &last)
}
