package main

import (
	"os/exec"
	"time"
)

// process is one that runs and is to be killed.
type process struct {
	*exec.Cmd
	ended chan struct{}
}

func begin(cmd *exec.Cmd) (*process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{Cmd: cmd, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is read from its state
		close(p.ended)
	}()
	return p, nil
}

// place is what a process held when it was stopped.
type place struct{ transaction, checkpoint, recovery bool }

// kill kills a process. Three of four are stopped first, and it is seen where
// they are: the kill then falls at that very place. landed is false when it had
// ended by itself.
func (r *rig) kill(p *process, db string) (at place, landed bool, err error) {
	if db != "" && r.random.IntN(4) > 0 && p.stop() {
		if at, err = p.look(db); err != nil {
			return at, false, err
		}
	}
	_ = p.Process.Kill() // fails when it has ended
	<-p.ended
	if p.ProcessState.Exited() {
		return at, false, nil
	}
	r.tally[killed]++
	for c, there := range map[count]bool{inTransaction: at.transaction, inCheckpoint: at.checkpoint, inRecovery: at.recovery} {
		if there {
			r.tally[c]++
		}
	}
	return at, true, nil
}

// pause waits as precisely as a timer does not, or until a process has ended.
func pause(wait time.Duration, ended <-chan struct{}) {
	for until := time.Now().Add(wait); time.Now().Before(until); {
		select {
		case <-ended:
			return
		default:
		}
		if time.Until(until) > 2*time.Millisecond {
			time.Sleep(time.Millisecond)
		}
	}
}
