package httpidem_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/memstore"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a handler behind the layer, over a store in memory.
type rig struct {
	t       *testing.T
	store   *faulty
	handler http.Handler
	runs    atomic.Int32

	mu     sync.Mutex
	events []httpidem.Event
}

// faulty is a store whose next transactions can be made to fail.
type faulty struct {
	engine.Store
	claim    func(next func() (engine.Verdict, error)) (engine.Verdict, error)
	complete func(next func() (engine.Record, engine.Settlement, error)) (engine.Record, engine.Settlement, error)
	calls    atomic.Int32
}

func (f *faulty) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	f.calls.Add(1)
	next := func() (engine.Verdict, error) { return f.Store.Claim(ctx, c, p) }
	if f.claim != nil {
		return f.claim(next)
	}
	return next()
}

func (f *faulty) Complete(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
	f.calls.Add(1)
	next := func() (engine.Record, engine.Settlement, error) { return f.Store.Complete(ctx, c, p, e) }
	if f.complete != nil {
		return f.complete(next)
	}
	return next()
}

func newRig(t *testing.T, opt httpidem.Options, handler http.HandlerFunc) *rig {
	t.Helper()
	r := &rig{t: t, store: &faulty{Store: memstore.New()}}
	r.handler = r.wrap(opt, handler)
	return r
}

// wrap puts another layer over the rig's store: another process.
func (r *rig) wrap(opt httpidem.Options, handler http.HandlerFunc) http.Handler {
	r.t.Helper()
	opt.Observe = func(_ context.Context, e httpidem.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	}
	layer, err := httpidem.New(r.store, opt)
	if err != nil {
		r.t.Fatal(err)
	}
	return layer.Wrap(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.runs.Add(1)
		handler(w, req)
	}))
}

func (r *rig) last() httpidem.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) == 0 {
		r.t.Fatal("no event")
	}
	return r.events[len(r.events)-1]
}

// ran asserts how often the handler ran in the whole test.
func (r *rig) ran(want int32) {
	r.t.Helper()
	if got := r.runs.Load(); got != want {
		r.t.Fatalf("handler ran %d times, want %d", got, want)
	}
}

// request is a payment with a key; edits change it.
func request(key, body string, edits ...func(*http.Request)) *http.Request {
	req := httptest.NewRequest("POST", "/pay", strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer alice")
	req.Header.Set("Idempotency-Key", key)
	for _, edit := range edits {
		edit(req)
	}
	return req
}

func as(credential string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+credential) }
}

func (r *rig) send(req *http.Request) *httptest.ResponseRecorder {
	r.t.Helper()
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	return w
}

func (r *rig) post(key, body string, edits ...func(*http.Request)) *httptest.ResponseRecorder {
	r.t.Helper()
	return r.send(request(key, body, edits...))
}

// want asserts status and, for problems, the error code.
func want(t *testing.T, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	if code != "" && !bytes.Contains(w.Body.Bytes(), fmt.Appendf(nil, `{"error":%q,`, code)) {
		t.Fatalf("body %s, want error %q", w.Body, code)
	}
}

func isReplay(t *testing.T, w *httptest.ResponseRecorder, replay bool) {
	t.Helper()
	if got := w.Header().Get("Idempotent-Replayed") == "true"; got != replay {
		t.Fatalf("replayed %v, want %v; status %d, %s", got, replay, w.Code, w.Body)
	}
}

// created answers 201 with the body it got.
func created(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Location", "/pay/1")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body)
}

// record reads the one record of a key of client alice.
func (r *rig) record(key string) *engine.Record {
	r.t.Helper()
	var rec *engine.Record
	err := r.store.View(context.Background(), func(tx engine.Tx) (err error) {
		rec, err = tx.Record(context.Background(), engine.ScopedKey{ClientID: httpidem.HashCredential("alice"), Key: key})
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}
