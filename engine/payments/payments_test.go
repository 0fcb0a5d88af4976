package payments_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/memstore"
	"idem/engine/payments"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counted is a random source that counts.
type counted byte

func (c *counted) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(*c)
	}
	*c++
	return len(p), nil
}

type shop struct {
	t     *testing.T
	store engine.Store
	api   *payments.API
	http.Handler
}

func newShop(t *testing.T) *shop {
	t.Helper()
	store := memstore.New()
	api := payments.New(store, nil, new(counted))
	layer, err := httpidem.New(store, httpidem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &shop{t, store, api, layer.Wrap(api)}
}

func (s *shop) do(method, path, client, key, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+client)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w
}

const intent = `{"chain":"evm:31337","token":"0xT","payer":"0xP","merchant":"0xM","amount":"100000000","expires_in_seconds":900}`

func TestCreateAndReadAnIntent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		w := s.do("POST", "/v1/payment_intents", "alice", "order-1", intent)
		const id = "pi_000000000000000000000000"
		const body = `{"id":"` + id + `","state":"created","version":1,"amount":"100000000","chain":"evm:31337","token":"0xT","payer":"0xP","merchant":"0xM","created_at":"2000-01-01T00:00:00Z","expires_at":"2000-01-01T00:15:00Z"}`
		if w.Code != 201 || w.Body.String() != body || w.Header().Get("Location") != "/v1/payment_intents/"+id || w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%d %v\n%s\nwant\n%s", w.Code, w.Header(), w.Body, body)
		}
		again := s.do("POST", "/v1/payment_intents", "alice", "order-1", intent)
		if again.Header().Get("Idempotent-Replayed") != "true" || again.Body.String() != body || again.Header().Get("Location") != "/v1/payment_intents/"+id {
			t.Errorf("replay: %v\n%s", again.Header(), again.Body)
		}
		for _, key := range []string{"", "order-1"} {
			read := s.do("GET", "/v1/payment_intents/"+id, "alice", key, "")
			if read.Code != 200 || read.Body.String() != body || read.Header().Get("Idempotent-Replayed") != "" {
				t.Errorf("read: %d %s", read.Code, read.Body)
			}
		}
		if other := s.do("POST", "/v1/payment_intents", "alice", "order-2", intent); other.Body.String() == body {
			t.Error("another key gave the same intent")
		}
	})
}

func TestIntentOfAnotherMerchantDoesNotExist(t *testing.T) {
	s := newShop(t)
	path := s.do("POST", "/v1/payment_intents", "alice", "k", intent).Header().Get("Location")
	bob, none := s.do("GET", path, "bob", "", ""), s.do("GET", path[:len(path)-1]+"1", "bob", "", "")
	if bob.Code != 404 || bob.Body.String() != none.Body.String() {
		t.Errorf("%d %s, an unknown one %d %s", bob.Code, bob.Body, none.Code, none.Body)
	}
	if w := s.do("POST", "/v1/payment_intents", "bob", "k", intent); w.Code != 201 || w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("the key is blocked for another merchant: %d", w.Code)
	}
}

