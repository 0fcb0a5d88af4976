package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"idem/engine"
	"idem/engine/memstore"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// live is a server that serves on a loopback port.
type live struct {
	*Server
	t      *testing.T
	addr   string
	logged *logged
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
}

// logged keeps what was logged.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func start(t *testing.T, cfg Config) *live {
	t.Helper()
	l := &live{t: t, logged: &logged{}, ended: make(chan error, 1)}
	if cfg.Store == nil {
		cfg.Store = memstore.New()
	}
	cfg.Logger = slog.New(slog.NewJSONHandler(l.logged, nil))
	s, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.Server, l.addr, l.stop = s, ln.Addr().String(), cancel
	transport := &http.Transport{}
	l.client = &http.Client{Transport: transport}
	go func() {
		l.ended <- s.Serve(ctx, ln)
		close(l.ended)
	}()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		l.end()
	})
	return l
}

// end stops the server and waits for it.
func (l *live) end() {
	l.t.Helper()
	l.stop()
	if err := <-l.ended; err != nil {
		l.t.Errorf("serve: %v", err)
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (l *live) do(method, path, credential, key, body string) answer {
	l.t.Helper()
	req, err := http.NewRequest(method, "http://"+l.addr+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	if credential != "" {
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		l.t.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Error(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// lines are the request lines of the log.
func (l *live) lines() (lines []map[string]any) {
	l.t.Helper()
	for line := range strings.Lines(l.logged.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			l.t.Fatal(err)
		}
		if m["msg"] == "request" {
			lines = append(lines, m)
		}
	}
	return lines
}

const intent = `{"chain":"evm:31337","token":"0xT","payer":"0xP","merchant":"0xM","amount":"100000000"}`

// gate is a store whose claims wait to be let through.
type gate struct {
	engine.Store
	arrived, release chan struct{}
}

func (g *gate) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	g.arrived <- struct{}{}
	<-g.release
	return g.Store.Claim(ctx, c, p)
}
