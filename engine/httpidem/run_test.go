package httpidem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
)

func TestHundredAtOnceRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(300 * time.Millisecond)
			created(w, r)
		})
		var mu sync.Mutex
		statuses := map[int]int{}
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				w := r.post("k", "x")
				mu.Lock()
				defer mu.Unlock()
				statuses[w.Code]++
				if w.Code == 409 && w.Header().Get("Retry-After") != "30" {
					t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
				}
			})
		}
		all.Wait()
		r.ran(1)
		if statuses[201] != 1 || statuses[409] != 99 {
			t.Errorf("statuses %v", statuses)
		}
		isReplay(t, r.post("k", "x"), true)
	})
}

// claimed leaves a claim behind, as a process that is killed does.
func (r *rig) claimed(key, body string) {
	r.t.Helper()
	req := engine.Request{
		ClientID: httpidem.HashCredential("alice"), Key: key, Method: "POST", Target: "/pay", Body: []byte(body),
	}
	c, err := engine.HTTPPolicy().Claim(req, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.store.Claim(context.Background(), c, engine.HTTPPolicy()); err != nil {
		r.t.Fatal(err)
	}
}

func TestRetryOfAnAbandonedClaim(t *testing.T) {
	tests := []struct {
		after      time.Duration
		status     int
		retryAfter string
	}{
		{0, 409, "30"},
		{5 * time.Second, 409, "25"},
		{5*time.Second + time.Millisecond, 409, "25"},
		{30*time.Second - time.Millisecond, 409, "1"},
		{30 * time.Second, 201, ""},
		{30*time.Second + time.Millisecond, 201, ""},
	}
	for _, test := range tests {
		t.Run(test.after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, httpidem.Options{}, created)
				r.claimed("k", "x")
				time.Sleep(test.after)
				w := r.post("k", "x")
				want(t, w, test.status, "")
				if got := w.Header().Get("Retry-After"); got != test.retryAfter {
					t.Errorf("Retry-After %q, want %q", got, test.retryAfter)
				}
				e := r.last()
				if took := test.status == 201; e.Takeover != took || (took && e.Attempt != 2) {
					t.Errorf("takeover %v, attempt %d", e.Takeover, e.Attempt)
				}
			})
		})
	}
}

func TestRetryAfterOfALongLeaseIsAtMost30(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := engine.HTTPPolicy()
		p.Lease = time.Hour
		r := newRig(t, httpidem.Options{Policy: p}, func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) })
		go r.post("k", "x")
		synctest.Wait()
		w := r.post("k", "x")
		want(t, w, 409, "in_progress")
		if got := w.Header().Get("Retry-After"); got != "30" {
			t.Errorf("Retry-After %q", got)
		}
		time.Sleep(time.Minute)
	})
}

func TestPolicyNamesTheStatuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := engine.HTTPPolicy()
		p.OnInFlight, p.OnMismatch = 425, 400
		r := newRig(t, httpidem.Options{Policy: p}, created)
		r.claimed("k", "x")
		want(t, r.post("k", "x"), 425, "in_progress")
		want(t, r.post("k", "y"), 400, "idempotency_key_reused")
	})
}

// Conflicts leave the first request alone: waiting cannot help another body, so
// it gets 422 at once, and the record is untouched.
func TestConflictsWhileTheFirstRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			created(w, r)
		})
		first := make(chan *httptest.ResponseRecorder, 1)
		go func() { first <- r.post("k", "x") }()
		synctest.Wait()
		before := *r.record("k")
		want(t, r.post("k", "x"), 409, "in_progress")
		want(t, r.post("k", "y"), 422, "idempotency_key_reused")
		if after := *r.record("k"); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("record changed: %v to %v", before, after)
		}
		want(t, <-first, 201, "")
		isReplay(t, r.post("k", "x"), true)
		r.ran(1)
	})
}

// What a handler left behind writes while its reply is being stored is dropped,
// and it is told.
func TestWriteAfterTheHandlerIsBack(t *testing.T) {
	var left http.ResponseWriter
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		left = w
		httpidem.OnComplete(r.Context(), put("a"))
		_, _ = io.WriteString(w, "in time")
	})
	r.store.complete = func(next func() (engine.Record, engine.Settlement, error)) (engine.Record, engine.Settlement, error) {
		if _, err := io.WriteString(left, "late"); !errors.Is(err, http.ErrHandlerTimeout) {
			t.Errorf("late write: %v", err)
		}
		return next()
	}
	for range 2 {
		if got := r.post("k", "x").Body.String(); got != "in time" {
			t.Errorf("reply %q", got)
		}
	}
}

