package httpidem_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
)

// wire is a rig behind a real server, spoken to by hand: net/http's client would
// tidy up what is tested here.
type wire struct {
	*rig
	srv *httptest.Server
}

func newWire(t *testing.T, opt httpidem.Options, handler http.HandlerFunc) *wire {
	t.Helper()
	r := newRig(t, opt, handler)
	srv := httptest.NewServer(r.handler)
	t.Cleanup(srv.Close)
	return &wire{r, srv}
}

func (w *wire) dial() net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.srv.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	return conn
}

const head = "POST /pay HTTP/1.1\r\nHost: x\r\n"

// say writes lines of a header after the request line, and a body.
func (w *wire) say(lines, body string) *http.Response {
	w.t.Helper()
	conn := w.dial()
	if _, err := io.WriteString(conn, head+lines+"\r\n"+body); err != nil {
		w.t.Fatal(err)
	}
	return w.hear(bufio.NewReader(conn))
}

func (w *wire) hear(from *bufio.Reader) *http.Response {
	w.t.Helper()
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body = io.NopCloser(strings.NewReader(string(body)))
	return resp
}

const auth = "Authorization: Bearer alice\r\n"

func TestHeadersOnTheWire(t *testing.T) {
	tests := []struct {
		name, lines string
		status      int
	}{
		{"plain", auth + "Idempotency-Key: k\r\n", 201},
		{"another case", "AUTHORIZATION: bearer alice\r\nidempotency-key:k\r\n", 201},
		{"white space around", auth + "Idempotency-Key: \t k \t\r\n", 201},
		{"two key lines, one value", auth + "Idempotency-Key: k\r\nIdempotency-Key: k\r\n", 400},
		{"two key lines in two cases", auth + "Idempotency-Key: k\r\nidempotency-KEY: j\r\n", 400},
		{"a second, empty key line", auth + "Idempotency-Key: k\r\nIdempotency-Key:\r\n", 400},
		{"empty", auth + "Idempotency-Key:\r\n", 400},
		{"spaces only", auth + "Idempotency-Key:     \r\n", 400},
		{"64 KiB", auth + "Idempotency-Key: " + strings.Repeat("k", 64<<10) + "\r\n", 400},
		{"folded key", auth + "Idempotency-Key: k\r\n j\r\n", 400},
		{"folded credential", "Authorization: Bearer alice\r\n x\r\nIdempotency-Key: k\r\n", 401},
		{"two credentials", auth + auth + "Idempotency-Key: k\r\n", 401},
		{"two credentials, one empty", auth + "Authorization:\r\nIdempotency-Key: k\r\n", 401},
		{"NUL in the key", auth + "Idempotency-Key: k\x00\r\n", 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t, httpidem.Options{}, created)
			resp := w.say(test.lines+"Content-Length: 1\r\n", "x")
			if resp.StatusCode != test.status {
				t.Fatalf("status %d, want %d", resp.StatusCode, test.status)
			}
			if test.status != 201 {
				w.ran(0)
			}
		})
	}
}

func TestChunkedOrNotIsNotTheContent(t *testing.T) {
	const key = auth + "Idempotency-Key: k\r\n"
	const chunked = key + "Transfer-Encoding: chunked\r\n"
	w := newWire(t, httpidem.Options{}, created)
	for i, step := range []struct {
		lines, body string
		status      int
		replayed    string
	}{
		{chunked, "3\r\n100\r\n0\r\n\r\n", 201, ""},
		{chunked, "3\r\n200\r\n0\r\n\r\n", 422, ""},
		{chunked, "1\r\n1\r\n2\r\n00\r\n0\r\nX-Trailer: 1\r\n\r\n", 201, "true"},
		{key + "Content-Length: 3\r\n", "100", 201, "true"},
		{key + "Content-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n", "100", 100, ""},
	} {
		resp := w.say(step.lines, step.body)
		if resp.StatusCode != step.status || resp.Header.Get("Idempotent-Replayed") != step.replayed {
			t.Errorf("step %d: %d, replayed %q", i, resp.StatusCode, resp.Header.Get("Idempotent-Replayed"))
		}
	}
	w.ran(1)
}

