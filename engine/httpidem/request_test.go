package httpidem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"idem/engine"
	"idem/engine/httpidem"

	"pgregory.net/rapid"
)

// What is refused here is refused before the store is asked and before the
// handler runs.
func TestRefusedBeforeTheStore(t *testing.T) {
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	tests := []struct {
		name   string
		edit   func(*http.Request)
		status int
		code   string
	}{
		{"no key", header("Idempotency-Key"), 400, "idempotency_key_missing"},
		{"empty key", header("Idempotency-Key", ""), 400, "idempotency_key_empty"},
		{"blank key", header("Idempotency-Key", "  \t "), 400, "idempotency_key_empty"},
		{"key of 256 bytes", header("Idempotency-Key", strings.Repeat("k", 256)), 400, "idempotency_key_too_long"},
		{"key of 64 KiB", header("Idempotency-Key", strings.Repeat("k", 64<<10)), 400, "idempotency_key_too_long"},
		{"key not ASCII", header("Idempotency-Key", "ключ"), 400, "idempotency_key_malformed"},
		{"one key in two lines", header("Idempotency-Key", "k", "k"), 400, "idempotency_key_repeated"},
		{"unterminated quote", header("Idempotency-Key", `"k`), 400, "idempotency_key_malformed"},
		{"no credential", header("Authorization"), 401, "unauthorized"},
		{"two credentials", header("Authorization", "Bearer alice", "Bearer alice"), 401, "unauthorized"},
		{"basic credential", header("Authorization", "Basic YTpi"), 401, "unauthorized"},
		{"no credential and no key", func(r *http.Request) { clear(r.Header) }, 401, "unauthorized"},
		{"no credential and a large body", func(r *http.Request) { clear(r.Header); r.ContentLength = 10 << 20 }, 401, "unauthorized"},
		{"announced body too large", func(r *http.Request) { r.ContentLength = 1<<20 + 1 }, 413, "body_too_large"},
		{"body cut short", func(r *http.Request) { r.Body = io.NopCloser(&cutShort{}) }, 400, "incomplete_body"},
		{"body read by somebody before", func(r *http.Request) { _, _ = io.ReadAll(r.Body) }, 500, "body_consumed"},
		{"form parsed by somebody before", func(r *http.Request) {
			r.ContentLength = -1
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			_ = r.ParseForm()
		}, 500, "body_consumed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, created)
			w := r.post("k", "a=1", test.edit)
			want(t, w, test.status, test.code)
			isReplay(t, w, false)
			r.ran(0)
			if n := r.store.calls.Load(); n != 0 {
				t.Errorf("the store was called %d times", n)
			}
			if got := w.Header().Get("WWW-Authenticate"); (got != "") != (test.status == 401) {
				t.Errorf("WWW-Authenticate: %q", got)
			}
			if e := r.last(); e.Outcome != httpidem.Refused || e.Status != test.status {
				t.Errorf("event %q %d", e.Outcome, e.Status)
			}
		})
	}
}

type cutShort struct{}

func (*cutShort) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestProblemIsADocumentThatBeginsWithError(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	w := r.post("", "")
	const body = `{"error":"idempotency_key_empty","detail":"Idempotency-Key is empty","type":"about:blank","title":"Bad Request","status":400}`
	if got := w.Body.String(); got != body {
		t.Errorf("body %s", got)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/problem+json", "Cache-Control": "no-store", "Content-Length": fmt.Sprint(len(body)),
	} {
		if got := w.Header().Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

func TestQuotedKeyReplaysBareKey(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	want(t, r.post(`"abc"`, "x"), 201, "")
	w := r.post("abc", "x")
	want(t, w, 201, "")
	isReplay(t, w, true)
	r.ran(1)
}

func TestKeyIsIgnoredOnOtherMethods(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "DELETE"} {
		t.Run(method, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				if httpidem.Client(r.Context()) == "" {
					t.Error("no client in the context")
				}
				w.Header().Set("Idempotent-Replayed", "true") // a handler that lies
				w.WriteHeader(http.StatusAccepted)
			})
			for range 2 {
				w := r.post("k", "", func(r *http.Request) { r.Method = method })
				want(t, w, 202, "")
				isReplay(t, w, false)
			}
			r.ran(2)
			if n := r.store.calls.Load(); n != 0 {
				t.Errorf("the store was called %d times", n)
			}
			if e := r.last(); e.Outcome != httpidem.Passed || e.Status != 202 {
				t.Errorf("event %q %d", e.Outcome, e.Status)
			}
			want(t, r.post("k", "", func(r *http.Request) { r.Method = method; r.Header.Del("Authorization") }), 401, "unauthorized")
		})
	}
}

func TestStreamingWorksOnOtherMethods(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, "x")
	})
	if w := r.post("k", "", func(r *http.Request) { r.Method = "GET" }); !w.Flushed || w.Body.String() != "x" {
		t.Errorf("flushed %v, body %q", w.Flushed, w.Body)
	}
}

