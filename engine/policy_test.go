package engine_test

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/engine"
)

const defaultFile = `{
  "scope": ["client_id","endpoint","idem_key"],
  "retention_hours": 72,
  "on_fingerprint_mismatch": 422,
  "on_in_flight": 409,
  "lease_seconds": 30,
  "fingerprint": "canonical",
  "stored": "all"
}
`

func TestPolicyFile(t *testing.T) {
	p := engine.DefaultPolicy()
	if got := string(p.JSON()); got != defaultFile {
		t.Errorf("policy.json is\n%s\nwant\n%s", got, defaultFile)
	}
	// The SHA-256 of the text above: what reports carry must not move unnoticed.
	if want := "1dd5f7e8102c0c3b8488353c11f7d7b51a5b51a24cd3c5c29671b77c9167c7f4"; p.Hash() != want {
		t.Errorf("hash %s, want %s", p.Hash(), want)
	}
	for name, p := range map[string]engine.Policy{"default": engine.DefaultPolicy(), "http": engine.HTTPPolicy()} {
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	base := engine.DefaultPolicy()
	with := func(fn func(*engine.Policy)) engine.Policy {
		p := engine.DefaultPolicy()
		fn(&p)
		return p
	}
	for text, want := range map[string]engine.Policy{
		`{}`: base, defaultFile: base, "\xef\xbb\xbf" + defaultFile: base,
		`{"retention_hours": 0.5}`:               with(func(p *engine.Policy) { p.Retention = 30 * time.Minute }),
		`{"retention_hours": "forever"}`:         with(func(p *engine.Policy) { p.Retention = engine.Forever }),
		`{"lease_seconds": "1.5"}`:               with(func(p *engine.Policy) { p.Lease = 1500 * time.Millisecond }),
		`{"scope":["idem_key","client_id"]}`:     with(func(p *engine.Policy) { p.Scope = []engine.ScopeField{engine.ScopeClient, engine.ScopeKey} }),
		`{"on_fingerprint_mismatch": "replay"}`:  with(func(p *engine.Policy) { p.OnMismatch = engine.MismatchReplays }),
		`{"on_in_flight": 425, "stored": "2xx"}`: with(func(p *engine.Policy) { p.OnInFlight, p.Stored = 425, engine.StoreSuccess }),
		`{"fingerprint": "none"}`:                with(func(p *engine.Policy) { p.Fingerprint = engine.RuleNone }),
		`{"retention_hours": 1E2, "lease_seconds": 1.5e0}`: with(func(p *engine.Policy) {
			p.Retention, p.Lease = 100*time.Hour, 1500*time.Millisecond
		}),
		`{"retention_hours": 720000e-4, "lease_seconds": 25e-3}`: with(func(p *engine.Policy) { p.Lease = 25 * time.Millisecond }),
		`{"on_in_flight": 425.0, "on_fingerprint_mismatch": 4.09e2}`: with(func(p *engine.Policy) {
			p.OnInFlight, p.OnMismatch = 425, 409
		}),
		`{"retention_hours": 876000}`: with(func(p *engine.Policy) { p.Retention = engine.MaxRetention }),
		`{"retention_hours": 0.0084, "scope": "idem_key"}`: with(func(p *engine.Policy) {
			p.Retention, p.Scope = 30240*time.Millisecond, []engine.ScopeField{engine.ScopeKey}
		}),
	} {
		got, err := engine.ParsePolicy([]byte(text), base)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for text, names := range map[string]string{
		``: "", `[]`: "object", `null`: "object", `{"stored":"all"} x`: "",
		`{"retention_hours": 0}`:                          "retention_hours",
		`{"retention_hours": -1}`:                         "retention_hours",
		`{"retention_hours": 876001}`:                     "retention_hours",
		`{"retention_hours": null}`:                       "retention_hours",
		`{"retention_hours": [72]}`:                       "retention_hours",
		`{"retention_hours": ["72"]}`:                     "retention_hours",
		`{"retention_hours": "72h"}`:                      "retention_hours",
		`{"retention_hours": "1/2"}`:                      "retention_hours",
		`{"retention_hours": 1e999999999999}`:             "retention_hours",
		`{"retention_hours": -1e1}`:                       "retention_hours",
		`{"retention_hours": "1e2"}`:                      "retention_hours",
		`{"lease_seconds": 1e-400}`:                       "lease_seconds",
		`{"on_in_flight": 409.5}`:                         "on_in_flight",
		`{"retention_hours": 0.001}`:                      "lease_seconds",
		`{"lease_seconds": 86400, "retention_hours": 24}`: "lease_seconds",
		`{"lease_seconds": 0}`:                            "lease_seconds",
		`{"lease_seconds": 86401}`:                        "lease_seconds",
		`{"on_in_flight": 200}`:                           "on_in_flight",
		`{"on_fingerprint_mismatch": 500}`:                "on_fingerprint_mismatch",
		`{"scope": []}`:                                   "scope",
		`{"scope": ["client_id"]}`:                        "idem_key",
		`{"scope": ["idem_key","idem_key"]}`:              "scope",
		`{"scope": ["idem_key","body"]}`:                  "scope",
		`{"fingerprint": "md5"}`:                          "fingerprint",
		`{"stored": ""}`:                                  "stored",
		`{"stored": ["all"]}`:                             "stored",
		`{"retention": 72}`:                               `"retention"`,
		`{"stored":"all","stored":"2xx"}`:                 "stored",
	} {
		_, err := engine.ParsePolicy([]byte(text), engine.DefaultPolicy())
		if !errors.Is(err, engine.ErrPolicy) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v; want an ErrPolicy that names %s", text, err, names)
		}
	}
	_, err := engine.ParsePolicy([]byte(`{"b":1,"a":1,"lease_seconds":-1}`), engine.DefaultPolicy())
	for _, name := range []string{`"a"`, `"b"`, "lease_seconds"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("of three faults the error does not name %s: %v", name, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*engine.Policy){
		"zero":      func(p *engine.Policy) { *p = engine.Policy{} },
		"retention": func(p *engine.Policy) { p.Retention = p.Lease },
		"too long":  func(p *engine.Policy) { p.Retention = engine.MaxRetention + 1 },
		"lease":     func(p *engine.Policy) { p.Lease = engine.MaxLease + 1 },
		"rule":      func(p *engine.Policy) { p.Fingerprint = 9 },
	} {
		p := engine.DefaultPolicy()
		change(&p)
		if err := p.Validate(); !errors.Is(err, engine.ErrPolicy) {
			t.Errorf("%s: %v, want ErrPolicy", name, err)
		}
	}
	p := engine.DefaultPolicy()
	p.Retention = p.Lease + 1
	if err := p.Validate(); err != nil {
		t.Errorf("retention of lease + 1ns: %v", err)
	}
}

func drawPolicy(t *rapid.T) engine.Policy {
	p := engine.DefaultPolicy()
	p.Scope = rapid.SampledFrom([][]engine.ScopeField{
		{engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey}, {engine.ScopeClient, engine.ScopeKey}, {engine.ScopeEndpoint, engine.ScopeKey}, {engine.ScopeKey},
	}).Draw(t, "scope")
	p.Lease = time.Duration(rapid.Int64Range(1, int64(engine.MaxLease)).Draw(t, "lease"))
	p.Retention = time.Duration(rapid.Int64Range(int64(p.Lease)+1, int64(engine.MaxRetention)).Draw(t, "retention"))
	if rapid.IntRange(0, 4).Draw(t, "forever") == 0 {
		p.Retention = engine.Forever
	}
	p.Fingerprint = engine.FingerprintRule(rapid.IntRange(0, 3).Draw(t, "rule"))
	p.Stored = rapid.SampledFrom([]engine.StoredReplies{engine.StoreAll, engine.StoreNot5xx, engine.StoreSuccess}).Draw(t, "stored")
	p.OnMismatch = rapid.SampledFrom([]engine.MismatchAnswer{400, 409, 422, engine.MismatchReplays}).Draw(t, "mismatch")
	p.OnInFlight = rapid.SampledFrom([]int{409, 423, 425, 429}).Draw(t, "in flight")
	return p
}

// TestCheckScope: what a policy has claimed is never of another scope.
func TestCheckScope(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	whole := engine.ScopedKey{ClientID: "c", Endpoint: "e", Key: "k"}
	three := []engine.ScopeField{engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey}
	for _, c := range []struct {
		name  string
		scope []engine.ScopeField
		key   engine.ScopedKey
		age   time.Duration
		ok    bool
	}{
		{"the same", three, whole, 0, true},
		{"the same of two", []engine.ScopeField{engine.ScopeClient, engine.ScopeKey}, engine.ScopedKey{ClientID: "c", Key: "k"}, 0, true},
		{"the endpoint has come", three, engine.ScopedKey{ClientID: "c", Key: "k"}, 0, false},
		{"the client has come", three, engine.ScopedKey{Endpoint: "e", Key: "k"}, 0, false},
		{"the endpoint has gone", []engine.ScopeField{engine.ScopeClient, engine.ScopeKey}, whole, 0, false},
		{"both have gone", []engine.ScopeField{engine.ScopeKey}, whole, 0, false},
		{"the amount has come", []engine.ScopeField{engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey, engine.ScopeAmount}, whole, 0, false},
		{"an amount as before", []engine.ScopeField{engine.ScopeKey, engine.ScopeAmount}, engine.ScopedKey{Key: "-1.5e+30 k"}, 0, true},
		{"no amount in the body, as before", []engine.ScopeField{engine.ScopeKey, engine.ScopeAmount}, engine.ScopedKey{Key: " k"}, 0, true},
		{"the last moment of the old one", []engine.ScopeField{engine.ScopeKey}, whole, 72*time.Hour - 1, false},
		{"the old one has expired", []engine.ScopeField{engine.ScopeKey}, whole, 72 * time.Hour, true},
	} {
		p := engine.DefaultPolicy()
		p.Scope = c.scope
		r := &engine.Record{Key: c.key, ClaimedAt: now.Add(-c.age)}
		if err := p.CheckScope(r, now); (err == nil) != c.ok || err != nil && !errors.Is(err, engine.ErrScope) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.OneOf(rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
			rapid.Map(rapid.Float64(), func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) })).Draw(t, "amount")
		p, request := drawPolicy(t), engine.Request{ClientID: "c", Endpoint: "e", Key: rapid.String().Draw(t, "key"), Body: []byte(`{"amount":` + amount + `}`)}
		if rapid.Bool().Draw(t, "scoped by amount") {
			p.Scope = slices.Concat(p.Scope, []engine.ScopeField{engine.ScopeAmount})
		}
		if err := p.CheckScope(&engine.Record{Key: p.ScopedKey(request), ClaimedAt: now}, now); err != nil {
			t.Errorf("the policy's own key: %v", err)
		}
	})
	if err := engine.DefaultPolicy().CheckScope(nil, now); err != nil {
		t.Errorf("an empty store: %v", err)
	}
}