// A request with both lengths is one request: what the shorter one would leave
// over is never run as another.
func TestBothLengths(t *testing.T) {
	w := newWire(t, httpidem.Options{}, created)
	conn := w.dial()
	smuggled := head + auth + "Idempotency-Key: smuggled\r\nContent-Length: 0\r\n\r\n"
	body := "0\r\n\r\n" + smuggled
	fmt.Fprintf(conn, "%sConnection: close\r\n%sIdempotency-Key: k\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%s", head, auth, len(body), body)
	answers, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(answers), "HTTP/1.1"); n != 1 {
		t.Errorf("%d answers:\n%s", n, answers)
	}
	if rec := w.record("smuggled"); rec != nil {
		t.Errorf("the rest of the body was run: %+v", rec)
	}
}

func TestExpectContinueIsNotAskedForWhatIsRefused(t *testing.T) {
	w := newWire(t, httpidem.Options{}, created)
	const expect = "Content-Length: 5\r\nExpect: 100-continue\r\n"
	for lines, status := range map[string]int{
		"Idempotency-Key: k\r\n" + expect: 401,
		auth + expect:                     400,
		auth + "Idempotency-Key: k\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n": 413,
	} {
		if resp := w.say(lines, ""); resp.StatusCode != status {
			t.Errorf("status %d, want %d", resp.StatusCode, status)
		}
	}
	conn := w.dial()
	from := bufio.NewReader(conn)
	_, _ = io.WriteString(conn, head+auth+"Idempotency-Key: k\r\n"+expect+"\r\n")
	if resp := w.hear(from); resp.StatusCode != 100 {
		t.Fatalf("status %d, want 100", resp.StatusCode)
	}
	_, _ = io.WriteString(conn, "hello")
	if resp := w.hear(from); resp.StatusCode != 201 {
		t.Fatalf("status %d, want 201", resp.StatusCode)
	}
	w.ran(1)
}

// endless sends chunks for as long as somebody reads them.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read.Add(int64(len(p)))
	return len(p), nil
}

func (e *endless) Close() error { return nil }

func TestChunkedBodyWithoutAnEnd(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	body := &endless{}
	w := r.post("k", "", func(r *http.Request) { r.Body, r.ContentLength = body, -1 })
	want(t, w, 413, "body_too_large")
	if n := body.read.Load(); n > 3<<20 {
		t.Errorf("%d bytes were read to find out that 1 MiB is exceeded", n)
	}
	r.ran(0)
	if r.record("k") != nil {
		t.Error("a record was made")
	}
	if e := r.last(); len(e.Request.Body) != 0 {
		t.Errorf("%d bytes of the refused body are kept", len(e.Request.Body))
	}
}

func TestBodyOfExactlyTheLimit(t *testing.T) {
	for _, announced := range []bool{true, false} {
		r := newRig(t, httpidem.Options{}, func(http.ResponseWriter, *http.Request) {})
		edit := func(r *http.Request) {
			if !announced {
				r.ContentLength = -1
			}
		}
		want(t, r.post("k", strings.Repeat("x", 1<<20), edit), 200, "")
		want(t, r.post("j", strings.Repeat("x", 1<<20+1), edit), 413, "body_too_large")
		r.ran(1)
	}
}

// The client leaves while the handler runs. The request goes on, is completed,
// and the retry replays it.
func TestClientThatLeaves(t *testing.T) {
	for name, leave := range map[string]func(net.Conn){
		"close":      func(c net.Conn) { c.Close() },
		"reset":      func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); c.Close() },
		"half-close": func(c net.Conn) { _ = c.(*net.TCPConn).CloseWrite() },
	} {
		t.Run(name, func(t *testing.T) {
			started, release := make(chan struct{}), make(chan struct{})
			w := newWire(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				close(started)
				<-release
				if err := r.Context().Err(); err != nil {
					t.Errorf("context: %v", err)
				}
				created(w, r)
			})
			conn := w.dial()
			_, _ = io.WriteString(conn, head+auth+"Idempotency-Key: k\r\nContent-Length: 1\r\n\r\nx")
			<-started
			leave(conn)
			close(release)
			w.srv.Close() // returns when the request has come to its end
			if rec := w.record("k"); rec == nil || rec.State != engine.Completed || rec.Reply.Status != 201 {
				t.Fatalf("record %+v", rec)
			}
			isReplay(t, w.post("k", "x"), true)
			w.ran(1)
		})
	}
}

