package httpidem

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"time"
)

// run calls the handler and waits for it, at most until the lease ends in left.
// inTime is false when it had to be given up.
func (x *exchange) run(left time.Duration) (handled *capture, inTime bool) {
	margin := min(left/10, maxMargin)
	ctx, cancel := context.WithTimeout(x.detached, left-margin)
	defer cancel()
	c := newCapture(x.w, x.opt.MaxReply)
	done := make(chan error, 1)
	go call(x.next, c, x.inner(ctx, c), done)
	inTime, err := await(ctx, done, margin)
	c.shut()
	if !inTime {
		return nil, false
	}
	if err != nil {
		x.event.Err = err
		return c.failure(handlerFailed), true
	}
	return c, true
}

// await waits for the handler until its context ends, and for margin more.
func await(ctx context.Context, done <-chan error, margin time.Duration) (inTime bool, err error) {
	select {
	case err = <-done:
		return true, err
	case <-ctx.Done():
	}
	last := time.NewTimer(margin)
	defer last.Stop()
	select {
	case err = <-done:
		return true, err
	case <-last.C:
		return false, nil
	}
}

// errGoexit: the handler's goroutine ended without a return or a panic.
var errGoexit = errors.New("handler called runtime.Goexit")

// call runs the handler and tells done how it ended. The goroutine is its own, so
// that one which ignores its context does not keep the client waiting.
func call(next http.Handler, w http.ResponseWriter, r *http.Request, done chan<- error) {
	err := errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		done <- err
	}()
	next.ServeHTTP(w, r)
	err = nil
}

// inner is the request as the handler sees it: its body is the bytes that the
// fingerprint was made of, however they came.
func (x *exchange) inner(ctx context.Context, c *capture) *http.Request {
	r := x.r.WithContext(context.WithValue(ctx, contextKey{}, request{x.event.Request.ClientID, c}))
	body := x.event.Request.Body
	r.Body, r.ContentLength, r.TransferEncoding = http.NoBody, int64(len(body)), nil
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r
}

// pass calls the handler for a method that takes no key.
func (x *exchange) pass() {
	w := &passWriter{ResponseWriter: x.w}
	ctx := context.WithValue(x.r.Context(), contextKey{}, request{client: x.event.Request.ClientID})
	x.event.Outcome = Passed
	// Also when the handler panics, which is net/http's to deal with here.
	defer func() { x.event.Status = w.status }()
	x.next.ServeHTTP(w, x.r.WithContext(ctx))
	if w.status == 0 {
		w.status = http.StatusOK
	}
}

// passWriter notes the status and keeps the layer's marker to the layer.
type passWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *passWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.Header().Del(replayedHeader)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *passWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, for handlers that stream.
func (w *passWriter) Flush() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *passWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
