package httpidem

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"

	"idem/engine"
)

// Effect is what a request changes. It runs inside the transaction that stores
// the reply, after the fence token of the claim was checked: its changes and
// the reply are committed together or not at all. Like any [engine.Effect] it
// must be quick, must use only tx, and may be run more than once.
//
// w is the reply as the handler left it. An effect may complete it, for instance
// with the refusal that only the transaction can know of; each run starts from
// the handler's reply again.
//
// An error rolls everything back. If it is the store's, the client gets 503 and
// may try again; any other, and a panic, becomes a stored 500.
type Effect func(ctx context.Context, tx engine.Tx, w http.ResponseWriter) error

type contextKey struct{}

// request is what the layer leaves in the context for the handler.
type request struct {
	client  string
	capture *capture // nil where there is no claim
	key     engine.ScopedKey
	life    engine.Fence // of the key, which its attempts share
}

// Client is the client id of an authenticated request; "" outside the layer.
func Client(ctx context.Context) string {
	if r, ok := ctx.Value(contextKey{}).(*request); ok {
		return r.client
	}
	return ""
}

// OnComplete registers an effect to be committed with the reply of the request
// that ctx belongs to. Effects run in the order they were registered. It must be
// called before the handler returns; afterwards it does nothing.
//
// It panics where no claim is to be completed: outside the layer, or on a method
// that takes no key (see [TakesKey]). Such an effect would silently never happen.
func OnComplete(ctx context.Context, effect Effect) {
	r, ok := ctx.Value(contextKey{}).(*request)
	if !ok || r.capture == nil {
		panic("httpidem: OnComplete outside a request with a key; its effect would never be committed")
	}
	r.capture.mu.Lock()
	defer r.capture.mu.Unlock()
	if !r.capture.closed {
		r.capture.effects = append(r.capture.effects, effect)
	}
}

// errTooLarge: the handler wrote more than may be sent.
var errTooLarge = errors.New("reply is too large")

// runEffects completes the reply inside the transaction and closes it.
func (c *capture) runEffects(ctx context.Context, tx engine.Tx) error {
	for _, effect := range c.effects {
		if c.tooLarge {
			break
		}
		if err := runEffect(ctx, tx, effect, c); err != nil {
			return err
		}
	}
	c.close()
	if c.tooLarge {
		return &effectError{errTooLarge}
	}
	return nil
}

func runEffect(ctx context.Context, tx engine.Tx, effect Effect, c *capture) (err error) {
	// A panic must not unwind through the store's transaction.
	defer func() {
		if v := recover(); v != nil {
			err = &effectError{&PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	err = effect(ctx, tx, c)
	if err != nil && ctx.Err() == nil && !storeFailed(err) {
		return &effectError{err}
	}
	return err
}

// effectError marks a failure that is the request's own: running it again would
// fail again. It is told apart from a store that could not be had.
type effectError struct{ err error }

func (e *effectError) Error() string { return "effect: " + e.err.Error() }
func (e *effectError) Unwrap() error { return e.err }

func storeFailed(err error) bool {
	return errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownCommit)
}
