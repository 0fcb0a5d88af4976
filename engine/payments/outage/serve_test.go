package outage

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to read the day

	"idem/engine"
	"idem/engine/sqlitestore"
)

// programs is the folder that idem is built in.
var programs string

// idem is the program itself, built once.
var idem = sync.OnceValues(func() (path string, err error) {
	if programs, err = os.MkdirTemp("", "outage"); err != nil {
		return "", err
	}
	path = filepath.Join(programs, "idem")
	if out, err := exec.Command("go", "build", "-o", path, "idem").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// run runs the program with arguments.
func run(t *testing.T, args ...string) *server {
	t.Helper()
	program, err := idem()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	endWithParent(cmd.SysProcAttr)
	return launch(t, cmd)
}

// serveIdem runs "idem serve" and waits until it serves.
func serveIdem(t *testing.T, args ...string) *server {
	t.Helper()
	s := run(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	_, rest, _ := strings.Cut(s.wait("msg=serving"), "addr=")
	s.addr, _, _ = strings.Cut(rest, " ")
	return s
}

// holdLock is another process's write transaction, as far as SQLite can tell.
func holdLock(t *testing.T, path string) (release func()) {
	t.Helper()
	store, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	held, released, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- store.Update(context.Background(), func(tx engine.Tx) error {
			close(held)
			<-released
			return nil
		})
	}()
	<-held
	return func() {
		close(released)
		if err := <-done; err != nil {
			t.Error(err)
		}
		store.Close()
	}
}

// Another process holds the lock on the file for longer than the server waits:
// the answer is 503, never 409, and nothing runs.
func TestLockHeldForTooLong(t *testing.T) {
	t.Parallel()
	path := database(t)
	s := start(t, path, time.Minute)
	release := holdLock(t, path)
	for range 2 {
		r := s.pay("k")
		if r.want(t, http.StatusServiceUnavailable, false); r.retryAfter() < 1 {
			t.Errorf("no Retry-After: %v", r.header)
		}
	}
	release()
	if s.runs("k") != 0 {
		t.Error("the handler ran")
	}
	s.pay("k").want(t, http.StatusCreated, false)
	s.kill()
	if n := paid(t, path); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// A stop finishes the request that runs, which waits for the lock on the file
// here, takes no new one, and is no failure.
func TestStopFinishesWhatRuns(t *testing.T) {
	t.Parallel()
	path := database(t)
	s := serveIdem(t, "--store", "sqlite:"+path)
	release := holdLock(t, path)
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"chain":"c","token":"t","payer":"p","merchant":"m","amount":"1"}`
	from := bufio.NewReader(conn)
	fmt.Fprintf(conn, "POST /v1/payment_intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_live_1\r\nIdempotency-Key: k\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	if line, err := from.ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") {
		t.Fatalf("the server is not asking for the body: %q, %v", line, err)
	}
	_, _ = from.ReadString('\n')
	fmt.Fprint(conn, body)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.wait("stopping")
	if late, err := net.Dial("tcp", s.addr); err == nil {
		_ = late.SetDeadline(time.Now().Add(5 * time.Second))
		if _, err := late.Read(make([]byte, 1)); err == nil {
			t.Error("a connection that came after the stop is served")
		}
		late.Close()
	}
	release()
	resp, err := http.ReadResponse(from, nil)
	if err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("the request that ran got %v, %v", resp, err)
	}
	if <-s.ended; s.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("exit: %v", s.cmd.ProcessState)
	}
}

// The lab's day is sent to a server over the accounts of that day's own file:
// each key pays once, and the file stays what it is.
func TestLabsDayOverItsOwnAccounts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "day.db")
	<-run(t, "gen", "--out", path).ended
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := serveIdem(t, "--accounts", path)
	outcomes := map[string]int{}
	for _, req := range requests(t, path) {
		resp, err := client.Do(req.to(s))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		outcomes[fmt.Sprint(resp.StatusCode, resp.Header.Get("Idempotent-Replayed"))]++
	}
	// 100 keys and 20 retries, of which those with other bytes are refused.
	if outcomes["201"] != 100 || outcomes["201true"]+outcomes["422"] != 20 || outcomes["422"] < 2 {
		t.Errorf("outcomes %v", outcomes)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the day's file was changed, %v", err)
	}
}

// request is a row of a day's log.
type request struct{ client, key, body string }

func requests(t *testing.T, path string) (list []request) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT client_id, idem_key, body FROM req_log ORDER BY seq")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r request
		if err := rows.Scan(&r.client, &r.key, &r.body); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if err := rows.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%d requests, %v", len(list), err)
	}
	return list
}

func (r request) to(s *server) *http.Request {
	req, err := http.NewRequest("POST", "http://"+s.addr+"/v1/transfers", strings.NewReader(r.body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.client)
	req.Header.Set("Idempotency-Key", r.key)
	return req
}