// TestPolicyRoundTrip: every valid policy is read back from its file exactly, to
// the nanosecond, and one knob at a time from its text.
func TestPolicyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		back, err := engine.ParsePolicy(p.JSON(), engine.HTTPPolicy())
		if err != nil || !reflect.DeepEqual(back, p) || back.Hash() != p.Hash() {
			t.Fatalf("%s\nis read as %+v, %v", p.JSON(), back, err)
		}
		one := engine.DefaultPolicy()
		for _, k := range engine.Knobs() {
			if err := k.Set(&one, k.Get(p)); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(one, p) {
			t.Fatalf("by knobs %+v, want %+v", one, p)
		}
	})
}

func TestKnobs(t *testing.T) {
	for _, k := range engine.Knobs() {
		found, ok := engine.KnobNamed(k.Name)
		if !ok || found.Name != k.Name || k.Help == "" || k.Bounds == "" {
			t.Errorf("knob %q is found as %q, help %q, bounds %q", k.Name, found.Name, k.Help, k.Bounds)
		}
		p := engine.DefaultPolicy()
		err := k.Set(&p, "nonsense")
		if !errors.Is(err, engine.ErrPolicy) || !strings.Contains(err.Error(), k.Bounds) || !strings.Contains(err.Error(), "nonsense") {
			t.Errorf("knob %q set to nonsense: %v", k.Name, err)
		}
	}
	if _, ok := engine.KnobNamed("retention"); ok {
		t.Error("a knob that is not there is found")
	}
}

func FuzzParsePolicy(f *testing.F) {
	for _, seed := range []string{defaultFile, `{}`, `{"retention_hours":"forever"}`, `{"lease_seconds":0.000000001}`, `{"scope":["idem_key"]}`, `{"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := engine.ParsePolicy(text, engine.DefaultPolicy())
		if err != nil {
			if !errors.Is(err, engine.ErrPolicy) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("accepted, and then %v", err)
		}
		if back, err := engine.ParsePolicy(p.JSON(), engine.HTTPPolicy()); err != nil || !reflect.DeepEqual(back, p) {
			t.Fatalf("%s\nis read as %+v, %v", p.JSON(), back, err)
		}
	})
}
