package main

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// stops stops one of two servers n times until its claims are the other's. What it
// completes then comes too late, and is refused. Many clients keep claims open all
// the time.
func (r *rig) stops(n int) error {
	b, err := r.newBank(2, 32)
	if err != nil {
		return err
	}
	defer b.down()
	for done := range n {
		if err := b.stopped(); err != nil {
			return fmt.Errorf("stop %d: %w", done, err)
		}
	}
	return b.settle()
}

func (b *bank) stopped() error {
	if err := b.raise(); err != nil {
		return err
	}
	if b.life == 0 {
		b.measure()
	}
	s := b.servers[b.random.IntN(2)]
	for try := 0; ; try++ {
		var running sync.WaitGroup
		at, err := b.stopUnderLoad(s, &running)
		if err != nil {
			return err
		}
		claimed, err := b.claims()
		if err != nil { // it was stopped while it wrote what readers must see whole
			at.transaction = true
		}
		// Most moments are between two claims. In a transaction it keeps the other
		// server from taking anything over.
		worth := claimed > 0 && (!at.transaction || b.random.IntN(4) == 0)
		if worth || try == 19 {
			b.tally[stops]++
			if at.transaction {
				b.tally[stopsInTransaction]++
			}
			return b.takenOver(s, &running)
		}
		if err := b.goOn(s); err != nil {
			return err
		}
		running.Wait()
	}
}

// stopUnderLoad stops a server at a random moment. What it does not answer now is
// running until it goes on.
func (b *bank) stopUnderLoad(s *server, running *sync.WaitGroup) (at place, err error) {
	ctx, enough := context.WithCancel(context.Background())
	defer enough()
	b.load(ctx, running)
	pause(b.upTo(b.life), nil)
	b.setAway(s, true)
	if !s.stop() {
		return at, fmt.Errorf("a server ended by itself: %v\n%s", s.ProcessState, contents(s.log))
	}
	return s.look(b.db)
}

func (b *bank) goOn(s *server) error {
	b.setAway(s, false)
	return s.goOn()
}

// claims counts those that are open, when the server that was not stopped has
// completed its own. The servers have the file open: no recovery is done here.
func (b *bank) claims() (n int, err error) {
	time.Sleep(5 * time.Millisecond)
	db, err := sql.Open("sqlite", "file:"+b.db+"?mode=ro&_pragma=busy_timeout(1000)")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRow("SELECT count(*) FROM idempotency_key WHERE state = 'in_progress' AND lease_until > ?", time.Now().UnixNano()).Scan(&n)
	return n, err
}

// takenOver retries at the other server what the stopped one had begun, when the
// lease is over. Then the stopped one goes on: after that, or at the same time.
func (b *bank) takenOver(s *server, running *sync.WaitGroup) error {
	time.Sleep(shortLease + b.upTo(shortLease/4))
	other := b.servers[0]
	if other == s {
		other = b.servers[1]
	}
	var retries sync.WaitGroup
	for _, key := range b.open() {
		retries.Go(func() { b.pay(other, key) })
	}
	if wait := b.upTo(4 * time.Millisecond); b.random.IntN(2) == 0 {
		pause(wait, nil)
	} else {
		waited := make(chan struct{})
		go func() { retries.Wait(); close(waited) }()
		select {
		case <-waited:
		case <-time.After(shortLease): // the stopped one holds the write lock
		}
	}
	if err := b.goOn(s); err != nil {
		return err
	}
	retries.Wait()
	running.Wait()
	return b.judge()
}
