package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// shortLease is that of the servers' policy, so that the claims of the dead are
// taken over soon.
const shortLease = 300 * time.Millisecond

// bank is a database that servers are killed on, and what its clients know.
type bank struct {
	*rig
	db      string
	servers []*server
	client  *http.Client
	clients int           // that pay at once
	before  state         // of the last audit
	life    time.Duration // how long servers are under load, at most

	mu      sync.Mutex // guards what follows
	keys    int
	sent    map[string]bool   // since the last audit
	told    map[string]string // what clients were told, by key
	fresh   map[string]bool   // keys of which one was told that it was the first
	unknown map[string]bool   // sent, and not answered 201 yet
	problem error             // the first that did not hold
}

// server is one of them: its process is nil while it is down.
type server struct {
	*process
	addr, log string
	away      bool // it was killed or stopped: nothing is sent to it; guarded by bank.mu
}

func (r *rig) newBank(n, clients int) (b *bank, err error) {
	b = &bank{rig: r, db: filepath.Join(r.dir, "bank.db"), sent: map[string]bool{}, told: map[string]string{}, fresh: map[string]bool{}, unknown: map[string]bool{},
		client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: clients}}, clients: clients}
	policy := fmt.Sprintf(`{"scope":["client_id","idem_key"],"fingerprint":"request","lease_seconds":%v}`, shortLease.Seconds())
	if err := os.WriteFile(filepath.Join(r.dir, "policy.json"), []byte(policy), 0o600); err != nil {
		return nil, err
	}
	for i := range n {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		b.servers = append(b.servers, &server{addr: free.Addr().String(), log: filepath.Join(r.dir, fmt.Sprint("log", i))})
		defer free.Close() // not before all have an address
	}
	if err := makeBank(b.db, 1_000_000); err != nil {
		return nil, err
	}
	b.before, err = b.read(b.db)
	return b, err
}

// start starts a server, and does not wait until it answers.
func (b *bank) start(s *server) error {
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(b.idem, "serve", "--addr", s.addr, "--store", "sqlite:"+b.db, "--policy", "policy.json")
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.SysProcAttr = b.dir, append(os.Environ(), "TMPDIR="+b.dir), log, child()
	s.process, err = begin(cmd)
	b.setAway(s, false)
	return err
}

// up waits until a server answers.
func (b *bank) up(s *server) error {
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(300 * time.Microsecond) {
		if c, err := net.Dial("tcp", s.addr); err == nil {
			return c.Close()
		}
		select {
		case <-s.ended:
			return fmt.Errorf("a server ended by itself: %v\n%s", s.ProcessState, contents(s.log))
		default:
		}
	}
	return fmt.Errorf("a server does not answer\n%s", contents(s.log))
}

// end kills a server. It is to be there yet, unless it was told to stop.
func (b *bank) end(s *server, stopping bool) error {
	_, landed, err := b.kill(s.process, b.db)
	if err == nil && !landed && !stopping {
		err = fmt.Errorf("a server ended by itself: %v\n%s", s.ProcessState, contents(s.log))
	}
	s.process = nil
	return err
}

// setAway tells clients whether a server is to be asked.
func (b *bank) setAway(s *server, away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.away = away
}

// down kills what still runs, after all is over.
func (b *bank) down() {
	for _, s := range b.servers {
		if s.process != nil {
			_ = s.Process.Kill()
			<-s.ended
			s.process = nil
		}
	}
	b.client.CloseIdleConnections()
}

// raise starts the servers that are down. Some are killed before they answer, one
// after the other, and then started again.
func (b *bank) raise() error {
	for _, s := range b.servers {
		for s.process == nil {
			if err := b.start(s); err != nil {
				return err
			}
			if b.random.IntN(4) > 0 {
				break
			}
			if err := b.killedEarly(s); err != nil {
				return err
			}
		}
	}
	for _, s := range b.servers {
		if err := b.up(s); err != nil {
			return err
		}
	}
	return nil
}

// killedEarly kills a server that has just been started: at any moment, or when it
// recovers the log that the last one left.
func (b *bank) killedEarly(s *server) error {
	moment := b.within(30 * time.Millisecond)
	if b.random.IntN(3) > 0 {
		moment = atMost(200*time.Millisecond, func(over <-chan struct{}) { b.recovers(s, over) })
	}
	moment(s.ended)
	if err := b.end(s, false); err != nil {
		return err
	}
	b.tally[starting]++
	return b.judge()
}

// recovers waits until a server recovers the log.
func (b *bank) recovers(s *server, over <-chan struct{}) {
	for {
		at, err := s.look(b.db)
		if at.recovery || err != nil {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(glance):
		}
	}
}

// judge reads the state, while nobody writes, and compares it with the one before
// and with what clients know. It says where the kill before it fell.
func (b *bank) judge() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	after, err := b.read(b.db)
	if err != nil {
		return err
	}
	b.tally[judged]++
	if err := errors.Join(b.problem, after.follows(&b.before, b.sent, b.told)); err != nil {
		return err
	}
	open, paid := 0, 0
	for k := range b.sent {
		was, is := b.before.rows[k], after.rows[k]
		if _, told := b.told[k]; is.completed && !was.completed && !told {
			paid++
		}
		if !is.completed && is != was {
			open++
		}
		b.tally[takeovers] += max(0, is.attempt-max(1, was.attempt))
	}
	b.tally[stood] += paid
	b.mark(after.torn, open > 0, paid > 0)
	b.before, b.sent = after, map[string]bool{}
	return nil
}