func TestMethodsThatTakeAKey(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "PATCH"} {
		r := newRig(t, httpidem.Options{}, created)
		edit := func(r *http.Request) { r.Method = method }
		want(t, r.post("k", "x", edit), 201, "")
		isReplay(t, r.post("k", "x", edit), true)
		r.ran(1)
	}
}

func TestClientsDoNotShareKeys(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, httpidem.Client(r.Context()))
	})
	for _, client := range []string{"alice", "bob", "alice", "bob"} {
		if got := r.post("k", "same", as(client)).Body.String(); got != httpidem.HashCredential(client) {
			t.Errorf("%s got %s", client, got)
		}
	}
	r.ran(2)
}

func TestSeparatorsInClientAndKeyDoNotMeet(t *testing.T) {
	identity := func(_ context.Context, credential string) (string, error) { return credential, nil }
	r := newRig(t, httpidem.Options{Authenticate: identity}, created)
	isReplay(t, r.post("c", "x", as("a:b")), false)
	isReplay(t, r.post("b:c", "x", as("a")), false)
	r.ran(2)
}

func TestRevokedCredentialReplaysNothing(t *testing.T) {
	known := map[string]string{"alice": "a"}
	authenticate := func(_ context.Context, credential string) (string, error) { return known[credential], nil }
	r := newRig(t, httpidem.Options{Authenticate: authenticate}, created)
	want(t, r.post("k", "x"), 201, "")
	delete(known, "alice")
	w := r.post("k", "x")
	want(t, w, 401, "unauthorized")
	isReplay(t, w, false)
	if got := w.Header().Get("WWW-Authenticate"); !strings.Contains(got, "invalid_token") {
		t.Errorf("WWW-Authenticate: %s", got)
	}
}

func TestAuthenticationThatFailsIs503(t *testing.T) {
	authenticate := func(context.Context, string) (string, error) { return "", errors.New("directory is down") }
	r := newRig(t, httpidem.Options{Authenticate: authenticate}, created)
	w := r.post("k", "x")
	want(t, w, 503, "store_unavailable")
	r.ran(0)
}

func TestMismatchNamesKeyAndFingerprints(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	want(t, r.post("order-1001", `{"amount":100}`), 201, "")
	w := r.post("order-1001", `{"amount":200}`)
	want(t, w, 422, "idempotency_key_reused")
	short := func(body string) string {
		f, err := engine.Request{Method: "POST", Target: "/pay", Body: []byte(body)}.Fingerprint(engine.RuleRequest)
		if err != nil {
			t.Fatal(err)
		}
		return f.Short()
	}
	detail := fmt.Sprintf(`{"error":"idempotency_key_reused","detail":"Idempotency-Key \"order-1001\" was already used for a different request (fingerprint %s, got %s)"`,
		short(`{"amount":100}`), short(`{"amount":200}`))
	if !strings.HasPrefix(w.Body.String(), detail) {
		t.Errorf("body %s\nwant %s...", w.Body, detail)
	}
	r.ran(1)
}

func TestAnotherRequestIsAMismatch(t *testing.T) {
	tests := map[string]func(*http.Request){
		"method": func(r *http.Request) { r.Method = "PUT" },
		"path":   func(r *http.Request) { r.RequestURI, r.URL.Path = "/pay/", "/pay/" },
		"query":  func(r *http.Request) { r.RequestURI, r.URL.RawQuery = "/pay?capture=false", "capture=false" },
		"empty query": func(r *http.Request) {
			r.RequestURI, r.URL.ForceQuery = "/pay?", true
		},
		"escaped path": func(r *http.Request) { r.RequestURI = "/p%61y" },
		"no body":      func(r *http.Request) { r.Body, r.ContentLength = http.NoBody, 0 },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, created)
			want(t, r.post("k", "x"), 201, "")
			want(t, r.post("k", "x", edit), 422, "idempotency_key_reused")
			r.ran(1)
		})
	}
}

func TestAbsoluteFormIsTheSameRequest(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	want(t, r.post("k", "x"), 201, "")
	isReplay(t, r.post("k", "x", func(r *http.Request) { r.RequestURI = "http://example.com/pay" }), true)
}

func TestAnyChangedByteIsAMismatch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(rt, "body")
		at := rapid.IntRange(0, len(body)-1).Draw(rt, "at")
		flip := rapid.ByteRange(1, 255).Draw(rt, "flip")
		r := newRig(t, httpidem.Options{}, created)
		if got := r.post("k", string(body)).Code; got != 201 {
			rt.Fatalf("first: %d", got)
		}
		body[at] ^= flip
		if got := r.post("k", string(body)).Code; got != 422 {
			rt.Fatalf("changed: %d", got)
		}
	})
}

func canonical(scope ...engine.ScopeField) httpidem.Options {
	p := engine.DefaultPolicy()
	if scope != nil {
		p.Scope = scope
	}
	return httpidem.Options{Policy: p}
}

