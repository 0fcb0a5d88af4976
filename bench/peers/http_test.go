// Package peers measures idem beside other people's programs.
package peers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"

	"idem/engine/httpidem"
	"idem/engine/memstore"
)

const (
	connections = 64
	keyOfFiber  = "X-Idempotency-Key" // fiber's default; 36 bytes long
)

var (
	body  = bytes.Repeat([]byte("x"), 200)
	reply = bytes.Repeat([]byte("y"), 1<<10)
)

// BenchmarkHTTP sends payments over 64 kept connections on loopback. "fresh" has
// a new key in each request, "replay" one key in all of them.
func BenchmarkHTTP(b *testing.B) {
	bare := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(reply)
	})
	layer, err := httpidem.New(memstore.New(), httpidem.Options{})
	if err != nil {
		b.Fatal(err)
	}
	// A handler's body is read by the layer; the bare one must read it, too.
	reading := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		bare(w, r)
	})
	for _, bench := range []struct {
		name  string
		serve func(net.Listener) (stop func() error)
		fresh bool
	}{
		{"net-http/bare", std(reading), true},
		{"idem/fresh", std(layer.Wrap(bare)), true},
		{"idem/replay", std(layer.Wrap(bare)), false},
		{"fiber/bare", fasthttp(false), true},
		{"fiber/fresh", fasthttp(true), true},
		{"fiber/replay", fasthttp(true), false},
	} {
		b.Run(bench.name, func(b *testing.B) { load(b, bench.serve, bench.fresh) })
	}
}

func std(h http.Handler) func(net.Listener) func() error {
	return func(ln net.Listener) func() error {
		srv := &http.Server{Handler: h}
		go func() { _ = srv.Serve(ln) }()
		return srv.Close
	}
}

func fasthttp(protected bool) func(net.Listener) func() error {
	return func(ln net.Listener) func() error {
		app := fiber.New()
		if protected {
			app.Use(idempotency.New(idempotency.Config{
				Lifetime: time.Hour, KeyHeaderValidate: func(string) error { return nil },
			}))
		}
		app.Post("/pay", func(c fiber.Ctx) error {
			c.Set("Content-Type", "application/json")
			return c.Status(201).Send(reply)
		})
		go func() { _ = app.Listener(ln, fiber.ListenConfig{DisableStartupMessage: true}) }()
		return app.Shutdown
	}
}

// load runs b.N requests over all connections and reports requests/s. It writes
// requests by hand: net/http's client would cost more than what is measured.
func load(b *testing.B, serve func(net.Listener) func() error, fresh bool) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	stop := serve(ln)
	defer func() { _ = stop() }()
	run := strconv.FormatInt(time.Now().UnixNano(), 36)
	var sent atomic.Int64
	var all sync.WaitGroup
	ready := make(chan struct{})
	conns := make([]net.Conn, connections)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", ln.Addr().String()); err != nil {
			b.Fatal(err)
		}
		defer conns[i].Close()
		all.Go(func() {
			<-ready
			client(b, conns[i], func() (key string, more bool) {
				n := sent.Add(1)
				if !fresh {
					return run, n <= int64(b.N)
				}
				return run + strconv.FormatInt(n, 10), n <= int64(b.N)
			})
		})
	}
	if !fresh { // the reply that is replayed
		once := false
		client(b, conns[0], func() (string, bool) { once = !once; return run, once })
	}
	b.ResetTimer()
	before := cpuTime(b)
	close(ready)
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-us/req")
}

// cpuTime is what client and server have used so far: on a machine that others
// use, too, it says more than the clock.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func client(b *testing.B, conn net.Conn, next func() (key string, more bool)) {
	from := bufio.NewReaderSize(conn, 8<<10)
	var out bytes.Buffer
	for {
		key, more := next()
		if !more {
			return
		}
		out.Reset()
		fmt.Fprintf(&out, "POST /pay HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nIdempotency-Key: %s\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s",
			key, keyOfFiber, key, len(body), body)
		if _, err := conn.Write(out.Bytes()); err != nil {
			b.Error(err)
			return
		}
		if err := readReply(from); err != nil {
			b.Error(err)
			return
		}
	}
}

// readReply reads a 201 with its whole body.
func readReply(from *bufio.Reader) error {
	length := -1
	for n := 0; ; n++ {
		line, err := from.ReadSlice('\n')
		if err != nil {
			return err
		}
		if n == 0 && !bytes.HasPrefix(line, []byte("HTTP/1.1 201")) {
			return fmt.Errorf("answer %q", line)
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			length, _ = strconv.Atoi(string(value))
		}
		if len(line) == 2 {
			break
		}
	}
	if length != len(reply) {
		return fmt.Errorf("%d bytes", length)
	}
	_, err := from.Discard(length)
	return err
}