func TestHalfABody(t *testing.T) {
	w := newWire(t, httpidem.Options{}, created)
	conn := w.dial()
	_, _ = io.WriteString(conn, head+auth+"Idempotency-Key: k\r\nContent-Length: 9\r\n\r\nx")
	_ = conn.(*net.TCPConn).CloseWrite()
	if resp := w.hear(bufio.NewReader(conn)); resp.StatusCode != 400 {
		t.Errorf("status %d", resp.StatusCode)
	}
	w.ran(0)
}

func TestBodyThatDoesNotArrive(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	srv := httptest.NewUnstartedServer(r.handler)
	srv.Config.ReadTimeout = 50 * time.Millisecond
	srv.Start()
	t.Cleanup(srv.Close)
	w := &wire{r, srv}
	if resp := w.say(auth+"Idempotency-Key: k\r\nContent-Length: 9\r\n", "x"); resp.StatusCode != 408 {
		t.Errorf("status %d", resp.StatusCode)
	}
	w.ran(0)
}

// Two replies on one connection: lengths are right, the date is fresh, and the
// connection goes on.
func TestRepliesOnOneConnection(t *testing.T) {
	w := newWire(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
		created(w, r)
	})
	conn := w.dial()
	from := bufio.NewReader(conn)
	for i, step := range []struct {
		body   string
		status int
	}{{"x", 201}, {"x", 201}, {"y", 422}, {"x", 201}} {
		fmt.Fprintf(conn, "%s%sIdempotency-Key: k\r\nContent-Length: 1\r\n\r\n%s", head, auth, step.body)
		resp := w.hear(from)
		if resp.StatusCode != step.status || resp.ContentLength < 1 || resp.Close {
			t.Errorf("step %d: %d, length %d, close %v", i, resp.StatusCode, resp.ContentLength, resp.Close)
		}
		if i > 0 {
			date, err := http.ParseTime(resp.Header.Get("Date"))
			if err != nil || time.Since(date) > time.Hour || resp.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("step %d: %v", i, resp.Header)
			}
		}
	}
	w.ran(1)
}

// A handler that is stuck keeps its connection, not its client: the answer comes
// at the end of the lease, and another request takes the key over.
func TestClientOfAStuckHandlerIsAnswered(t *testing.T) {
	p := engine.HTTPPolicy()
	p.Lease = 50 * time.Millisecond
	release := make(chan struct{})
	var runs atomic.Int32
	w := newWire(t, httpidem.Options{Policy: p}, func(w http.ResponseWriter, r *http.Request) {
		if runs.Add(1) == 1 {
			<-release
		}
		created(w, r)
	})
	const request = auth + "Idempotency-Key: k\r\nContent-Length: 1\r\n"
	if resp := w.say(request, "x"); resp.StatusCode != 409 || !resp.Close {
		t.Errorf("status %d, close %v", resp.StatusCode, resp.Close)
	}
	if resp := w.say(request, "x"); resp.StatusCode != 201 || resp.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("status %d, header %v", resp.StatusCode, resp.Header)
	}
	close(release)
	w.srv.Close() // returns when the stuck handler is back
	told := make(map[httpidem.Outcome]int)
	for _, e := range w.events {
		told[e.Outcome] = e.Attempt
	}
	if len(w.events) != 2 || told[httpidem.Lost] != 1 || told[httpidem.Executed] != 2 {
		t.Errorf("outcomes and attempts %v", told)
	}
}

// A handler that ends its goroutine (t.FailNow does) ends the connection; its
// client is answered before.
func TestClientOfAHandlerThatExitsIsAnswered(t *testing.T) {
	w := newWire(t, httpidem.Options{}, func(http.ResponseWriter, *http.Request) { runtime.Goexit() })
	for _, replayed := range []string{"", "true"} {
		resp := w.say(auth+"Idempotency-Key: k\r\nContent-Length: 1\r\n", "x")
		if resp.StatusCode != 500 || resp.Header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("status %d, replayed %q", resp.StatusCode, resp.Header.Get("Idempotent-Replayed"))
		}
	}
	w.ran(1)
}