// A worker that was overtaken by another process, whose clock is ahead, finds
// out when it completes: the fence token is not its own any more.
func TestOvertakenWorkerWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		effects := 0
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
			httpidem.OnComplete(r.Context(), func(context.Context, engine.Tx, http.ResponseWriter) error {
				effects++
				return nil
			})
			<-release
			w.WriteHeader(202)
		})
		ahead := httpidem.Options{Now: func() time.Time { return time.Now().Add(31 * time.Second) }}
		other := r.wrap(ahead, created)
		first := make(chan *httptest.ResponseRecorder, 1)
		go func() { first <- r.post("k", "x") }()
		synctest.Wait()
		w := httptest.NewRecorder()
		other.ServeHTTP(w, request("k", "x"))
		want(t, w, 201, "")
		close(release)
		want(t, <-first, 409, "claim_lost")
		if effects != 0 {
			t.Error("the stale worker's effect ran")
		}
		replay := r.post("k", "x")
		want(t, replay, 201, "")
		isReplay(t, replay, true)
	})
}

func TestClaimThatTookLongerThanTheLeaseDoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, httpidem.Options{}, created)
		r.store.claim = func(next func() (engine.Verdict, error)) (engine.Verdict, error) {
			v, err := next()
			time.Sleep(31 * time.Second)
			return v, err
		}
		want(t, r.post("k", "x"), 503, "store_unavailable")
		r.ran(0)
	})
}

func TestRetention(t *testing.T) {
	const retention = 24 * time.Hour
	for after, fresh := range map[time.Duration]bool{
		retention - time.Millisecond: false, retention: true, retention + time.Millisecond: true,
	} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, httpidem.Options{}, created)
				want(t, r.post("k", "x"), 201, "")
				if e := r.last(); e.ExpiredRerun || !e.Claimed {
					t.Errorf("first run: %+v", e)
				}
				time.Sleep(after)
				isReplay(t, r.post("k", "x"), !fresh)
				if e := r.last(); e.ExpiredRerun != fresh || e.Attempt != 1 {
					t.Errorf("after retention: told apart %v, attempt %d", e.ExpiredRerun, e.Attempt)
				}
			})
		})
	}
}

func TestPanicIsAStored500WithoutEffects(t *testing.T) {
	tests := map[string]func(){
		"text":         func() { panic("x") },
		"abort":        func() { panic(http.ErrAbortHandler) },
		"nil map":      func() { var m map[string]int; m["x"]++ }, //nolint:staticcheck // the panic that is meant
		"goexit":       func() { runtime.Goexit() },
		"status of 20": nil,
	}
	for name, fail := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				httpidem.OnComplete(r.Context(), func(context.Context, engine.Tx, http.ResponseWriter) error {
					t.Error("the effect ran")
					return nil
				})
				if fail == nil {
					w.WriteHeader(20)
				}
				w.Header().Set("Location", "/pay/1")
				w.WriteHeader(201)
				fail()
			})
			for replay := range 2 {
				w := httptest.NewRecorder()
				var conn sync.WaitGroup // a goroutine of its own, as Goexit ends it
				conn.Go(func() { r.handler.ServeHTTP(w, request("k", "x")) })
				conn.Wait()
				want(t, w, 500, "internal_error")
				isReplay(t, w, replay == 1)
				if w.Header().Get("Location") != "" {
					t.Error("the failed reply's Location was sent")
				}
			}
			r.ran(1)
			if r.events[0].Err == nil || r.events[0].Outcome != httpidem.Executed {
				t.Errorf("event %+v", r.events[0])
			}
		})
	}
}

func TestPanicIsToldWithItsStack(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(http.ResponseWriter, *http.Request) { panic(io.ErrUnexpectedEOF) })
	r.post("k", "x")
	var panicked *httpidem.PanicError
	if err := r.last().Err; !errors.As(err, &panicked) || !errors.Is(err, io.ErrUnexpectedEOF) ||
		!strings.Contains(string(panicked.Stack), "run_test.go") {
		t.Errorf("error %v", err)
	}
}

func TestHandlerSeesTheBytesOfTheFingerprint(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "x=1" || r.ContentLength != 3 || r.TransferEncoding != nil {
			t.Errorf("body %q, %v, length %d, %v", body, err, r.ContentLength, r.TransferEncoding)
		}
	})
	r.post("k", "x=1", func(r *http.Request) { r.ContentLength, r.TransferEncoding = -1, []string{"chunked"} })
	isReplay(t, r.post("k", "x=1"), true) // chunked or not is not the content
	r.ran(1)
}

func TestContextKeepsItsValuesAndLosesItsEnd(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		cancel() // the client has left
		if err := r.Context().Err(); err != nil || r.Context().Value(key{}) != "v" {
			t.Errorf("context %v, value %v", err, r.Context().Value(key{}))
		}
		created(w, r)
	})
	want(t, r.send(request("k", "x").WithContext(ctx)), 201, "")
	isReplay(t, r.post("k", "x"), true)
}
