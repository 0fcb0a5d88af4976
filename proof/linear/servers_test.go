package linear

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// lease is that of the servers' policy: short, so that takeovers happen.
const lease = time.Second

// servers are processes of idem serve on one store.
type servers struct {
	tb          testing.TB
	idem, dir   string
	store       string // as --store names it, seen from dir
	mu          sync.Mutex
	process     []*exec.Cmd
	addr        []string
	kills, stop atomic.Int64
	// crash ends the store's own server and starts it again; nil for a file.
	crash   func() error
	crashes atomic.Int64
}

func startServers(tb testing.TB, n int, store string) *servers {
	tb.Helper()
	s := &servers{tb: tb, dir: tb.TempDir(), store: store, process: make([]*exec.Cmd, n), addr: make([]string, n)}
	s.idem = filepath.Join(s.dir, "idem")
	build := exec.Command("go", "build", "-o", s.idem, "idem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	s.write("accounts.json", `[{"acct_id":"A","holder":"a","balance":1000000},{"acct_id":"B","holder":"b","balance":0}]`)
	s.write("policy.json", `{"scope":["client_id","idem_key"],"fingerprint":"request","lease_seconds":1}`)
	for i := range s.process {
		s.addr[i] = freeAddr(tb)
		s.start(i)
	}
	tb.Cleanup(func() {
		for i := range s.process {
			s.signal(i, syscall.SIGKILL)
		}
	})
	return s
}

func (s *servers) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.tb.Fatal(err)
	}
}

func freeAddr(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts server i and waits until it answers.
func (s *servers) start(i int) {
	cmd := exec.Command(s.idem, "serve", "--addr", s.addr[i], "--store", s.store, "--accounts", "accounts.json", "--policy", "policy.json")
	cmd.Dir = s.dir
	if err := cmd.Start(); err != nil {
		s.tb.Error(err)
		return
	}
	s.mu.Lock()
	s.process[i] = cmd
	s.mu.Unlock()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", s.addr[i]); err == nil {
			c.Close()
			return
		}
	}
	s.tb.Errorf("server %d does not answer", i)
}

func (s *servers) signal(i int, sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process[i] == nil {
		return
	}
	_ = s.process[i].Process.Signal(sig) // it may have ended
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM {
		_ = s.process[i].Wait()
		s.process[i] = nil
	}
}

// trouble kills servers, or stops them beyond their lease, or crashes their
// database, until ctx ends.
func (s *servers) trouble(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(100+random.IntN(250))*time.Millisecond)
		i := random.IntN(len(s.process))
		if s.crash != nil && (s.crashes.Load() == 0 || random.IntN(8) == 0) {
			if err := s.crash(); err != nil {
				s.tb.Error(err)
			}
			s.crashes.Add(1)
			continue
		}
		if random.IntN(4) == 0 {
			s.signal(i, syscall.SIGSTOP)
			pause(ctx, lease+lease/4)
			s.signal(i, syscall.SIGCONT)
			s.stop.Add(1)
			continue
		}
		s.signal(i, syscall.SIGKILL)
		s.kills.Add(1)
		s.start(i)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// send sends a request and says what became of it.
func send(client *http.Client, addr string, in Input) Output {
	body := fmt.Sprintf(`{"src":"A","dst":"B","amount":%d,"currency":"KRW"}`, in.Variant)
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/transfers", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer c")
	req.Header.Set("Idempotency-Key", in.Key)
	resp, err := client.Do(req)
	if err != nil {
		return Output{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil || resp.StatusCode >= 500:
		return Output{}
	case resp.StatusCode == 201 && resp.Header.Get("Idempotent-Replayed") == "true":
		return Output{Replayed, string(text)}
	case resp.StatusCode == 201:
		return Output{Created, string(text)}
	case resp.StatusCode == 409:
		return Output{Kind: Conflict}
	case resp.StatusCode == 422:
		return Output{Kind: Mismatch}
	}
	panic("an answer that nobody expects: " + strconv.Itoa(resp.StatusCode) + " " + string(text))
}
