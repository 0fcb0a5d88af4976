package pgstore

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idem/engine"
	"idem/engine/pgstore/pgtest"
)

// cutter cuts a connection at the first message that holds marked bytes, once
// armed.
type cutter struct {
	mu   sync.Mutex
	mark []byte
	how  func(c *cutConn, message []byte) (int, error)
	cuts int
}

// arm sets what happens to the next message that holds mark.
func (c *cutter) arm(mark string, how func(*cutConn, []byte) (int, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mark, c.how = []byte(mark), how
}

// take disarms and gives what to do when the message is the one.
func (c *cutter) take(message []byte) func(*cutConn, []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.how == nil || !bytes.Contains(message, c.mark) {
		return nil
	}
	how := c.how
	c.how = nil
	c.cuts++
	return how
}

func (c *cutter) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return &cutConn{Conn: conn, c: c}, err
}

type cutConn struct {
	net.Conn
	c    *cutter
	dead bool // for the client
}

func (c *cutConn) Write(message []byte) (int, error) {
	if c.dead {
		return 0, net.ErrClosed
	}
	if how := c.c.take(message); how != nil {
		return how(c, message)
	}
	return c.Conn.Write(message)
}

func (c *cutConn) Read(b []byte) (int, error) {
	if c.dead {
		return 0, net.ErrClosed
	}
	return c.Conn.Read(b)
}

func (c *cutConn) Close() error {
	if c.dead {
		return nil // whoever cut it closes it
	}
	return c.Conn.Close()
}

// swallowed: the message never arrives.
func swallowed(c *cutConn, message []byte) (int, error) {
	return len(message), c.Conn.Close()
}

// answerLost: the message arrives and is carried out; its answer is lost.
func answerLost(c *cutConn, message []byte) (int, error) {
	if _, err := c.Conn.Write(message); err != nil {
		return 0, err
	}
	if _, err := c.Conn.Read(make([]byte, 1<<16)); err != nil {
		return 0, err
	}
	return len(message), c.Conn.Close()
}

// late: the client has given the connection up, and the message arrives when
// arrive is closed.
func late(arrive chan struct{}) func(*cutConn, []byte) (int, error) {
	return func(c *cutConn, message []byte) (int, error) {
		c.dead = true
		message = bytes.Clone(message)
		go func() {
			<-arrive
			_, _ = c.Conn.Write(message)
			_, _ = c.Conn.Read(make([]byte, 1<<16))
			_ = c.Conn.Close()
		}()
		return len(message), nil
	}
}

const commitMessage = "commit\x00"

