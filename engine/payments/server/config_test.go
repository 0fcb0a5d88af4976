package server

import (
	"errors"
	"strings"
	"testing"

	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/memstore"
)

func TestConfigThatCannotBeServed(t *testing.T) {
	known, err := ParseClients([]byte(`{"shop":["` + httpidem.HashCredential("a") + `"]}`))
	if err != nil {
		t.Fatal(err)
	}
	shared := engine.DefaultPolicy()
	shared.Scope = []engine.ScopeField{engine.ScopeKey}
	tests := []struct {
		name  string
		cfg   Config
		usage bool
	}{
		{"default", Config{}, false},
		{"loopback", Config{Addr: "127.0.0.2:0"}, false},
		{"IPv6 loopback", Config{Addr: "[::1]:0"}, false},
		{"localhost", Config{Addr: "localhost:0"}, false},
		{"every address", Config{Addr: ":8080"}, true},
		{"every address, spelled out", Config{Addr: "0.0.0.0:8080"}, true},
		{"another name", Config{Addr: "example.com:8080"}, true},
		{"every address with clients", Config{Addr: ":8080", Clients: known}, false},
		{"no port", Config{Addr: "127.0.0.1"}, true},
		{"clients that share keys", Config{Policy: shared}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Store = memstore.New()
			s, err := New(t.Context(), test.cfg)
			if got := errors.As(err, new(*UsageError)); got != test.usage || (s == nil) != test.usage {
				t.Errorf("usage error %v, want %v: %v", got, test.usage, err)
			}
		})
	}
}

func TestKnownClientsOnly(t *testing.T) {
	clients, err := ParseClients([]byte(`{"shop":["` + httpidem.HashCredential("a") + `","` + httpidem.HashCredential("b") + `"]}`))
	if err != nil {
		t.Fatal(err)
	}
	l := start(t, Config{Clients: clients})
	first := l.do("POST", "/v1/payment_intents", "a", "k", intent)
	if got := l.do("POST", "/v1/payment_intents", "b", "k", intent); got.header.Get("Idempotent-Replayed") != "true" || got.body != first.body {
		t.Errorf("another credential of the client: %+v", got)
	}
	if got := l.do("POST", "/v1/payment_intents", "c", "k", intent); got.status != 401 {
		t.Errorf("a stranger: %d", got.status)
	}
}

func TestClientsFiles(t *testing.T) {
	a, b := httpidem.HashCredential("a"), httpidem.HashCredential("b")
	for text, ok := range map[string]bool{
		`{"x":["` + a + `","` + b + `"]}`:       true,
		`{"x":["` + a + `"],"y":["` + b + `"]}`: true,
		`{"x":["` + a + `"],"y":[]}`:            true,
		`{"x":["` + a + `"],"x":["` + b + `"]}`: false,
		`{"x":["` + a + `"],"y":["` + a + `"]}`: false,
		`{"x":["` + strings.ToUpper(a) + `"]}`:  false,
		`{"x":["secret"]}`:                      false,
		`{"x":["` + a[:62] + `"]}`:              false,
		`{"x":"` + a + `"}`:                     false,
		`{"":["` + a + `"]}`:                    false,
		`{" ":["` + a + `"]}`:                   false,
		`{}`:                                    false,
		`{"x":[]}`:                              false,
		`[]`:                                    false,
		`{"x":["` + a + `"]}x`:                  false,
		``:                                      false,
	} {
		_, err := ParseClients([]byte(text))
		if (err == nil) != ok || (err != nil && !errors.As(err, new(*UsageError))) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAccountsFiles(t *testing.T) {
	accounts, err := ParseAccounts([]byte(`[{"acct_id":"a","holder":"A","balance":5},{"acct_id":7,"balance":0}]`))
	if err != nil || len(accounts) != 2 || accounts[0] != (engine.Account{ID: "a", Holder: "A", Balance: 5}) || accounts[1] != (engine.Account{ID: "7", Integer: true}) {
		t.Errorf("%+v, %v", accounts, err)
	}
	for _, text := range []string{
		``, `{}`, `[{"acct_id":"","balance":1}]`, `[{"balance":1}]`, `[{"acct_id":1.5,"balance":1}]`, `[{"acct_id":"a","balance":-1}]`,
		`[{"acct_id":"a","balance":1.5}]`, `[{"acct_id":"7"},{"acct_id":7}]`, `[{"acct_id":"a","Balance":1}]`,
	} {
		if _, err := ParseAccounts([]byte(text)); !errors.As(err, new(*UsageError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
