package sqlitestore

import (
	"context"
	"errors"
	"sync"

	"idem/engine"
)

// maxIdle is how many read connections are kept open between uses.
const maxIdle = 4

// readers is a pool of read-only connections.
type readers struct {
	path    string
	setting string

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

func newReaders(path, setting string) *readers { return &readers{path: path, setting: setting} }

func (r *readers) view(ctx context.Context, fn func(engine.Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := r.take()
	if err != nil {
		return err
	}
	if _, err := c.exec("BEGIN"); err != nil {
		return errors.Join(err, c.close())
	}
	defer func() { // also when fn panics
		if _, ended := c.exec("COMMIT"); ended != nil {
			err = errors.Join(err, ended, c.close())
			return
		}
		err = errors.Join(err, r.give(c))
	}()
	return fn(&tx{s: &session{c: c}, readOnly: true})
}

func (r *readers) take() (*conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if n := len(r.idle); n > 0 {
		c := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return c, nil
	}
	return connectToRead(r.path, r.setting)
}

func (r *readers) give(c *conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.idle) >= maxIdle {
		return c.close()
	}
	r.idle = append(r.idle, c)
	return nil
}

func (r *readers) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	for _, c := range r.idle {
		errs = append(errs, c.close())
	}
	r.idle = nil
	return errors.Join(errs...)
}
