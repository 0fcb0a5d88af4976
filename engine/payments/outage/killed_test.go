package outage

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A server is killed between the claim and the completion. Until the lease ends
// the key is nobody's to run; then a retry runs it as the second attempt.
func TestKilledWhileTheHandlerRuns(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	path := database(t)
	first := start(t, path, lease)
	begun := time.Now()
	lost := first.begin("k")
	first.kill()
	if r := <-lost; r.status != 0 {
		t.Fatalf("a killed server answered %d", r.status)
	}
	second := start(t, path, lease)
	atOnce := second.pay("k")
	atOnce.want(t, http.StatusConflict, false)
	if left := atOnce.retryAfter(); left < 1 || left > 2 || !strings.Contains(atOnce.body, "in_progress") {
		t.Errorf("Retry-After %d: %s", left, atOnce.body)
	}
	r := second.insist("k")
	if r.want(t, http.StatusCreated, false); time.Since(begun) < lease {
		t.Errorf("the claim was taken over after %v", time.Since(begun))
	}
	second.wait("told k 201 executed 2")
	again := second.pay("k")
	if again.want(t, http.StatusCreated, true); again.body != r.body {
		t.Errorf("replayed %s, want %s", again.body, r.body)
	}
	second.kill()
	if n := paid(t, path); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// A server is killed at the moment at which its client has the last byte: what
// was sent was saved before.
func TestKilledAfterTheLastByte(t *testing.T) {
	t.Parallel()
	path := database(t)
	s := start(t, path, time.Minute)
	for i := range 6 {
		key := fmt.Sprint("k", i)
		body := lastByte(t, s, key)
		s.kill()
		if s.runs(key) != 1 {
			t.Errorf("key %s ran %d times", key, s.runs(key))
		}
		s = start(t, path, time.Minute)
		r := s.pay(key)
		if r.want(t, http.StatusCreated, true); r.body != body {
			t.Errorf("replayed %s, want %s", r.body, body)
		}
	}
	s.kill()
	if n := paid(t, path); n != 6 {
		t.Errorf("%d payments for 6 keys", n)
	}
}

// lastByte sends a payment by hand and returns as soon as the reply is whole.
func lastByte(t *testing.T, s *server, key string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"amount":1}`
	fmt.Fprintf(conn, "POST /pay HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer sk_live_1\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", s.addr, key, len(body), body)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, resp.ContentLength)
	if _, err := io.ReadFull(resp.Body, reply); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return string(reply)
}

// Servers are killed while requests of many keys are at every step: some not yet
// claimed, some running, some answered. In the end each key has paid once, and
// whoever had an answer gets the same one again.
func TestKilledAmongManyKeys(t *testing.T) {
	t.Parallel()
	const rounds, keys = 8, 12
	path := database(t)
	for round := range rounds {
		s := start(t, path, 500*time.Millisecond)
		first := make([]reply, keys)
		var all sync.WaitGroup
		for i := range keys {
			all.Go(func() { first[i] = s.pay(fmt.Sprint(round, "-", i)) })
		}
		// Replies leave in groups: they share a commit.
		s.waitFor(round*keys/(rounds-1), []string{"run ", "told "}[round%2])
		s.kill()
		all.Wait()
		s = start(t, path, 500*time.Millisecond)
		answered := 0
		for i := range keys {
			r := s.insist(fmt.Sprint(round, "-", i))
			if r.status != http.StatusCreated {
				t.Fatalf("status %d: %s", r.status, r.body)
			}
			if first[i].status == 0 {
				continue
			}
			if answered++; !r.replayed() || r.body != first[i].body {
				t.Errorf("a client that had %d %s was then told %s", first[i].status, first[i].body, r.body)
			}
		}
		t.Logf("round %d: %d of %d were answered before the kill", round, answered, keys)
		s.kill()
	}
	if n := paid(t, path); n != rounds*keys {
		t.Errorf("%d payments for %d keys", n, rounds*keys)
	}
}
