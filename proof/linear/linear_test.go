package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"idem/analysis"
	"idem/analysis/verify"
	"idem/engine/pgstore/pgtest"
)

// history is what all clients saw.
type history struct {
	mu    sync.Mutex
	began time.Time
	ops   []porcupine.Operation
	next  int // key
}

// record sends a request and notes what was seen of it.
func (h *history) record(client *http.Client, addr string, id int, in Input) Output {
	call := time.Since(h.began).Nanoseconds()
	out := send(client, addr, in)
	ret := time.Since(h.began).Nanoseconds()
	if out.Kind == Unknown {
		ret = math.MaxInt64 // it may happen yet
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: id, Input: in, Call: call, Output: out, Return: ret})
	return out
}

// draw picks one of the newest keys, now and then a new one.
func (h *history) draw(random *rand.Rand) Input {
	h.mu.Lock()
	defer h.mu.Unlock()
	if random.IntN(6) == 0 {
		h.next++
	}
	in := Input{Key: fmt.Sprint("k", max(0, h.next-random.IntN(6))), Variant: 1}
	if random.IntN(5) == 0 {
		in.Variant = 2
	}
	return in
}

const senders = 8

// seconds is how long the servers are troubled.
func seconds(t *testing.T) int {
	text := os.Getenv("LINEAR_SECONDS")
	if text == "" {
		return 4
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTwoServersOneFile sends keys to two servers on one SQLite file, which are
// killed and stopped meanwhile. What the clients saw must be linearizable for
// each key, and the file must bear its audit.
func TestTwoServersOneFile(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	s := startServers(t, 2, "sqlite:pay.db")
	paid := s.bear(t)
	ctx := context.Background()
	f, err := analysis.OpenFile(ctx, filepath.Join(s.dir, "pay.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := verify.Ledger(ctx, f, verify.Options{Now: time.Now()})
	audited(t, r, err, paid)
}

// TestThreeServersOnPostgres is the same with three servers on one Postgres,
// which crashes now and then, too.
func TestThreeServersOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	db, err := pgtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Stop(); err != nil {
			t.Error(err)
		}
	}()
	// Killed servers' transactions must not hold their locks for long.
	s := startServers(t, 3, db.DSN("postgres")+"&pool_max_conns=6&lock_timeout=1000&idle_in_transaction_session_timeout=500")
	s.crash = db.Crash
	paid := s.bear(t)
	r, err := verify.Database(context.Background(), db.DSN("postgres"), verify.Options{Now: time.Now()})
	audited(t, r, err, paid)
}

// bear sends keys to the servers while they are troubled, judges what was
// answered, stops the servers and returns how many keys are paid.
func (s *servers) bear(t *testing.T) (paid int64) {
	h := &history{began: time.Now()}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds(t))*time.Second)
	defer cancel()
	client := &http.Client{Timeout: 400 * time.Millisecond, Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
	defer client.CloseIdleConnections()
	var running sync.WaitGroup
	for id := range senders {
		running.Go(func() {
			random := rand.New(rand.NewPCG(uint64(id), 1))
			for ctx.Err() == nil {
				if h.record(client, s.addr[random.IntN(len(s.addr))], id, h.draw(random)).Kind == Unknown {
					pause(ctx, 20*time.Millisecond)
				}
			}
		})
	}
	s.trouble(ctx, rand.New(rand.NewPCG(7, 7)))
	running.Wait()
	paid = h.settle(t, client, s)
	for i := range s.process {
		s.signal(i, syscall.SIGTERM)
	}
	h.judge(t, s)
	return paid
}

// settle sends every key until it is paid or is the other request's, and returns
// how many are paid.
func (h *history) settle(t *testing.T, client *http.Client, s *servers) (paid int64) {
	for k := range h.next + 1 {
		in := Input{Key: fmt.Sprint("k", k), Variant: 1}
		for until := time.Now().Add(lease + 20*time.Second); ; {
			out := h.record(client, s.addr[k%len(s.addr)], senders, in)
			if out.Kind == Created || out.Kind == Replayed {
				paid++
				break
			}
			if out.Kind == Mismatch {
				in.Variant = 3 - in.Variant
			}
			if time.Now().After(until) {
				t.Fatalf("key %s is stuck: %+v", in.Key, out)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return paid
}

func (h *history) judge(t *testing.T, s *servers) {
	var counts [Mismatch + 1]int
	for _, op := range h.ops {
		counts[op.Output.(Output).Kind]++
	}
	t.Logf("linear: %d servers, %d requests under %d keys: %d created, %d replayed, %d conflicts, %d mismatches, %d without an answer; %d kills, %d stops, %d database crashes",
		len(s.addr), len(h.ops), h.next+1, counts[Created], counts[Replayed], counts[Conflict], counts[Mismatch], counts[Unknown], s.kills.Load(), s.stop.Load(), s.crashes.Load())
	if slices.Contains(counts[:], 0) || s.kills.Load() == 0 {
		t.Error("some kind of answer never came, or nothing was killed: the servers were not troubled")
	}
	result, info := porcupine.CheckOperationsVerbose(Model(), h.ops, time.Minute)
	if result != porcupine.Ok {
		path := filepath.Join(os.TempDir(), "idem-"+t.Name()+".html")
		t.Errorf("the history is not linearizable: %s; see %s, %v", result, path, porcupine.VisualizePath(Model(), info, path))
	}
	first := slices.IndexFunc(h.ops, func(op porcupine.Operation) bool { return op.Output.(Output).Kind == Created })
	doctored := append(slices.Clone(h.ops), porcupine.Operation{Input: h.ops[first].Input, Call: math.MaxInt64 - 2, Output: Output{Created, "again"}, Return: math.MaxInt64 - 1})
	if porcupine.CheckOperations(Model(), doctored) {
		t.Error("a second payment goes unnoticed in this history")
	}
}

// audited: the audit holds, and found as many sealed transfers as keys were paid.
func audited(t *testing.T, r *verify.Report, err error, paid int64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !r.Holds() || r.Head.N != paid {
		t.Errorf("%d keys are paid, and the ledger has %d transfers: %+v", paid, r.Head.N, r.Checks)
	}
}
