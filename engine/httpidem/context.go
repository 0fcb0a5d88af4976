package httpidem

import (
	"context"
	"sync"
	"time"
)

// handlerContext is the context of a handler. It keeps the values of the
// request's and ends at the deadline, or when the handler is back. The timer that
// this takes is made for those who ask whether it has ended.
type handlerContext struct {
	values   context.Context
	deadline time.Time
	request  request

	mu     sync.Mutex
	timed  context.Context // nil until it is asked for
	cancel context.CancelFunc
	ended  bool
}

// Deadline implements context.Context.
func (c *handlerContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Done implements context.Context.
func (c *handlerContext) Done() <-chan struct{} { return c.make().Done() }

// Err implements context.Context.
func (c *handlerContext) Err() error { return c.make().Err() }

// Value implements context.Context.
func (c *handlerContext) Value(key any) any {
	if _, ours := key.(contextKey); ours {
		return &c.request
	}
	c.mu.Lock()
	from := c.timed
	c.mu.Unlock()
	if from == nil {
		from = c.values
	}
	return from.Value(key)
}

func (c *handlerContext) make() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.cancel = context.WithDeadline(c.values, c.deadline)
		if c.ended {
			c.cancel()
		}
	}
	return c.timed
}

func (c *handlerContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
}
