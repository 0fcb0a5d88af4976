package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idem/engine"
	"idem/engine/pgstore"
	"idem/engine/pgstore/pgtest"
)

// lockRow opens a transaction of somebody else's that holds what query locks,
// until the test ends or the returned function is called.
func lockRow(tb testing.TB, dsn, query string) (release func()) {
	tb.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close(ctx) })
	for _, text := range []string{"BEGIN", query} {
		if _, err := conn.Exec(ctx, text); err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
	}
	return func() { conn.Close(ctx) }
}

// TestBusy proves that what cannot be had in time is ErrBusy, that nothing was
// written, and that the same again succeeds when it can be had.
func TestBusy(t *testing.T) {
	for name, lock := range map[string]string{
		"the record is locked": "SELECT 1 FROM idempotency_key FOR UPDATE",
		"the target is locked": "SELECT 1 FROM account WHERE acct_id = 'a' FOR UPDATE",
		"the table is locked":  "LOCK TABLE transfer_claim IN ACCESS EXCLUSIVE MODE",
		"the source is locked": "SELECT 1 FROM account WHERE acct_id = 'b' FOR UPDATE",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.Database(t)
			s := openStore(t, dsn, pgstore.Options{Wait: 300 * time.Millisecond})
			openAccounts(t, s, "a", "b")
			held := hold(t, s, "k")
			release := lockRow(t, dsn, lock)
			_, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order("T1", "b", "a", 5))
			if !errors.Is(err, engine.ErrBusy) {
				t.Errorf("complete: %v, %v; want ErrBusy", settled, err)
			}
			release()
			if n := number(t, dsn, "SELECT count(*) FROM transfer"); n != 0 || balance(t, s, "a") != 1000 {
				t.Errorf("busy and yet it wrote: %d transfers", n)
			}
			s = openStore(t, dsn, pgstore.Options{})
			if _, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order("T1", "b", "a", 5)); err != nil || settled != engine.Kept {
				t.Errorf("again: %v, %v", settled, err)
			}
		})
	}
}

// TestClaimDoesNotWait: while a completion holds the record, a retry gets its
// answer at once.
func TestClaimDoesNotWait(t *testing.T) {
	dsn := pgtest.Database(t)
	s := openStore(t, dsn, pgstore.Options{Tries: 1})
	held := hold(t, s, "k")
	_, _, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), func(ctx context.Context, _ engine.Tx) (engine.Reply, error) {
		v, err := s.Claim(ctx, claimOf("k"), engine.DefaultPolicy())
		if err != nil || v.Outcome != engine.InFlight {
			t.Errorf("a retry meanwhile is %v, %v", v.Outcome, err)
		}
		return engine.Reply{Status: 201}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPoolExhausted: a pool whose connections are all in use is busy, not down.
func TestPoolExhausted(t *testing.T) {
	s := openStore(t, pgtest.Database(t), pgstore.Options{MaxConns: 1, Wait: 300 * time.Millisecond})
	held := hold(t, s, "k")
	_, _, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), func(ctx context.Context, _ engine.Tx) (engine.Reply, error) {
		if _, err := s.Claim(ctx, claimOf("other"), engine.DefaultPolicy()); !errors.Is(err, engine.ErrBusy) {
			t.Errorf("claim: %v, want ErrBusy", err)
		}
		if err := s.View(ctx, func(engine.Tx) error { return nil }); !errors.Is(err, engine.ErrBusy) {
			t.Errorf("view: %v, want ErrBusy", err)
		}
		return engine.Reply{Status: 201}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestReadOnly: a database that takes no writes is unavailable.
func TestReadOnly(t *testing.T) {
	dsn := pgtest.Database(t)
	held := hold(t, openStore(t, dsn, pgstore.Options{}), "k")
	s := openStore(t, pgtest.With(t, dsn, "default_transaction_read_only", "on"), pgstore.Options{})
	if err := s.View(context.Background(), func(engine.Tx) error { return nil }); err != nil {
		t.Errorf("view: %v", err)
	}
	if _, err := s.Claim(context.Background(), claimOf("new"), engine.DefaultPolicy()); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("claim: %v, want ErrUnavailable", err)
	}
	if _, _, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order("T1", "a", "b", 1)); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("complete: %v, want ErrUnavailable", err)
	}
}

