package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"idem/crash"
	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/memstore"
)

func TestServed(t *testing.T) {
	l := start(t, Config{Policy: engine.HTTPPolicy()})
	first := l.do("POST", "/v1/payment_intents", "alice", "order-1001", intent)
	again := l.do("POST", "/v1/payment_intents", "alice", "order-1001", intent)
	if first.status != 201 || again.status != 201 || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v\n%+v", first, again)
	}
	if read := l.do("GET", first.header.Get("Location"), "alice", "", ""); read.status != 200 || read.body != first.body {
		t.Errorf("%+v", read)
	}
	for _, test := range []struct {
		method, path, credential string
		status                   int
	}{
		{"GET", "/healthz", "", 200},
		{"GET", "/readyz", "", 200},
		{"GET", "/v1/idempotency_policy", "", 200},
		{"GET", "/metrics", "", 200},
		{"GET", first.header.Get("Location"), "", 401},
		{"GET", first.header.Get("Location"), "bob", 404},
		{"GET", "/", "", 401},
		{"GET", "/", "alice", 404},
		{"POST", "/v1/payment_intents", "alice", 400},
	} {
		if got := l.do(test.method, test.path, test.credential, "", ""); got.status != test.status {
			t.Errorf("%s %s by %q: %d, want %d", test.method, test.path, test.credential, got.status, test.status)
		}
	}
}

// curl labels a body as a form where nobody says otherwise.
func TestContentTypeOfCurl(t *testing.T) {
	l := start(t, Config{})
	req, err := http.NewRequest("POST", "http://"+l.addr+"/v1/payment_intents", strings.NewReader(intent))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer a")
	req.Header.Set("Idempotency-Key", "k")
	resp, err := l.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 201 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestLogTellsOutcomesAndNoSecrets(t *testing.T) {
	l := start(t, Config{})
	l.do("POST", "/v1/payment_intents", "s3cr3t-credential", "order-1001-long", intent)
	l.do("POST", "/v1/payment_intents", "s3cr3t-credential", "order-1001-long", intent)
	l.do("POST", "/v1/payment_intents", "s3cr3t-credential", "order-1001-long", intent+" ")
	l.do("POST", "/v1/payment_intents", "", "order-1001-long", intent)
	l.end()
	var outcomes []any
	for _, line := range l.lines() {
		outcomes = append(outcomes, line["outcome"])
	}
	if got := fmt.Sprint(outcomes); got != "[executed replayed mismatch refused]" {
		t.Errorf("outcomes %s", got)
	}
	line := l.lines()[0]
	for name, want := range map[string]any{
		"method": "POST", "path": "/v1/payment_intents", "status": 201.0, "attempt": 1.0, "key": "order-10...",
	} {
		if line[name] != want {
			t.Errorf("%s is %v, want %v", name, line[name], want)
		}
	}
	for _, secret := range []string{"s3cr3t", httpidem.HashCredential("s3cr3t-credential"), "order-1001", "0xP", "evm:31337"} {
		if strings.Contains(l.logged.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, l.logged)
		}
	}
	if !strings.Contains(l.logged.String(), "every credential is accepted") {
		t.Error("the start does not say that anybody is a client")
	}
}

