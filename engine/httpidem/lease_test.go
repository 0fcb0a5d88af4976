package httpidem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
)

func TestHandlersContextEndsBeforeItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			if took := time.Since(start); took < 20*time.Second || took >= 29*time.Second {
				t.Errorf("context ended after %v", took)
			}
			w.WriteHeader(http.StatusGatewayTimeout)
		})
		want(t, r.post("k", "x"), 504, "")
		isReplay(t, r.post("k", "x"), true)
		r.ran(1)
	})
}

// A handler that ignores its context is given up when its lease ends; another
// worker takes over, and what the first one still does is dropped.
func TestHandlerThatOutlivesItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var effects []int32
		var r *rig
		r = newRig(t, httpidem.Options{}, func(w http.ResponseWriter, req *http.Request) {
			run := r.runs.Load()
			effect := func(context.Context, engine.Tx, http.ResponseWriter) error {
				effects = append(effects, run)
				return nil
			}
			httpidem.OnComplete(req.Context(), effect)
			if run == 1 {
				time.Sleep(35 * time.Second)
			}
			httpidem.OnComplete(req.Context(), effect)
			w.WriteHeader(201)
			if _, err := fmt.Fprint(w, "run ", run); (err != nil) != (run == 1) {
				t.Errorf("run %d: write: %v", run, err)
			}
			if err := http.NewResponseController(w).SetWriteDeadline(time.Time{}); run == 1 && !errors.Is(err, http.ErrHandlerTimeout) {
				t.Errorf("deadline of a connection that is not its own any more: %v", err)
			}
		})
		first := &flushed{ResponseRecorder: httptest.NewRecorder(), done: make(chan struct{})}
		start := time.Now()
		go r.handler.ServeHTTP(first, request("k", "x"))
		<-first.done
		synctest.Wait() // it is told to the observer after the client
		want(t, first.ResponseRecorder, 409, "claim_lost")
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("the client waited %v", took)
		}
		if e := r.last(); e.Outcome != httpidem.Lost {
			t.Errorf("outcome %q", e.Outcome)
		}
		second := r.post("k", "x")
		want(t, second, 201, "")
		time.Sleep(10 * time.Second) // the first one comes to its end
		replay := r.post("k", "x")
		if isReplay(t, replay, true); replay.Body.String() != "run 2" {
			t.Errorf("stored %q", replay.Body)
		}
		if fmt.Sprint(effects) != "[2 2]" {
			t.Errorf("effects of runs %v", effects)
		}
		if len(r.events) != 3 {
			t.Errorf("%d events of 3 requests", len(r.events))
		}
	})
}

// flushed is a reply that tells when it was sent.
type flushed struct {
	*httptest.ResponseRecorder
	done chan struct{}
}

func (f *flushed) Flush() { close(f.done) }

// Many runs with ends of their own, as some claims take long: each stuck handler
// is given up at its end, and nobody else's reply is touched.
func TestEachRunHasItsOwnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
			wait, _ := time.ParseDuration(r.Header.Get("Wait"))
			time.Sleep(wait)
			w.WriteHeader(201)
		})
		var claims atomic.Int64
		r.store.claim = func(next func() (engine.Verdict, error)) (engine.Verdict, error) {
			v, err := next()
			time.Sleep(time.Duration(claims.Add(1)*7%10) * time.Second)
			return v, err
		}
		var all sync.WaitGroup
		for i := range 60 {
			time.Sleep(time.Second / 2)
			all.Go(func() { r.stuck(time.Duration(60-i)*time.Second + time.Millisecond) })
		}
		all.Wait()
		time.Sleep(time.Minute) // the stuck ones come back
	})
}

// stuck sends a request to a handler that waits.
func (r *rig) stuck(wait time.Duration) {
	start := time.Now()
	w := &flushed{ResponseRecorder: httptest.NewRecorder(), done: make(chan struct{})}
	go func() {
		r.handler.ServeHTTP(w, request(wait.String(), "x", func(r *http.Request) { r.Header.Set("Wait", wait.String()) }))
		if w.Code == 201 {
			w.Flush()
		}
	}()
	<-w.done
	switch took := time.Since(start); w.Code {
	case 201:
		if took > 30*time.Second {
			r.t.Errorf("a handler of %v answered after %v", wait, took)
		}
	default:
		if w.Code != 409 || took != 30*time.Second {
			r.t.Errorf("a handler of %v: status %d after %v", wait, w.Code, took)
		}
	}
}

// The connection's writer is not left to the next request while the answer for a
// handler that was given up is still being written.
func TestHandlerThatComesBackWhileItIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, httpidem.Options{}, func(http.ResponseWriter, *http.Request) { time.Sleep(31 * time.Second) })
		w := &watched{ResponseWriter: httptest.NewRecorder(), onHeader: func() { time.Sleep(10 * time.Second) }}
		start := time.Now()
		r.handler.ServeHTTP(w, request("k", "x"))
		if took := time.Since(start); took != 40*time.Second {
			t.Errorf("the handler returned after %v", took)
		}
	})
}

// What a handler leaves behind is told that it is over, whether it asked before
// or asks only then, and also through contexts made from the handler's.
func TestContextEndsWithItsHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, asked := range []bool{true, false} {
			var left context.Context
			r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				left = r.Context()
				if asked {
					var cancel context.CancelFunc
					left, cancel = context.WithTimeout(left, time.Hour)
					t.Cleanup(cancel)
				}
				if end, ok := left.Deadline(); !ok || time.Until(end) != 27*time.Second || asked && left.Err() != nil {
					t.Errorf("deadline in %v, error %v", time.Until(end), left.Err())
				}
			})
			r.post("k", "x")
			synctest.Wait()
			if !errors.Is(left.Err(), context.Canceled) || httpidem.Client(left) == "" {
				t.Errorf("asked %v: error %v, client %q", asked, left.Err(), httpidem.Client(left))
			}
		}
	})
}