// TestSettings: what would lose acknowledged completions is refused.
func TestSettings(t *testing.T) {
	dsn := pgtest.Database(t)
	for _, bad := range []string{pgtest.With(t, dsn, "synchronous_commit", "off"), "postgres://[", "nonsense"} {
		if _, err := pgstore.Open(context.Background(), bad, pgstore.Options{}); !errors.Is(err, pgstore.ErrSettings) {
			t.Errorf("%s: %v, want ErrSettings", bad, err)
		}
	}
	missing := pgtest.Shared(t).DSN("no_such_database")
	if _, err := pgstore.Open(context.Background(), missing, pgstore.Options{}); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("a missing database: %v, want ErrUnavailable", err)
	}
}

// TestStoppedServer: a server that was stopped inside a completion keeps its
// locks no longer than Options.Idle, and then it writes nothing.
func TestStoppedServer(t *testing.T) {
	dsn := pgtest.Database(t)
	stopped := openStore(t, dsn, pgstore.Options{Idle: 300 * time.Millisecond, Tries: 1})
	other := openStore(t, dsn, pgstore.Options{})
	openAccounts(t, other, "a", "b")
	held := hold(t, stopped, "k")
	_, settled, err := stopped.Complete(context.Background(), held, engine.DefaultPolicy(), func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		if _, err := order("T-stopped", "a", "b", 5)(ctx, tx); err != nil {
			t.Errorf("the effect: %v", err)
		}
		// Waits for the stopped one's lock, and that is all the waiting there is.
		if _, settled, err := other.Complete(ctx, held, engine.DefaultPolicy(), order("T-other", "a", "b", 5)); err != nil || settled != engine.Kept {
			t.Errorf("the other server: %v, %v", settled, err)
		}
		return engine.Reply{Status: 201}, nil
	})
	if !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("the stopped server: %v, %v", settled, err)
	}
	if balance(t, other, "a") != 995 {
		t.Errorf("a has %d, want 995", balance(t, other, "a"))
	}
}

// TestTwoServersOneKey lets two servers race for each of many keys.
func TestTwoServersOneKey(t *testing.T) {
	dsn := pgtest.Database(t)
	servers := []*pgstore.Store{openStore(t, dsn, pgstore.Options{}), openStore(t, dsn, pgstore.Options{})}
	openAccounts(t, servers[0], "a", "b")
	fences := map[engine.Fence]bool{}
	for i := range 30 {
		name := fmt.Sprint(i)
		var verdicts [2]engine.Verdict
		var wg sync.WaitGroup
		for n, s := range servers {
			wg.Go(func() {
				var err error
				if verdicts[n], err = s.Claim(context.Background(), claimOf(name), engine.DefaultPolicy()); err != nil {
					t.Errorf("claim: %v", err)
				}
				if verdicts[n].Outcome != engine.Fresh {
					return
				}
				held := engine.Completion{Key: verdicts[n].Record.Key, Fence: verdicts[n].Record.Fence, Now: begin}
				if _, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order("T"+name, "a", "b", 1)); err != nil || settled != engine.Kept {
					t.Errorf("complete: %v, %v", settled, err)
				}
			})
		}
		wg.Wait()
		if (verdicts[0].Outcome == engine.Fresh) == (verdicts[1].Outcome == engine.Fresh) {
			t.Errorf("key %s: %v and %v", name, verdicts[0].Outcome, verdicts[1].Outcome)
		}
		if fences[verdicts[0].Record.Fence] {
			t.Errorf("fence %d was given out twice", verdicts[0].Record.Fence)
		}
		fences[verdicts[0].Record.Fence] = true
	}
	if got := balance(t, servers[0], "b"); got != 1030 {
		t.Errorf("30 keys paid %d", got-1000)
	}
}

// TestStartTogether opens an empty database from several servers at once.
func TestStartTogether(t *testing.T) {
	for range 3 {
		dsn := pgtest.Database(t)
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				s, err := pgstore.Open(context.Background(), dsn, pgstore.Options{})
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				defer s.Close()
				if _, err := s.Claim(context.Background(), claimOf(fmt.Sprint(n)), engine.DefaultPolicy()); err != nil {
					t.Errorf("claim: %v", err)
				}
			})
		}
		wg.Wait()
		if n := number(t, dsn, "SELECT count(*) FROM idem_migration WHERE version_id = 1"); n != 1 {
			t.Errorf("migrated %d times", n)
		}
	}
}

// TestNewerSchema: tables of a newer version are left alone.
func TestNewerSchema(t *testing.T) {
	dsn := pgtest.Database(t)
	openStore(t, dsn, pgstore.Options{})
	number(t, dsn, "WITH newer AS (INSERT INTO idem_migration (version_id, is_applied) VALUES (99, true) RETURNING 1) SELECT count(*) FROM newer")
	if _, err := pgstore.Open(context.Background(), dsn, pgstore.Options{}); !errors.Is(err, pgstore.ErrSchema) {
		t.Errorf("open: %v, want ErrSchema", err)
	}
}