func TestIntentsThatAreRefused(t *testing.T) {
	with := func(member, value string) string {
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte(intent), &m); err != nil {
			t.Fatal(err)
		}
		m[member] = json.RawMessage(value)
		if value == "" {
			delete(m, member)
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tests := map[string]struct{ body, code string }{
		"empty":                 {"", "invalid_body"},
		"no object":             {`[]`, "invalid_body"},
		"null":                  {`null`, "invalid_chain"},
		"cut short":             {intent[:40], "invalid_body"},
		"two objects":           {intent + intent, "invalid_body"},
		"trailing x":            {intent + "x", "invalid_body"},
		"byte order mark":       {"\ufeff" + intent, "invalid_body"},
		"invalid UTF-8":         {with("chain", "\"\xff\""), "invalid_body"},
		"lone surrogate":        {with("chain", `"\ud800"`), "invalid_body"},
		"duplicate amount":      {`{"amount":"1",` + intent[1:], "invalid_body"},
		"escaped duplicate":     {`{"\u0061mount":"1",` + intent[1:], "invalid_body"},
		"duplicate in unknown":  {with("note", `{"a":1,"a":2}`), "invalid_body"},
		"chain missing":         {with("chain", ""), "invalid_chain"},
		"token empty":           {with("token", `""`), "invalid_token"},
		"payer a number":        {with("payer", `1`), "invalid_body"},
		"merchant null":         {with("merchant", `null`), "invalid_merchant"},
		"merchant too long":     {with("merchant", `"`+strings.Repeat("m", 256)+`"`), "invalid_merchant"},
		"amount missing":        {with("amount", ""), "invalid_amount"},
		"amount in capitals":    {strings.Replace(intent, "amount", "AMOUNT", 1), "invalid_amount"},
		"amount a number":       {with("amount", `100`), "invalid_body"},
		"amount zero":           {with("amount", `"0"`), "invalid_amount"},
		"amount of zeros":       {with("amount", `"000"`), "invalid_amount"},
		"amount with a 0 ahead": {with("amount", `"01"`), "invalid_amount"},
		"amount negative":       {with("amount", `"-1"`), "invalid_amount"},
		"amount with a sign":    {with("amount", `"+1"`), "invalid_amount"},
		"amount with a point":   {with("amount", `"1.0"`), "invalid_amount"},
		"amount with a space":   {with("amount", `" 1"`), "invalid_amount"},
		"amount in hex":         {with("amount", `"0x10"`), "invalid_amount"},
		"amount in Arabic":      {with("amount", `"١"`), "invalid_amount"},
		"amount too long":       {with("amount", `"`+strings.Repeat("9", 79)+`"`), "invalid_amount"},
		"expiry zero":           {with("expires_in_seconds", `0`), "invalid_expires_in_seconds"},
		"expiry negative":       {with("expires_in_seconds", `-1`), "invalid_expires_in_seconds"},
		"expiry too long":       {with("expires_in_seconds", `2592001`), "invalid_expires_in_seconds"},
		"expiry beyond 64 bits": {with("expires_in_seconds", `99999999999999999999`), "invalid_body"},
		"expiry a text":         {with("expires_in_seconds", `"900"`), "invalid_body"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			for _, replayed := range []string{"", "true"} {
				w := s.do("POST", "/v1/payment_intents", "alice", "k", test.body)
				if w.Code != 400 || !strings.HasPrefix(w.Body.String(), `{"error":"`+test.code+`","detail":"`) || w.Header().Get("Idempotent-Replayed") != replayed {
					t.Fatalf("%d %q %s; want error %s", w.Code, w.Header().Get("Idempotent-Replayed"), w.Body, test.code)
				}
			}
		})
	}
}

func TestAmountsAreKeptAsTheyAreWritten(t *testing.T) {
	for _, amount := range []string{"1", "9007199254740993", "18446744073709551616", strings.Repeat("9", 78)} {
		s := newShop(t)
		w := s.do("POST", "/v1/payment_intents", "alice", "k", strings.Replace(intent, "100000000", amount, 1))
		read := s.do("GET", w.Header().Get("Location"), "alice", "", "")
		for _, got := range []*httptest.ResponseRecorder{w, read} {
			if !strings.Contains(got.Body.String(), `"amount":"`+amount+`"`) {
				t.Errorf("%d %s; want amount %s", got.Code, got.Body, amount)
			}
		}
	}
}

// The handler reads "amount" as a fingerprint of the body does: by its exact name.
func TestNamesInAnotherCaseAreOtherNames(t *testing.T) {
	s := newShop(t)
	w := s.do("POST", "/v1/payment_intents", "alice", "k", `{"AMOUNT":"99999","Chain":"x",`+intent[1:])
	if w.Code != 201 || !strings.Contains(w.Body.String(), `"amount":"100000000"`) || !strings.Contains(w.Body.String(), "evm:31337") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestIntentExpires(t *testing.T) {
	// Whether a sweep has run must not be seen from outside.
	for _, swept := range []bool{false, true} {
		t.Run(fmt.Sprint("swept ", swept), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t)
				path := s.do("POST", "/v1/payment_intents", "alice", "k", intent).Header().Get("Location")
				read := func() string { return s.do("GET", path, "alice", "", "").Body.String() }
				time.Sleep(900*time.Second - 1)
				if !strings.Contains(read(), `"state":"created","version":1,`) {
					t.Errorf("before its expiry: %s", read())
				}
				time.Sleep(time.Nanosecond)
				want := `"state":"canceled","version":2,`
				if !strings.Contains(read(), want) {
					t.Errorf("at its expiry: %s", read())
				}
				time.Sleep(time.Hour)
				if n, err := s.api.Sweep(context.Background()); swept && (n != 1 || err != nil) {
					t.Fatalf("swept %d, %v", n, err)
				}
				if got := read(); !strings.Contains(got, want) || !strings.HasSuffix(got, `"canceled_at":"2000-01-01T00:15:00Z","canceled_by":"system"}`) {
					t.Errorf("an hour later: %s", got)
				}
				if n, err := s.api.Sweep(context.Background()); n != 0 || err != nil {
					t.Errorf("a second sweep wrote %d, %v", n, err)
				}
				// The stored result of the key is what was answered then.
				if w := s.do("POST", "/v1/payment_intents", "alice", "k", intent); !strings.Contains(w.Body.String(), `"state":"created"`) {
					t.Errorf("replay: %s", w.Body)
				}
			})
		})
	}
}

func TestSweepAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		path := s.do("POST", "/v1/payment_intents", "alice", "k", intent).Header().Get("Location")
		restarted := newShop(t)
		restarted.api = payments.New(s.store, nil, nil)
		layer, err := httpidem.New(s.store, httpidem.Options{})
		if err != nil {
			t.Fatal(err)
		}
		restarted.Handler = layer.Wrap(restarted.api)
		time.Sleep(time.Hour)
		if n, _ := restarted.api.Sweep(context.Background()); n != 0 {
			t.Errorf("swept %d that nobody told it of", n)
		}
		restarted.do("GET", path, "alice", "", "")
		if n, err := restarted.api.Sweep(context.Background()); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

func TestSweepGoesOnAfterAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		down := &down{Store: s.store}
		api := payments.New(down, nil, nil)
		layer, err := httpidem.New(s.store, httpidem.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Handler = layer.Wrap(api)
		for i := range 250 {
			s.do("POST", "/v1/payment_intents", "alice", fmt.Sprint("k", i), intent)
		}
		time.Sleep(time.Hour)
		down.err = engine.ErrBusy
		if n, err := api.Sweep(context.Background()); n != 0 || err == nil {
			t.Errorf("swept %d, %v", n, err)
		}
		down.err = nil
		if n, err := api.Sweep(context.Background()); n != 250 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

type down struct {
	engine.Store
	err error
}

func (d *down) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if d.err != nil {
		return d.err
	}
	return d.Store.Update(ctx, fn)
}

func TestPathsAndMethods(t *testing.T) {
	s := newShop(t)
	tests := []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/", 404, ""},
		{"POST", "/v1/payment_intents/", 405, "GET, HEAD"},
		{"GET", "/v1/payment_intents/", 404, ""},
		{"GET", "/v1/payment_intents/a/b", 404, ""},
		{"GET", "/v1/payment_intents/pi_%00", 404, ""},
		{"GET", "/v1/payment_intents", 405, "POST"},
		{"PUT", "/v1/payment_intents", 405, "POST"},
		{"DELETE", "/v1/transfers", 405, "POST"},
		// A redirect to a tidier path would become the result of the key.
		{"POST", "/v1//payment_intents", 404, ""},
		{"POST", "/v1/x/../payment_intents", 404, ""},
	}
	for i, test := range tests {
		w := s.do(test.method, test.path, "alice", fmt.Sprint("k", i), intent)
		if w.Code != test.status || w.Header().Get("Allow") != test.allow || !strings.HasPrefix(w.Body.String(), `{"error":`) {
			t.Errorf("%s %s: %d, Allow %q, %s", test.method, test.path, w.Code, w.Header().Get("Allow"), w.Body)
		}
	}
}

func TestReadingFromAStoreThatIsDown(t *testing.T) {
	s := newShop(t)
	path := s.do("POST", "/v1/payment_intents", "alice", "k", intent).Header().Get("Location")
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	if w := s.do("GET", path, "alice", "", ""); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// What is published can be read back as a policy file.
func TestPublishedPolicy(t *testing.T) {
	h := payments.PolicyHandler(engine.HTTPPolicy())
	get := func(edit func(*http.Request)) *httptest.ResponseRecorder {
		req := httptest.NewRequest("GET", "/v1/idempotency_policy", nil)
		edit(req)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	w := get(func(*http.Request) {})
	p, err := engine.ParsePolicy(w.Body.Bytes(), engine.DefaultPolicy())
	if err != nil || p.Hash() != engine.HTTPPolicy().Hash() || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("policy %+v, %v", p, err)
	}
	w = get(func(r *http.Request) { r.Header.Set("If-None-Match", w.Header().Get("ETag")) })
	if body, _ := io.ReadAll(w.Body); w.Code != 304 || len(body) > 0 {
		t.Errorf("unchanged: %d %q", w.Code, body)
	}
	if w := get(func(r *http.Request) { r.Method = "POST" }); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
}

func FuzzCreateIntent(f *testing.F) {
	f.Add(intent)
	f.Add(`{"amount":"1"}`)
	f.Fuzz(func(t *testing.T, body string) {
		s := newShop(t)
		first := s.do("POST", "/v1/payment_intents", "alice", "k", body)
		if first.Code != 201 && first.Code != 400 {
			t.Fatalf("status %d: %s", first.Code, first.Body)
		}
		again := s.do("POST", "/v1/payment_intents", "alice", "k", body)
		if again.Body.String() != first.Body.String() || again.Header().Get("Idempotent-Replayed") != "true" {
			t.Fatalf("replay %s of %s", again.Body, first.Body)
		}
	})
}