// rig is a store whose connections can be cut, and one beside it whose cannot.
type rig struct {
	*testing.T
	dsn          string
	store, other *Store
	cut          *cutter
	effects      int
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	r := &rig{T: t, dsn: pgtest.Database(t), cut: &cutter{}}
	o = o.withDefaults()
	config, err := poolConfig(r.dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.DialFunc = r.cut.dial
	if r.store, err = open(context.Background(), config, o); err != nil {
		t.Fatal(err)
	}
	if r.other, err = Open(context.Background(), r.dsn, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.store.Close(); r.other.Close() })
	err = r.store.Update(context.Background(), func(tx engine.Tx) error {
		ctx := context.Background()
		return errors.Join(tx.OpenAccount(ctx, engine.Account{ID: "a", Balance: 100}), tx.OpenAccount(ctx, engine.Account{ID: "b"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var begin = time.Date(2026, 3, 2, 9, 0, 0, 1, time.UTC)

func (r *rig) claim(s *Store, name string, now time.Time) (engine.Verdict, error) {
	p := engine.DefaultPolicy()
	c, err := p.Claim(engine.Request{ClientID: "shop", Key: name, Body: []byte("{}")}, now)
	if err != nil {
		r.Fatal(err)
	}
	return s.Claim(context.Background(), c, p)
}

func (r *rig) hold(name string) engine.Completion {
	r.Helper()
	v, err := r.claim(r.store, name, begin)
	if err != nil || v.Outcome != engine.Fresh {
		r.Fatalf("claim: %v, %v", v.Outcome, err)
	}
	return engine.Completion{Key: v.Record.Key, Fence: v.Record.Fence, Now: begin.Add(1)}
}

func (r *rig) pay(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
	r.effects++
	err := tx.Post(ctx, engine.Transfer{ID: "T1", Src: "a", Dst: "b", Amount: 10, Currency: "KRW", CreatedAt: begin})
	return engine.Reply{Status: 201, Body: []byte("paid")}, err
}

// paid insists on how often the money moved.
func (r *rig) paid(times int64) {
	r.Helper()
	var a *engine.Account
	err := r.other.View(context.Background(), func(tx engine.Tx) (err error) {
		a, err = tx.Account(context.Background(), "b")
		return err
	})
	if err != nil || a.Balance != 10*times {
		r.Errorf("b has %+v, %v; want %d times 10", a, err, times)
	}
}

// TestCommitWithoutAnswer cuts the connection at COMMIT. What stands in the
// database decides, and the effect is never run again.
func TestCommitWithoutAnswer(t *testing.T) {
	t.Run("it was committed", func(t *testing.T) {
		r := newRig(t, Options{})
		held := r.hold("k")
		r.cut.arm(commitMessage, answerLost)
		done, settled, err := r.store.Complete(context.Background(), held, engine.DefaultPolicy(), r.pay)
		if err != nil || settled != engine.Kept || string(done.Reply.Body) != "paid" || done.CompletedAt != held.Now {
			t.Errorf("complete: %+v, %v, %v", done, settled, err)
		}
		r.paid(1)
		r.once()
	})
	t.Run("it never arrived", func(t *testing.T) {
		r := newRig(t, Options{})
		held := r.hold("k")
		r.cut.arm(commitMessage, swallowed)
		_, settled, err := r.store.Complete(context.Background(), held, engine.DefaultPolicy(), r.pay)
		if !errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownCommit) {
			t.Errorf("complete: %v, %v; want ErrUnavailable", settled, err)
		}
		r.paid(0)
		r.once()
		// The worker may try again, as its claim stands.
		if _, settled, err := r.store.Complete(context.Background(), held, engine.DefaultPolicy(), r.pay); err != nil || settled != engine.Kept {
			t.Errorf("again: %v, %v", settled, err)
		}
		r.paid(1)
	})
	t.Run("a released key", func(t *testing.T) {
		r := newRig(t, Options{})
		held := r.hold("k")
		p := engine.DefaultPolicy()
		p.Stored = engine.StoreSuccess
		r.cut.arm(commitMessage, answerLost)
		_, settled, err := r.store.Complete(context.Background(), held, p, func(context.Context, engine.Tx) (engine.Reply, error) {
			return engine.Reply{Status: 500}, nil
		})
		if err != nil || settled != engine.Released {
			t.Errorf("complete: %v, %v", settled, err)
		}
	})
	t.Run("an update", func(t *testing.T) {
		r := newRig(t, Options{})
		r.cut.arm(commitMessage, answerLost)
		err := r.store.Update(context.Background(), func(tx engine.Tx) error { return tx.PutDocument(context.Background(), "k", "i", nil) })
		if !errors.Is(err, engine.ErrUnknownCommit) {
			t.Errorf("update: %v, want ErrUnknownCommit", err)
		}
	})
}

func (r *rig) once() {
	r.Helper()
	if r.effects != 1 || r.cut.cuts != 1 {
		r.Errorf("the effect ran %d times, with %d cuts", r.effects, r.cut.cuts)
	}
}

// TestCommitArrivesLate: the connection is gone for the worker, and its COMMIT
// arrives while it already reads the record again. The lock makes it wait, or it
// would call a transaction rolled back that is committed a moment later.
func TestCommitArrivesLate(t *testing.T) {
	r := newRig(t, Options{})
	held := r.hold("k")
	arrive := make(chan struct{})
	r.cut.arm(commitMessage, late(arrive))
	go func() {
		r.awaitWaiter()
		close(arrive)
	}()
	_, settled, err := r.store.Complete(context.Background(), held, engine.DefaultPolicy(), r.pay)
	if err != nil || settled != engine.Kept {
		t.Errorf("complete: %v, %v", settled, err)
	}
	r.paid(1)
	r.once()
}

// awaitWaiter returns when a session waits for a lock.
func (r *rig) awaitWaiter() {
	conn, err := pgx.Connect(context.Background(), r.dsn)
	if err != nil {
		r.Error(err)
		return
	}
	defer conn.Close(context.Background())
	for waiting := 0; waiting == 0; {
		const text = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		if err := conn.QueryRow(context.Background(), text).Scan(&waiting); err != nil {
			r.Error(err)
			return
		}
	}
}

// TestCommitUnknown: while nobody can tell, nobody is told: the transaction
// stands open with its lock for longer than the store looks.
func TestCommitUnknown(t *testing.T) {
	r := newRig(t, Options{Settle: 600 * time.Millisecond, Wait: 300 * time.Millisecond, Idle: time.Minute})
	held := r.hold("k")
	arrive := make(chan struct{})
	r.cut.arm(commitMessage, late(arrive))
	_, settled, err := r.store.Complete(context.Background(), held, engine.DefaultPolicy(), r.pay)
	if !errors.Is(err, engine.ErrUnknownCommit) {
		t.Errorf("complete: %v, %v; want ErrUnknownCommit", settled, err)
	}
	close(arrive)
	r.once()
}

// TestKilledBeforeCommit ends the session from outside inside the effect:
// nothing was sent to commit, so the transaction is run again.
func TestKilledBeforeCommit(t *testing.T) {
	r := newRig(t, Options{})
	held := r.hold("k")
	_, settled, err := r.store.Complete(context.Background(), held, engine.DefaultPolicy(), func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		reply, err := r.pay(ctx, tx)
		if pg, _ := PgxTx(tx); r.effects == 1 {
			r.terminate(pg.Conn().PgConn().PID())
		}
		return reply, err
	})
	if err != nil || settled != engine.Kept || r.effects != 2 {
		t.Errorf("complete: %v, %v, after %d runs of the effect", settled, err, r.effects)
	}
	r.paid(1)
}

func (r *rig) terminate(pid uint32) {
	conn, err := pgx.Connect(context.Background(), r.dsn)
	if err != nil {
		r.Error(err)
		return
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), "SELECT pg_terminate_backend($1, 5000)", pid); err != nil {
		r.Error(err)
	}
}

// TestClaimWithoutAnswer: a claim whose answer was lost is known by its token,
// fresh, taken over or new after its retention.
func TestClaimWithoutAnswer(t *testing.T) {
	lease, retention := engine.DefaultPolicy().Lease, engine.DefaultPolicy().Retention
	for name, how := range map[string]func(*cutConn, []byte) (int, error){"arrived": answerLost, "swallowed": swallowed} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			for i, c := range []struct {
				now     time.Time
				attempt int
				expired bool
			}{{begin, 1, false}, {begin.Add(lease), 2, false}, {begin.Add(retention), 1, true}} {
				r.cut.arm("cut-here", how)
				v, err := r.claim(r.store, "cut-here", c.now)
				if err != nil || v.Outcome != engine.Fresh || v.Record.Attempt != c.attempt || v.Expired != c.expired || (v.Before == nil) != (i == 0) {
					t.Errorf("claim %d: %+v, %v", i, v, err)
				}
				if again, err := r.claim(r.other, "cut-here", c.now); err != nil || again.Outcome != engine.InFlight || again.Record.Fence != v.Record.Fence {
					t.Errorf("claim %d, another server: %v of fence %d, want %d; %v", i, again.Outcome, again.Record.Fence, v.Record.Fence, err)
				}
			}
			if r.cut.cuts != 3 {
				t.Errorf("%d cuts", r.cut.cuts)
			}
		})
	}
}

// TestReplacementWithoutAnswer cuts at the UPDATE of a takeover, which is the
// third message that names the key, behind the INSERT and the SELECT.
func TestReplacementWithoutAnswer(t *testing.T) {
	r := newRig(t, Options{})
	r.hold("cut-here")
	seen := 0
	var third func(*cutConn, []byte) (int, error)
	third = func(c *cutConn, message []byte) (int, error) {
		if seen++; seen == 3 {
			return answerLost(c, message)
		}
		r.cut.arm("cut-here", third)
		return c.Conn.Write(message)
	}
	r.cut.arm("cut-here", third)
	v, err := r.claim(r.store, "cut-here", begin.Add(engine.DefaultPolicy().Lease))
	if err != nil || !v.Takeover() || v.Before == nil || v.Record.Fence == v.Before.Fence || seen != 3 {
		t.Errorf("takeover: %+v, %v, %d messages", v, err, seen)
	}
}