// TestCrash stops the database at once, under load, and starts it again, several
// times. What was acknowledged is there afterwards, no key has paid twice, and
// a worker whose answer was lost is told what happened, or that it is unknown.
func TestCrash(t *testing.T) {
	server, err := pgtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	dsn := server.DSN("postgres")
	s := openStore(t, dsn, pgstore.Options{})
	openAccounts(t, s, "a", "b")
	var stop atomic.Bool
	var acknowledged sync.Map
	var paid, failures atomic.Int64
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				name := fmt.Sprintf("%d-%d", worker, i)
				if payOnce(t, s, name) {
					acknowledged.Store(name, true)
					paid.Add(1)
				} else {
					failures.Add(1)
				}
			}
		})
	}
	for crash := range 3 {
		for before := paid.Load(); paid.Load() < before+40; {
			time.Sleep(time.Millisecond)
		}
		if err := server.Crash(); err != nil {
			t.Errorf("crash %d: %v", crash, err)
		}
	}
	stop.Store(true)
	wg.Wait()
	if failures.Load() == 0 {
		t.Error("nobody noticed the crashes: the test proves nothing")
	}
	checkAcknowledged(t, s, &acknowledged)
	transfers := number(t, dsn, "SELECT count(*) FROM transfer")
	if transfers < paid.Load() || balance(t, s, "b") != 1000+transfers || balance(t, s, "a") != 1000-transfers {
		t.Errorf("%d acknowledged, %d transfers, balances %d and %d", paid.Load(), transfers, balance(t, s, "a"), balance(t, s, "b"))
	}
	if n := number(t, dsn, "SELECT count(*) FROM (SELECT life FROM transfer_claim GROUP BY life HAVING count(*) > 1) AS twice"); n != 0 {
		t.Errorf("%d lives paid twice", n)
	}
	if n := number(t, dsn, "SELECT count(*) FROM idempotency_key AS k WHERE (state = 'completed') <> EXISTS (SELECT 1 FROM transfer_claim AS c WHERE c.life = k.life)"); n != 0 {
		t.Errorf("%d records without their transfer, or the other way round", n)
	}
}

// payOnce claims and completes, and reports whether that was acknowledged.
func payOnce(t *testing.T, s engine.Store, name string) bool {
	v, err := s.Claim(context.Background(), claimOf(name), engine.DefaultPolicy())
	if err != nil {
		checkFailure(t, err)
		return false
	}
	if v.Outcome != engine.Fresh {
		t.Errorf("a new key is %v", v.Outcome)
	}
	held := engine.Completion{Key: v.Record.Key, Fence: v.Record.Fence, Now: begin}
	_, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order(name, "a", "b", 1))
	if err != nil {
		checkFailure(t, err)
		return false
	}
	return settled == engine.Kept
}

func checkFailure(t *testing.T, err error) {
	if !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, engine.ErrBusy) && !errors.Is(err, engine.ErrUnknownCommit) {
		t.Errorf("an error without a class: %v", err)
	}
}

func checkAcknowledged(t *testing.T, s engine.Store, acknowledged *sync.Map) {
	t.Helper()
	err := s.View(context.Background(), func(tx engine.Tx) error {
		acknowledged.Range(func(name, _ any) bool {
			r, err := tx.Record(context.Background(), claimOf(name.(string)).Key)
			tr, err2 := tx.Transfer(context.Background(), name.(string))
			if err != nil || err2 != nil || r == nil || r.State != engine.Completed || tr == nil {
				t.Errorf("acknowledged %s is %+v, %+v, %v, %v", name, r, tr, err, err2)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestDown: no database is ErrUnavailable at once, and a store that was open
// works again when the database is back.
func TestDown(t *testing.T) {
	server, err := pgtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	s := openStore(t, server.DSN("postgres"), pgstore.Options{})
	held := hold(t, s, "k")
	if err := server.Kill(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(context.Background(), claimOf("new"), engine.DefaultPolicy()); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("claim: %v, want ErrUnavailable", err)
	}
	if _, _, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order("T", "a", "b", 1)); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("complete: %v, want ErrUnavailable", err)
	}
	if _, err := pgstore.Open(context.Background(), server.DSN("postgres"), pgstore.Options{}); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("open: %v, want ErrUnavailable", err)
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	if _, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order("T", "a", "b", 1)); err != nil || settled != engine.Kept {
		t.Errorf("after the restart: %v, %v", settled, err)
	}
}
