package httpidem

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// capture is the http.ResponseWriter that a handler writes to: the reply is held
// back here until it is stored. It behaves as net/http's does, as far as a reply
// that is sent whole can: the first WriteHeader counts and freezes the headers.
//
// A handler may outlive its request (a goroutine it left behind, a lease that
// ran out). The lock and closed keep such writes away from a reply that is
// already being stored.
type capture struct {
	conn http.ResponseWriter // for deadlines only
	max  int                 // bytes of body

	mu       sync.Mutex
	closed   bool
	header   http.Header // what the handler sees and changes
	status   int         // 0 before WriteHeader
	sent     lines       // header as it was at WriteHeader
	body     []byte
	tooLarge bool
	effects  []Effect
}

func newCapture(conn http.ResponseWriter, limit int) *capture {
	c := new(capture)
	c.open(conn, limit)
	return c
}

// open makes a zero capture ready for a handler.
func (c *capture) open(conn http.ResponseWriter, limit int) {
	c.conn, c.max, c.header = conn, limit, make(http.Header)
}

// Header implements http.ResponseWriter.
func (c *capture) Header() http.Header { return c.header }

// WriteHeader implements http.ResponseWriter.
func (c *capture) WriteHeader(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.writeHeader(status)
	}
}

func (c *capture) writeHeader(status int) {
	if status < 100 || status > 999 {
		// net/http panics here as well; it becomes the request's stored 500.
		panic(fmt.Sprintf("httpidem: invalid WriteHeader status %d", status))
	}
	// An informational reply cannot go ahead of one that is held back.
	if c.status != 0 || status < 200 {
		return
	}
	c.status = status
	c.sent = freeze(c.header)
}

// Write implements http.ResponseWriter.
func (c *capture) Write(p []byte) (int, error) { return write(c, p) }

// WriteString implements io.StringWriter.
func (c *capture) WriteString(s string) (int, error) { return write(c, s) }

func write[T []byte | string](c *capture, p T) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, http.ErrHandlerTimeout
	}
	c.writeHeader(http.StatusOK)
	if !bodyAllowed(c.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if len(p) > c.max-len(c.body) {
		c.tooLarge, c.body = true, nil
	}
	if c.tooLarge {
		return 0, fmt.Errorf("reply is longer than %d bytes", c.max)
	}
	c.body = append(c.body, p...)
	return len(p), nil
}

// FlushError tells http.ResponseController that a reply is never sent in parts.
func (c *capture) FlushError() error { return http.ErrNotSupported }

// Hijack implements http.Hijacker, to refuse it.
func (c *capture) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, http.ErrNotSupported
}

// Unwrap lets http.ResponseController set the connection's deadlines. It does
// not hand out the connection's writer: what is written around the capture
// would reach the client before it is stored.
func (c *capture) Unwrap() http.ResponseWriter { return deadlines{c} }

type deadlines struct{ *capture }

// Unwrap ends the chain: there is nothing below that a handler may have.
func (d deadlines) Unwrap() http.ResponseWriter { return nil }

// SetReadDeadline works as http.ResponseController's.
func (d deadlines) SetReadDeadline(t time.Time) error {
	return d.control(func(rc *http.ResponseController) error { return rc.SetReadDeadline(t) })
}

// SetWriteDeadline works as http.ResponseController's.
func (d deadlines) SetWriteDeadline(t time.Time) error {
	return d.control(func(rc *http.ResponseController) error { return rc.SetWriteDeadline(t) })
}

// control reaches the connection only while the request lasts: afterwards it may
// already serve the next one.
func (d deadlines) control(set func(*http.ResponseController) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return http.ErrHandlerTimeout
	}
	return set(http.NewResponseController(d.conn))
}

// close ends the reply: later writes are dropped. An untouched reply is an empty
// 200, and an untyped one gets the content type that net/http would sniff, so
// that a replay does not depend on who sniffs it.
func (c *capture) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeHeader(http.StatusOK)
	c.closed = true
	if len(c.body) > 0 && !c.sent.typed {
		c.sent.add("Content-Type", http.DetectContentType(c.body))
	}
}

// shut drops what the handler still writes, and leaves the rest as it is.
func (c *capture) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// again is an open copy for one run of the effects. A reply without effects needs
// none: closing it is all that is left to do.
func (c *capture) again() *capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.effects) == 0 {
		return c
	}
	return &capture{
		conn: c.conn, max: c.max, header: c.header.Clone(), status: c.status, sent: c.sent.clip(),
		body: slices.Clip(c.body), tooLarge: c.tooLarge, effects: c.effects,
	}
}

// failure is a reply in the place of one that a handler failed to give.
func (c *capture) failure(p Problem) *capture {
	failed := newCapture(c.conn, c.max)
	p.Write(failed)
	return failed
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
