package engine_test

import (
	"strings"
	"testing"

	"idem/engine"
)

func scoped(t *testing.T, scope, key, body string) engine.ScopedKey {
	t.Helper()
	p := engine.DefaultPolicy()
	knob, _ := engine.KnobNamed("scope")
	if err := knob.Set(&p, scope); err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p.ScopedKey(engine.Request{ClientID: "shop", Endpoint: "/pay", Key: key, Body: []byte(body)})
}

func TestScopeWithAmount(t *testing.T) {
	const scope = "client_id,idem_key,amount"
	first := scoped(t, scope, "k", `{"amount":1000,"note":"a"}`)
	if first != (engine.ScopedKey{ClientID: "shop", Key: "1000 k"}) {
		t.Errorf("scoped key is %+v", first)
	}
	for body, same := range map[string]bool{
		`{"note":"b","amount":1e3}`:         true,
		`{"amount":1000.0}`:                 true,
		`{"amount":"1000"}`:                 true,
		`{"amount":1001}`:                   false,
		`{"amount":9007199254740993}`:       false,
		`{"amount":"1000 "}`:                false,
		`{"amount":null}`:                   false,
		`{}`:                                false,
		`[1000]`:                            false,
		`{"amount":1000,"amount":1000}`:     false, // ambiguous: no amount
		`{"other":{"amount":1000}}`:         false,
		`{"amount":1000,"extra":[1,2,"x"]}`: true,
	} {
		if got := scoped(t, scope, "k", body); (got == first) != same {
			t.Errorf("%s is under %q beside %q, want same: %v", body, got.Key, first.Key, same)
		}
	}
}

// No key can be written so that it falls into another amount's scope.
func TestScopeWithAmountCannotBeForged(t *testing.T) {
	seen := map[engine.ScopedKey]string{}
	for _, amount := range []string{`1`, `12`, `1.5`, `""`, `"1 2"`, `1e400`} {
		for _, key := range []string{"k", "2 k", "12 k", " k", "1 2 k"} {
			id := amount + "|" + key
			got := scoped(t, "idem_key,amount", key, `{"amount":`+amount+`}`)
			if before, twice := seen[got]; twice && !strings.HasPrefix(id, `"`) {
				t.Errorf("%s and %s share %q", before, id, got.Key)
			}
			seen[got] = id
		}
	}
}

func TestScopeNeedsTheKey(t *testing.T) {
	p := engine.DefaultPolicy()
	knob, _ := engine.KnobNamed("scope")
	for _, bad := range []string{"amount", "client_id,amount", "idem_key,amount,amount", "idem_key,sum"} {
		if err := knob.Set(&p, bad); err == nil {
			t.Errorf("scope %q is taken", bad)
		}
	}
	if err := knob.Set(&p, "amount, idem_key ,client_id"); err != nil || knob.Get(p) != "client_id,idem_key,amount" {
		t.Errorf("scope is %q (%v)", knob.Get(p), err)
	}
}