func TestMetrics(t *testing.T) {
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	l := start(t, Config{Now: func() time.Time { return now }})
	l.do("POST", "/v1/payment_intents", "a", "k", intent)
	l.do("POST", "/v1/payment_intents", "a", "k", intent)
	l.do("POST", "/v1/payment_intents", "a", "k", "x")
	now = now.Add(25 * time.Hour)
	l.do("POST", "/v1/payment_intents", "a", "k", intent)
	l.do("POST", "/v1/payment_intents", "b", "", intent)
	l.do("GET", "/v1/payment_intents", "b", "", intent)
	now = now.Add(25 * time.Hour)
	l.purge(t.Context())
	l.sweep(t.Context())
	text := l.do("GET", "/metrics", "", "", "").body
	for _, line := range []string{
		`idem_requests_total{outcome="executed"} 2`, `idem_requests_total{outcome="replayed"} 1`,
		`idem_requests_total{outcome="mismatch"} 1`, `idem_requests_total{outcome="refused"} 1`,
		`idem_requests_total{outcome="passed"} 1`, `idem_requests_total{outcome="lost"} 0`,
		"idem_claims_total 2", "idem_expired_reruns_total 1", "idem_takeovers_total 0", "idem_claims_lost_total 0",
		"idem_purged_keys_total 1", "idem_intents_expired_total 2", "idem_store_errors_total 0", "idem_record_dropped_total 0",
		`idem_request_duration_seconds_count{outcome="executed"} 2`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestStoreThatIsDown(t *testing.T) {
	store := memstore.New()
	l := start(t, Config{Store: store})
	store.Close()
	if got := l.do("GET", "/readyz", "", "", ""); got.status != 503 {
		t.Errorf("ready: %d", got.status)
	}
	if got := l.do("GET", "/healthz", "", "", ""); got.status != 200 {
		t.Errorf("health: %d", got.status)
	}
	if got := l.do("POST", "/v1/payment_intents", "a", "k", intent); got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Errorf("payment: %d", got.status)
	}
	l.purge(t.Context())
	if text := l.do("GET", "/metrics", "", "", "").body; !strings.Contains(text, "idem_store_errors_total 2\n") {
		t.Error(text)
	}
}

// A stop finishes what runs and takes nothing new.
func TestStopFinishesWhatRuns(t *testing.T) {
	g := &gate{Store: memstore.New(), arrived: make(chan struct{}), release: make(chan struct{})}
	l := start(t, Config{Store: g})
	running := make(chan answer, 1)
	go func() { running <- l.do("POST", "/v1/payment_intents", "a", "k", intent) }()
	<-g.arrived
	l.stop()
	for { // the listener closes at once
		conn, err := net.Dial("tcp", l.addr)
		if err != nil {
			break
		}
		conn.Close()
	}
	select {
	case err := <-l.ended:
		t.Fatalf("ended while a request ran: %v", err)
	default:
	}
	close(g.release)
	if got := <-running; got.status != 201 {
		t.Errorf("status %d", got.status)
	}
	if err := <-l.ended; err != nil {
		t.Error(err)
	}
}

// Two hundred clients that never end their headers do not keep a good one from
// being served.
func TestSlowClientsDoNotStopAGoodOne(t *testing.T) {
	l := start(t, Config{})
	for i := range 200 {
		conn, err := net.Dial("tcp", l.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		text := "POST /v1/payment_intents HTTP/1.1\r\nHost: x\r\n"
		if i%2 == 0 { // half of them do not end their bodies
			text += "Authorization: Bearer slow\r\nIdempotency-Key: k\r\nContent-Length: 1000000\r\n\r\n{"
		}
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.do("POST", "/v1/payment_intents", "good", "k", intent); got.status != 201 {
		t.Errorf("status %d", got.status)
	}
	srv := l.httpServer()
	if srv.ReadHeaderTimeout <= 0 || srv.ReadTimeout <= 0 || srv.IdleTimeout <= 0 || srv.WriteTimeout <= l.cfg.Policy.Lease+srv.ReadTimeout {
		t.Errorf("timeouts %v, %v, %v, %v", srv.ReadHeaderTimeout, srv.ReadTimeout, srv.IdleTimeout, srv.WriteTimeout)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	l := start(t, Config{MaxConns: 1})
	first, err := net.Dial("tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	hello := func(conn net.Conn) *http.Response {
		_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	hello(first)
	second, err := net.Dial("tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	_, _ = io.WriteString(second, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	_ = second.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := second.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes for a connection beyond the bound", n)
	}
	first.Close()
	_ = second.SetReadDeadline(time.Time{})
	if resp, err := http.ReadResponse(bufio.NewReader(second), nil); err != nil || resp.StatusCode != 200 {
		t.Errorf("%v", err)
	}
}

// A key of 64 KiB fits the bound on headers, so that its sender is told what is
// wrong; more than the bound is net/http's to refuse.
func TestLargeHeaders(t *testing.T) {
	l := start(t, Config{})
	if got := l.do("POST", "/v1/payment_intents", "a", strings.Repeat("k", 64<<10), intent); got.status != 400 {
		t.Errorf("status %d", got.status)
	}
	if most := l.httpServer().MaxHeaderBytes; most <= 64<<10 || most > 256<<10 {
		t.Errorf("bound %d", most)
	}
}

func TestPurgeRunsByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		s, err := New(t.Context(), Config{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		claim := func(key string, age time.Duration, complete bool) {
			p := engine.HTTPPolicy()
			c, err := p.Claim(engine.Request{ClientID: "c", Key: key}, time.Now().Add(-age))
			if err != nil {
				t.Fatal(err)
			}
			v, err := store.Claim(t.Context(), c, p)
			if err != nil {
				t.Fatal(err)
			}
			if complete {
				done := engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: c.Now}
				_, _, err := store.Complete(t.Context(), done, p, func(context.Context, engine.Tx) (engine.Reply, error) {
					return engine.Reply{Status: 201}, nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		const old = 25 * time.Hour
		claim("old and completed", old, true)
		claim("old and abandoned", old, false)
		claim("fresh and completed", 0, true)
		claim("fresh and running", 0, false)
		for i := range 3 * purgeBatch {
			claim(fmt.Sprint("many ", i), old, true)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go s.lookAfter(ctx)
		time.Sleep(DefaultPurgeEvery)
		synctest.Wait()
		cancel()
		for key, kept := range map[string]bool{
			"old and completed": false, "old and abandoned": false, "many 1234": false,
			"fresh and completed": true, "fresh and running": true,
		} {
			err := store.View(t.Context(), func(tx engine.Tx) error {
				rec, err := tx.Record(t.Context(), engine.ScopedKey{ClientID: "c", Key: key})
				if (rec != nil) != kept {
					t.Errorf("%s: kept %v", key, rec != nil)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// sealing is a store that counts its sealings; each finds what was made since.
type sealing struct {
	engine.Store
	waiting, sealed atomic.Int64
}

func (s *sealing) Seal(_ context.Context, limit int) (int, error) {
	n := min(s.waiting.Load(), int64(limit))
	s.waiting.Add(-n)
	s.sealed.Add(n)
	return int(n), nil
}

// TestTransfersAreSealed within seconds, however many they are, and at the end
// those that came last.
func TestTransfersAreSealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &sealing{Store: memstore.New()}
		s, err := New(t.Context(), Config{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go s.lookAfter(ctx)
		store.waiting.Store(3*sealBatch + 1)
		time.Sleep(sealEvery)
		synctest.Wait()
		if n := store.sealed.Load(); n != 3*sealBatch+1 {
			t.Errorf("%d are sealed after %s", n, sealEvery)
		}
		store.waiting.Store(1)
		cancel()
		synctest.Wait()
		if n := store.waiting.Load(); n != 0 {
			t.Errorf("%d are not sealed at the end", n)
		}
	})
}

// faulty is a store with a defect in its purge.
type faulty struct{ engine.Store }

func (faulty) Purge(context.Context, time.Time, time.Time, int) (int, error) { panic("defect") }

// A panic outside a request ends the server as a signal does, and is told.
func TestPanicOfAJob(t *testing.T) {
	l := start(t, Config{Store: faulty{memstore.New()}, PurgeEvery: time.Millisecond})
	if err := <-l.ended; !errors.As(err, new(*crash.Panic)) {
		t.Errorf("ended with %v", err)
	}
	if !strings.Contains(l.logged.String(), "finishing what runs") {
		t.Errorf("it did not stop in order:\n%s", l.logged.String())
	}
}
