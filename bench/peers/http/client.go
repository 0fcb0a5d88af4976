package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is a number of kept connections to a server. Requests are written by
// hand: net/http's client would cost more than what is measured.
type load struct {
	p     *process
	conns []*client
	fresh bool
	sent  atomic.Int64
	until int64
}

type client struct {
	net.Conn
	from *bufio.Reader
	out  []byte
}

func newLoad(p *process, conns int, fresh bool) (*load, error) {
	l := &load{p: p, fresh: fresh}
	for range conns {
		conn, err := net.Dial("tcp", p.addr)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.conns = append(l.conns, &client{Conn: conn, from: bufio.NewReaderSize(conn, 8<<10)})
	}
	// What is replayed must have been answered once.
	return l, l.conns[0].send(0)
}

func (l *load) close() error {
	var err error
	for _, c := range l.conns {
		err = errors.Join(err, c.Close())
	}
	return err
}

// run sends n requests over all connections and measures requests a second and
// the server's CPU time a request, in microseconds.
func (l *load) run(n int) (perSecond, cpu float64, err error) {
	l.until = l.sent.Load() + int64(n)
	before, err := l.p.cpu()
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	errs := make([]error, len(l.conns))
	var all sync.WaitGroup
	for i, c := range l.conns {
		all.Go(func() { errs[i] = l.drive(c) })
	}
	all.Wait()
	took := time.Since(begun)
	after, err := l.p.cpu()
	l.sent.Store(l.until)
	used := float64((after - before).Nanoseconds()) / 1000
	return float64(n) / took.Seconds(), used / float64(n), errors.Join(append(errs, err)...)
}

func (l *load) drive(c *client) error {
	for {
		n := l.sent.Add(1)
		if n > l.until {
			return nil
		}
		if !l.fresh {
			n = 0
		}
		if err := c.send(n); err != nil {
			return err
		}
	}
}

// body is a small order of 200 bytes.
var body = fmt.Appendf(nil, `{"src":"account-1","dst":"account-2","amount":1000,"currency":"KRW","note":%q}`, strings.Repeat("x", 124))

// send sends one request under the n-th key and reads its reply. Keys have 36
// bytes, as fiber wants them, and stand in its header and in everybody else's.
func (c *client) send(n int64) error {
	var key [36]byte
	copy(key[:], "order-00000000000000000000000000000000")
	digits := strconv.AppendInt(nil, n, 10)
	copy(key[len(key)-len(digits):], digits)
	c.out = append(c.out[:0], "POST /pay HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sk_live_1\r\nIdempotency-Key: "...)
	c.out = append(append(c.out, key[:]...), "\r\nX-Idempotency-Key: "...)
	c.out = append(append(c.out, key[:]...), "\r\nContent-Length: "...)
	c.out = append(strconv.AppendInt(c.out, int64(len(body)), 10), "\r\n\r\n"...)
	c.out = append(c.out, body...)
	if _, err := c.Write(c.out); err != nil {
		return err
	}
	return c.receive()
}

// receive reads a 201 with its whole body.
func (c *client) receive() error {
	length := -1
	for first := true; ; first = false {
		line, err := c.from.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 201")) {
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
		return fmt.Errorf("a reply of %d bytes", length)
	}
	_, err := c.from.Discard(length)
	return err
}