func TestCanonicalPolicy(t *testing.T) {
	tests := []struct {
		name, first, second string
		status              int
		replay              bool
	}{
		{"member order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, 201, true},
		{"white space", `{"a":1}`, " { \"a\" :\t1 }\n", 201, true},
		{"spellings of 1", `{"a":1}`, `{"a":10E-1}`, 201, true},
		{"spellings of 0", `{"a":0}`, `{"a":-0}`, 201, true},
		{"escapes", `{"a":"b"}`, `{"\u0061":"\u0062"}`, 201, true},
		{"2^53 and one more", `{"a":9007199254740992}`, `{"a":9007199254740993}`, 422, false},
		{"money as text", `{"a":"1.00"}`, `{"a":"1.0"}`, 422, false},
		{"not JSON", `{"a":1}`, `{"a":1}x`, 400, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, canonical(), created)
			want(t, r.post("k", test.first), 201, "")
			w := r.post("k", test.second)
			want(t, w, test.status, "")
			isReplay(t, w, test.replay)
			r.ran(1)
		})
	}
}

func TestCanonicalPolicyRefusesAmbiguousBodies(t *testing.T) {
	for _, body := range []string{
		``, `{"amount":1,"amount":2}`, `{"a":{"b":1,"b":1}}`, `{"amount":1,"\u0061mount":2}`,
		`{"amount":1}{"amount":2}`, `{"amount":1}x`, "\ufeff{}", `{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`,
	} {
		r := newRig(t, canonical(), created)
		want(t, r.post("k", body), 400, "invalid_body")
		r.ran(0)
		if n := r.store.calls.Load(); n != 0 {
			t.Errorf("%q: the store was called", body)
		}
	}
}

// A record that an earlier policy made is compared by its own rule; a body that
// this rule cannot read is another request, not a failure.
func TestRecordUnderAnEarlierRule(t *testing.T) {
	scope := []engine.ScopeField{engine.ScopeClient, engine.ScopeKey}
	r := newRig(t, canonical(scope...), created)
	want(t, r.post("k", `{"a":1,"b":2}`), 201, "")
	r.handler = r.wrap(httpidem.Options{}, created)
	isReplay(t, r.post("k", `{"b":2,"a":1}`), true)
	want(t, r.post("k", `{"b":2,"a":2}`), 422, "idempotency_key_reused")
	w := r.post("k", `not JSON`)
	want(t, w, 422, "idempotency_key_reused")
	if strings.Contains(w.Body.String(), "got 0000000000000000") {
		t.Errorf("body %s", w.Body)
	}
	r.ran(1)
}

func TestEndpointInTheScope(t *testing.T) {
	at := func(method, path string) func(*http.Request) {
		return func(r *http.Request) {
			r.Method = method
			u, err := r.URL.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			r.URL, r.RequestURI = u, path
		}
	}
	r := newRig(t, canonical(), created)
	want(t, r.post("k", "{}", at("POST", "/v1/pay")), 201, "")
	isReplay(t, r.post("k", "{}", at("POST", "/v1/p%61y")), true)
	isReplay(t, r.post("k", "{}", at("POST", "/v1/pay?trace=1")), true)
	isReplay(t, r.post("k", "{}", at("PUT", "/v1/pay")), false)
	isReplay(t, r.post("k", "{}", at("POST", "/v1%2Fpay")), true)
	isReplay(t, r.post("k", "{}", at("POST", "/v1/pay/")), false)
	r.ran(3)
}

func TestPolicyThatAnswersMismatchWithTheFirstResult(t *testing.T) {
	p := engine.HTTPPolicy()
	p.OnMismatch = engine.MismatchReplays
	r := newRig(t, httpidem.Options{Policy: p}, created)
	want(t, r.post("k", "x"), 201, "")
	w := r.post("k", "y")
	isReplay(t, w, true)
	if w.Body.String() != "x" {
		t.Errorf("body %q", w.Body)
	}
}

func TestPolicyThatFreesTheKeyAfterAnError(t *testing.T) {
	p := engine.HTTPPolicy()
	p.Stored = engine.StoreSuccess
	status := 402
	r := newRig(t, httpidem.Options{Policy: p}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	want(t, r.post("k", "x"), 402, "")
	status = 201
	w := r.post("k", "x")
	want(t, w, 201, "")
	isReplay(t, w, false)
	r.ran(2)
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, opt := range map[string]httpidem.Options{
		"scope without the client": canonical(engine.ScopeEndpoint, engine.ScopeKey),
		"cookies replayed":         {ReplayHeaders: []string{"set-cookie"}},
		"marker replayed":          {ReplayHeaders: []string{"Idempotent-Replayed"}},
		"negative limit":           {MaxBody: -1},
		"kept more than sent":      {KeepReply: 2, MaxReply: 1},
		"lease beyond retention":   {Policy: engine.Policy{Scope: engine.HTTPPolicy().Scope}},
	} {
		if _, err := httpidem.New(nil, opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
