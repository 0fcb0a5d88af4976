package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// alone kills servers that have their file to themselves, together some that share
// one.
func alone(r *rig, n int) error    { return r.underLoad(n, 1) }
func together(r *rig, n int) error { return r.underLoad(n, 2+r.random.IntN(2)) }

// underLoad kills n servers under load, of some on one file.
func (r *rig) underLoad(n, some int) error {
	b, err := r.newBank(some, 8)
	if err != nil {
		return err
	}
	defer b.down()
	for done := 0; r.tally[servers]+r.tally[starting] < n; done++ {
		if err := b.round(); err != nil {
			return fmt.Errorf("after %d kills: %w", r.tally[servers]+r.tally[starting], err)
		}
		if done%20 == 19 {
			if err := b.audit(b.db); err != nil {
				return err
			}
		}
	}
	return b.settle()
}

// round raises the servers, sends them payments and kills one of them, or all.
func (b *bank) round() error {
	if err := b.raise(); err != nil {
		return err
	}
	if b.life == 0 {
		b.measure()
	}
	ctx, enough := context.WithCancel(context.Background())
	defer enough()
	var running sync.WaitGroup
	b.load(ctx, &running)
	pause(b.upTo(b.life), nil)
	victims := b.servers
	if b.random.IntN(3) > 0 {
		victims = []*server{b.servers[b.random.IntN(len(b.servers))]}
	}
	for _, s := range victims {
		if err := b.strike(s); err != nil {
			return err
		}
	}
	if len(victims) < len(b.servers) { // the others go on
		pause(b.upTo(b.life/4), nil)
	}
	enough()
	running.Wait()
	return b.judge()
}

// strike kills a server, some while they stop by themselves.
func (b *bank) strike(s *server) error {
	stopping := b.random.IntN(8) == 0
	if stopping {
		if err := s.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		pause(b.upTo(4*time.Millisecond), s.ended)
	}
	b.setAway(s, true)
	before := b.tally[killed]
	if err := b.end(s, stopping); err != nil {
		return err
	}
	if b.tally[killed] > before {
		b.tally[servers]++
		if stopping {
			b.tally[closing]++
		}
	}
	return nil
}

// measure pays one, and has servers live for as long as some payments take.
func (b *bank) measure() {
	began := time.Now()
	for range 4 {
		b.pay(b.servers[0], b.pick(rand.New(rand.NewPCG(0, 0))))
	}
	b.life = min(max(8*time.Millisecond, 2*time.Since(began)), 80*time.Millisecond)
}

// settle pays what nobody was told of, stops the servers, and counts.
func (b *bank) settle() error {
	if err := b.raise(); err != nil {
		return err
	}
	for until := time.Now().Add(30 * time.Second); len(b.unknown) > 0; time.Sleep(5 * time.Millisecond) {
		for _, key := range b.open() {
			b.pay(b.servers[0], key)
		}
		if b.problem != nil || time.Now().After(until) {
			return fmt.Errorf("%d payments are stuck: %w", len(b.unknown), b.problem)
		}
	}
	for _, s := range b.servers {
		if err := s.Process.Signal(os.Interrupt); err != nil {
			return err
		}
		<-s.ended // exit code 130 or 0, both after what ran
		s.process = nil
	}
	if err := b.judge(); err != nil {
		return err
	}
	if len(b.told) != b.keys || b.before.transfers != b.keys {
		return fmt.Errorf("after the kills %d of %d keys are paid, and %d told", b.before.transfers, b.keys, len(b.told))
	}
	return b.audit(b.db)
}

// open are the keys that nobody was told of.
func (b *bank) open() (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.unknown {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
