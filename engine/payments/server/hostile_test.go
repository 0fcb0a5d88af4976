package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine/memstore"
)

// pipes is a listener without a network, so that an hour takes no time.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.ended); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

const hello = "POST /v1/payment_intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nIdempotency-Key: k\r\n"

// trickle sends a byte a second until the connection ends.
func trickle(c net.Conn) (sent int64) {
	go io.Copy(io.Discard, c) // a network has room for a reply, a pipe has none
	for sent < 10_000 {
		if _, err := io.WriteString(c, "x"); err != nil {
			return sent
		}
		sent++
		time.Sleep(time.Second)
	}
	return sent
}

// pour sends without end.
func pour(c net.Conn, text string) (sent int64) {
	go io.Copy(io.Discard, c)
	for sent < 1<<30 {
		n, err := io.WriteString(c, text)
		if sent += int64(n); err != nil {
			return sent
		}
	}
	return sent
}

const slack = 64 << 10 // of buffers

// hostileClients are what they do, how long they can, and how much is taken of it.
var hostileClients = map[string]struct {
	behave func(c net.Conn) (sent int64)
	within time.Duration
	bytes  int64
}{
	"says nothing":           {func(c net.Conn) int64 { _, _ = io.Copy(io.Discard, c); return 0 }, headerTimeout, 0},
	"a header, byte by byte": {func(c net.Conn) int64 { _, _ = io.WriteString(c, hello+"X: "); return trickle(c) }, headerTimeout + time.Second, slack},
	"a header without an end": {func(c net.Conn) int64 {
		_, _ = io.WriteString(c, hello)
		return pour(c, "X: "+strings.Repeat("x", 1000)+"\r\n")
	}, headerTimeout, maxHeader + slack},
	"a line without an end": {func(c net.Conn) int64 { return pour(c, strings.Repeat("x", 1000)) }, headerTimeout, maxHeader + slack},
	"a body, byte by byte": {func(c net.Conn) int64 {
		_, _ = io.WriteString(c, hello+"Content-Length: 1000\r\n\r\n")
		return trickle(c)
	}, readTimeout + time.Second, slack},
	"a body without an end": {func(c net.Conn) int64 {
		_, _ = io.WriteString(c, hello+"Transfer-Encoding: chunked\r\n\r\n")
		return pour(c, "3e8\r\n"+strings.Repeat("x", 1000)+"\r\n")
	}, readTimeout + time.Second, 1<<20 + 512<<10 + slack},
	"chunks of one byte": {func(c net.Conn) int64 {
		_, _ = io.WriteString(c, hello+"Transfer-Encoding: chunked\r\n\r\n")
		return pour(c, strings.Repeat("1;"+strings.Repeat("e", 500)+"\r\nx\r\n", 8))
	}, readTimeout + time.Second, 2 << 20},
	"reads no reply": {func(c net.Conn) int64 {
		_, _ = io.WriteString(c, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", hello, len(intent), intent))
		time.Sleep(time.Hour)
		_, err := c.Write([]byte("x"))
		if err == nil {
			return 1 << 40
		}
		return 0
	}, time.Hour, 0},
	"asks once and stays": {func(c net.Conn) int64 {
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		_, _ = io.Copy(io.Discard, c)
		return 0
	}, idleTimeout, 0},
}

// TestHostileClients: whatever a client sends or does not read, its connection
// ends within a time and takes only so many bytes.
func TestHostileClients(t *testing.T) {
	for name, c := range hostileClients {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pipes{make(chan net.Conn), make(chan struct{})}
				s, err := New(t.Context(), Config{Store: memstore.New(), Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- s.Serve(ctx, l) }()
				bad := l.dial()
				_ = bad.SetDeadline(time.Now().Add(2 * time.Hour)) // so that a fault fails and does not hang
				began := time.Now()
				sent := c.behave(bad)
				if took := time.Since(began); took > c.within || sent > c.bytes {
					t.Errorf("it ended after %s, want %s; it took %d bytes, want %d", took, c.within, sent, c.bytes)
				}
				bad.Close()
				good := l.dial()
				_, _ = io.WriteString(good, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
				if resp, err := http.ReadResponse(bufio.NewReader(good), nil); err != nil || resp.StatusCode != 200 {
					t.Errorf("the next client is answered %v, %v", resp, err)
				}
				good.Close()
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
