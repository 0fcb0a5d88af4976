package outage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(pathEnv); path != "" {
		if err := serve(path); err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// server is a process that serves payments: this test binary, or the program.
type server struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	addr  string
	ended chan struct{}

	mu   sync.Mutex
	seen []string      // lines that it wrote
	more chan struct{} // closed when there is another one
}

// start starts a server and waits until it serves.
func start(t *testing.T, path string, lease time.Duration) *server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return launch(t, command(self, path, lease)).serving()
}

func command(program, path string, lease time.Duration) *exec.Cmd {
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), pathEnv+"="+path, leaseEnv+"="+lease.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	endWithParent(cmd.SysProcAttr)
	return cmd
}

// launch starts a process and listens to what it says.
func launch(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, cmd: cmd, ended: make(chan struct{}), more: make(chan struct{})}
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = to, to
	if s.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	t.Cleanup(s.kill)
	go s.follow(from)
	return s
}

// serving waits until the server serves.
func (s *server) serving() *server {
	s.t.Helper()
	s.addr = strings.TrimPrefix(s.wait("serving "), "serving ")
	return s
}

func (s *server) follow(out io.ReadCloser) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s.mu.Lock()
		s.seen = append(s.seen, lines.Text())
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
	}
	out.Close()
	_ = s.cmd.Wait()
	close(s.ended)
}

// wait waits for a line with these words, also one that came before.
func (s *server) wait(words string) string {
	s.t.Helper()
	return s.waitFor(1, words)
}

// waitFor waits for n such lines and returns the last of them.
func (s *server) waitFor(n int, words string) (line string) {
	s.t.Helper()
	for late := time.After(20 * time.Second); ; {
		line, found, more := s.said(n, words)
		if found {
			return line
		}
		select {
		case <-more:
		case <-s.ended:
			if line, found, _ = s.said(n, words); !found {
				s.t.Fatalf("the server ended; it said %q", s.seen)
			}
			return line
		case <-late:
			s.t.Fatalf("the server does not say %q but %q", words, s.seen)
		}
	}
}

// said looks for n lines, and gives what is closed when there are more.
func (s *server) said(n int, words string) (line string, found bool, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seen := range s.seen {
		if strings.Contains(seen, words) {
			line = seen
			n--
		}
		if n <= 0 {
			return line, true, s.more
		}
	}
	return "", n <= 0, s.more
}

// runs is how often the handler ran for a key, in this process.
func (s *server) runs(key string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.seen {
		if line == "run "+key {
			n++
		}
	}
	return n
}

func (s *server) letGo() {
	if _, err := io.WriteString(s.in, "go\n"); err != nil {
		s.t.Error(err)
	}
}

// stop ends the server in its own time.
func (s *server) stop() {
	s.t.Helper()
	_ = s.in.Close()
	if <-s.ended; !s.cmd.ProcessState.Success() {
		s.t.Fatalf("the server ended with %v", s.cmd.ProcessState)
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// reply is what a client got; status is 0 where it got none.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) replayed() bool { return r.header.Get("Idempotent-Replayed") == "true" }

// retryAfter is in seconds; 0 for none.
func (r reply) retryAfter() int {
	seconds, _ := strconv.Atoi(r.header.Get("Retry-After"))
	return seconds
}

var client = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// pay sends the payment of a key.
func (s *server) pay(key string, header ...string) reply {
	req, err := http.NewRequest("POST", "http://"+s.addr+"/pay", strings.NewReader(`{"amount":1}`))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer sk_live_1")
	req.Header.Set("Idempotency-Key", key)
	for _, name := range header {
		req.Header.Set(name, "1")
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// begin sends the payment of a key to a handler that waits, and returns when it
// does.
func (s *server) begin(key string) <-chan reply {
	s.t.Helper()
	got := make(chan reply, 1)
	go func() { got <- s.pay(key, "Wait") }()
	s.wait("run " + key)
	return got
}

// insist sends the payment of a key until the answer is no "wait", as a client
// that was told how long to wait would.
func (s *server) insist(key string) reply {
	s.t.Helper()
	for range 40 {
		r := s.pay(key)
		if r.status != http.StatusConflict && r.status != http.StatusServiceUnavailable {
			return r
		}
		if wait := r.retryAfter(); wait < 1 || wait > 30 {
			s.t.Fatalf("status %d with Retry-After %d", r.status, wait)
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("key %s is never answered", key)
	return reply{}
}

// paid is what B got: one for each payment that happened. No server may run.
func paid(t *testing.T, path string) int64 {
	t.Helper()
	store, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{NoCreate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var a, b *engine.Account
	err = store.View(context.Background(), func(tx engine.Tx) (err error) {
		if a, err = tx.Account(context.Background(), "A"); err == nil {
			b, err = tx.Account(context.Background(), "B")
		}
		return err
	})
	if err != nil || a == nil || b == nil || a.Balance+b.Balance != 1_000_000 {
		t.Fatalf("accounts %+v and %+v, %v", a, b, err)
	}
	return b.Balance
}

func database(t *testing.T) string { return filepath.Join(t.TempDir(), "pay.db") }

// want asserts status and whether it is a replay.
func (r reply) want(t *testing.T, status int, replayed bool) {
	t.Helper()
	if r.status != status || r.replayed() != replayed {
		t.Fatalf("status %d, replayed %v; want %d, %v: %s", r.status, r.replayed(), status, replayed, r.body)
	}
}
