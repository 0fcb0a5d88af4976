package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"idem/engine"
)

func TestParseCall(t *testing.T) {
	const body = `"body": {"src":"A"}`
	cases := []struct{ name, text, reason string }{
		{"whole", `{"client_id":"c","endpoint":"e","idem_key":"k",` + body + `}`, ""},
		{"members it does not know", `{"x":[1],"client_id":"c","endpoint":"e","idem_key":"k",` + body + `}`, ""},
		{"spaces around it", " \n{\"client_id\":\"c\",\"endpoint\":\"e\",\"idem_key\":\"k\"," + body + "}\n ", ""},
		{"no client", `{"endpoint":"e","idem_key":"k",` + body + `}`, engine.ReasonClientID},
		{"empty client", `{"client_id":"","endpoint":"e","idem_key":"k",` + body + `}`, engine.ReasonClientID},
		{"null client", `{"client_id":null,"endpoint":"e","idem_key":"k",` + body + `}`, engine.ReasonClientID},
		{"number as client", `{"client_id":1,"endpoint":"e","idem_key":"k",` + body + `}`, engine.ReasonClientID},
		{"another case", `{"Client_ID":"c","endpoint":"e","idem_key":"k",` + body + `}`, engine.ReasonClientID},
		{"blank endpoint", `{"client_id":"c","endpoint":" \t","idem_key":"k",` + body + `}`, engine.ReasonEndpoint},
		{"list as key", `{"client_id":"c","endpoint":"e","idem_key":["k"],` + body + `}`, engine.ReasonKey},
		{"blank key", `{"client_id":"c","endpoint":"e","idem_key":"\u00a0",` + body + `}`, engine.ReasonKey},
		{"no body", `{"client_id":"c","endpoint":"e","idem_key":"k"}`, engine.ReasonBody},
		{"empty body", `{"client_id":"c","endpoint":"e","idem_key":"k","body":{}}`, engine.ReasonBody},
		{"string as body", `{"client_id":"c","endpoint":"e","idem_key":"k","body":"{}"}`, engine.ReasonBody},
		{"list as body", `{"client_id":"c","endpoint":"e","idem_key":"k","body":[1]}`, engine.ReasonBody},
		{"null as body", `{"client_id":"c","endpoint":"e","idem_key":"k","body":null}`, engine.ReasonBody},
		{"nothing", `{}`, engine.ReasonClientID},
	}
	for _, c := range cases {
		r, refused, err := engine.ParseCall([]byte(c.text))
		if err != nil || (refused == nil) != (c.reason == "") || refused != nil && (refused.Reason != c.reason || refused.Status != 400) {
			t.Errorf("%s: refusal %+v, %v; want %q", c.name, refused, err, c.reason)
		}
		if refused == nil && (r.ClientID != "c" || r.Endpoint != "e" || r.Key != "k" || string(r.Body) != `{"src":"A"}`) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestParseCallIsStrict(t *testing.T) {
	for _, text := range []string{
		``, ` `, `[]`, `null`, `"x"`, `1`, `{`, "\xef\xbb\xbf{}", `{} {}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}",
		`{"client_id":"c","endpoint":"e","idem_key":"k","body":{"amount":1,"amount":2}}`,
		`{"client_id":"c","endpoint":"e","idem_key":"k","body":{"a":{"b":1,"\u0062":2}}}`,
		`{"x":{"b":1,"b":2},"client_id":""}`, `{"client_id":"c"}x`,
	} {
		if r, refused, err := engine.ParseCall([]byte(text)); !errors.Is(err, engine.ErrAmbiguous) {
			t.Errorf("%q: %+v, %+v, %v; want ErrAmbiguous", text, r, refused, err)
		}
	}
}

// TestParseCallSaysWhatIsNotSeen: an editor shows neither.
func TestParseCallSaysWhatIsNotSeen(t *testing.T) {
	for text, want := range map[string]string{
		"\xef\xbb\xbf{}": "byte order mark", "\xff\xfe{\x00}\x00": "UTF-16", "\xfe\xff\x00{\x00}": "UTF-16", " \n": "empty", "[]": "not a JSON object",
	} {
		if _, _, err := engine.ParseCall([]byte(text)); !errors.Is(err, engine.ErrAmbiguous) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseOrder(t *testing.T) {
	order := func(src, dst, amount, currency string) string {
		return `{"src":` + src + `,"dst":` + dst + `,"amount":` + amount + `,"currency":` + currency + `}`
	}
	cases := []struct {
		text    string
		want    *engine.Refusal
		amount  int64
		src     string
		srcJSON string
	}{
		{order(`"A"`, `"B"`, `1000`, `"KRW"`), nil, 1000, "A", `"A"`},
		{order(`7`, `"B"`, `1000.0`, `"KRW"`), nil, 1000, "7", `7`},
		{order(`7.0`, `"B"`, `1e3`, `"KRW"`), nil, 1000, "7", `7`},
		{order(`"\u0041"`, `"B"`, `100e1`, `"krw"`), nil, 1000, "A", `"\u0041"`},
		{order(`-7`, `"B"`, `9223372036854775807`, `"KRW"`), nil, math.MaxInt64, "-7", `-7`},
		{order(`"A"`, `"B"`, `9223372036854775808`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `1e19`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `1e999999999999`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `0`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `-1`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `1.5`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `"1000"`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`"A"`, `"B"`, `true`, `"KRW"`), engine.RefusedAmount, 0, "", ""},
		{order(`""`, `"B"`, `1`, `"KRW"`), engine.RefusedSource, 0, "", ""},
		{order(`null`, `"B"`, `1`, `"KRW"`), engine.RefusedSource, 0, "", ""},
		{order(`1.5`, `"B"`, `1`, `"KRW"`), engine.RefusedSource, 0, "", ""},
		{order(`"A"`, `{}`, `1`, `"KRW"`), engine.RefusedTarget, 0, "", ""},
		{order(`"A"`, `"A"`, `1`, `"KRW"`), engine.RefusedSame, 0, "", ""},
		{order(`7`, `"7"`, `1`, `"KRW"`), engine.RefusedSame, 0, "", ""},
		{order(`"A"`, `"B"`, `1`, `""`), engine.RefusedCurrency, 0, "", ""},
		{order(`"A"`, `"B"`, `1`, `410`), engine.RefusedCurrency, 0, "", ""},
		{order(`"A"`, `"B"`, `1`, `"K W"`), engine.RefusedCurrency, 0, "", ""},
		{order(`"A"`, `"B"`, `1`, `"12345678901234567"`), engine.RefusedCurrency, 0, "", ""},
		{order(`"A"`, `"B"`, `1`, `"원"`), engine.RefusedCurrency, 0, "", ""},
		{`{"AMOUNT":1,"src":"A","dst":"B","currency":"KRW"}`, engine.RefusedAmount, 0, "", ""},
	}
	for _, c := range cases {
		o, refused, err := engine.ParseOrder([]byte(c.text))
		if err != nil || refused != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.text, refused, err, c.want)
		}
		if refused == nil && (o.Amount != c.amount || o.Src.Text != c.src || string(o.Src.JSON) != c.srcJSON) {
			t.Errorf("%s: %+v", c.text, o)
		}
	}
	for _, text := range []string{``, `{`, `{"amount":1,"amount":1}`, `{"amount":1} x`, `{"a":{"b":1,"b":1}}`, `[{"b":1,"b":1}]`} {
		if _, _, err := engine.ParseOrder([]byte(text)); !errors.Is(err, engine.ErrAmbiguous) {
			t.Errorf("%q: %v, want ErrAmbiguous", text, err)
		}
	}
	for _, text := range []string{`{}`, ` { } `, `[]`, `[{"amount":1}]`, `null`, `"x"`, `7`} {
		if _, _, err := engine.ParseOrder([]byte(text)); !errors.Is(err, engine.ErrNoObject) {
			t.Errorf("%q: %v, want ErrNoObject", text, err)
		}
	}
}

func TestTransferReply(t *testing.T) {
	o, refused, err := engine.ParseOrder([]byte(`{"src":7.0,"dst":"B<가>","amount":1e3,"currency":"KRW"}`))
	if err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	reply := engine.TransferReply(o, "T1", claimed)
	var got map[string]any
	if err := json.Unmarshal(reply.Body, &got); err != nil || reply.Status != 201 {
		t.Fatal(reply, err)
	}
	for member, want := range map[string]any{
		"transfer_id": "T1", "src": 7.0, "dst": "B<가>", "amount": 1000.0, "currency": "KRW", "created_at": "2026-03-02T09:00:00.000000005Z",
	} {
		if got[member] != want {
			t.Errorf("%s is %v, want %v", member, got[member], want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	base := engine.Request{Method: "POST", Target: "/v1/x?a=1", Body: []byte(`{"a":1,"b":2}`)}
	change := func(fn func(*engine.Request)) engine.Request {
		r := base
		fn(&r)
		return r
	}
	requests := []engine.Request{
		base,
		change(func(r *engine.Request) { r.Body = []byte(`{"b":2, "a":1.0}`) }),
		change(func(r *engine.Request) { r.Body = []byte(`{"a":1,"b":3}`) }),
		change(func(r *engine.Request) { r.Method = "PUT" }),
		change(func(r *engine.Request) { r.Target = "/v1/x?a=2" }),
		change(func(r *engine.Request) { r.Method, r.Target = "POS", "T/v1/x?a=1" }),
		change(func(r *engine.Request) { r.Target, r.Body = r.Target+"{", r.Body[1:] }),
		change(func(r *engine.Request) { r.ClientID, r.Endpoint, r.Key = "c", "e", "k" }),
	}
	for rule, want := range map[engine.FingerprintRule][]bool{ // the same as base?
		engine.RuleNone:      {true, true, true, true, true, true, true, true},
		engine.RuleCanonical: {true, true, false, true, true, true, false, true},
		engine.RuleRaw:       {true, false, false, true, true, true, false, true},
		engine.RuleRequest:   {true, false, false, false, false, false, false, true},
	} {
		first, err := base.Fingerprint(rule)
		if err != nil || first.Rule() != rule {
			t.Fatal(rule, err)
		}
		for i, r := range requests {
			f, err := r.Fingerprint(rule)
			if i == 6 && rule == engine.RuleCanonical { // its body is no JSON any more
				if !errors.Is(err, engine.ErrAmbiguous) {
					t.Errorf("rule %d, request %d: %v", rule, i, err)
				}
				continue
			}
			if err != nil || (f == first) != want[i] {
				t.Errorf("rule %d, request %d: same %v, %v; want %v", rule, i, f == first, err, want[i])
			}
		}
	}
	if _, err := base.Fingerprint(9); err == nil {
		t.Error("a rule that is not known gives a fingerprint")
	}
}

func TestFingerprintText(t *testing.T) {
	f, err := engine.Request{Body: []byte(`{}`)}.Fingerprint(engine.RuleCanonical)
	if err != nil {
		t.Fatal(err)
	}
	const want = "1:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // sha256 of {}
	if f.String() != want || f.Short() != want[2:18] {
		t.Errorf("%s, %s; want %s", f, f.Short(), want)
	}
	if back, err := engine.ParseFingerprint(f[:]); err != nil || back != f {
		t.Errorf("read back as %v, %v", back, err)
	}
	if _, err := engine.ParseFingerprint(f[:32]); err == nil {
		t.Error("32 bytes are read as a fingerprint")
	}
}

func TestScopedKey(t *testing.T) {
	r := engine.Request{ClientID: "c", Endpoint: "e", Key: "k"}
	if got := engine.DefaultPolicy().ScopedKey(r); got != (engine.ScopedKey{ClientID: "c", Endpoint: "e", Key: "k"}) {
		t.Errorf("of three columns: %+v", got)
	}
	if got := engine.HTTPPolicy().ScopedKey(r); got != (engine.ScopedKey{ClientID: "c", Key: "k"}) {
		t.Errorf("of two columns: %+v", got)
	}
	for key, blank := range map[string]bool{"": true, " \t\n": true, "\u3000": true, "\"\"": false, "0": false, " k ": false} {
		if engine.BlankKey(key) != blank {
			t.Errorf("%q blank: %v, want %v", key, !blank, blank)
		}
	}
}

func TestAnswers(t *testing.T) {
	p := engine.DefaultPolicy()
	refusal := engine.RefusedFunds.Reply()
	cases := []struct {
		answer engine.Answer
		want   string
	}{
		{(&engine.Verdict{Outcome: engine.InFlight}).Answer(p), `{"status":409,"replay":false,"reason":"in_progress","body":null}`},
		{(&engine.Verdict{Outcome: engine.Mismatch}).Answer(p), `{"status":422,"replay":false,"reason":"idempotency_key_reused","body":null}`},
		{(&engine.Verdict{Outcome: engine.Replay, Record: engine.Record{Reply: engine.Reply{Status: 201, Body: []byte(`{"a":1}`)}}}).Answer(p), `{"status":201,"replay":true,"reason":null,"body":{"a":1}}`},
		{(&engine.Verdict{Outcome: engine.Replay, Record: engine.Record{Reply: refusal}}).Answer(p), `{"status":402,"replay":true,"reason":"insufficient_funds","body":null}`},
		{engine.AnswerOf(refusal, false), `{"status":402,"replay":false,"reason":"insufficient_funds","body":null}`},
		{engine.LostAnswer(p), `{"status":409,"replay":false,"reason":"claim_lost","body":null}`},
	}
	for _, c := range cases {
		if got, err := json.Marshal(c.answer); err != nil || string(got) != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
}

var callSeeds = []string{
	`{"client_id":"c","endpoint":"e","idem_key":"k","body":{"src":"A","dst":7,"amount":1e3,"currency":"KRW"}}`,
	`{"client_id":"c","endpoint":"e","idem_key":"","body":{}}`, `{"a":1,"a":1}`, `[]`, "{\"client_id\":\"\xff\"}", `{} x`,
	`{"src":"A","dst":"B","amount":9223372036854775807,"currency":"KRW"}`, `{"src":1.0,"dst":"1","amount":0.1e1,"currency":"K"}`,
}

func FuzzParseCall(f *testing.F) {
	for _, seed := range callSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, refused, err := engine.ParseCall(text)
		switch {
		case err != nil:
			if !errors.Is(err, engine.ErrAmbiguous) {
				t.Fatalf("error %v", err)
			}
			return
		case refused != nil:
			if refused.Status != 400 || refused.Reason == "" {
				t.Fatalf("refusal %+v", refused)
			}
			return
		}
		if engine.BlankKey(r.ClientID) || engine.BlankKey(r.Endpoint) || engine.BlankKey(r.Key) {
			t.Fatalf("blank member in %+v", r)
		}
		if !bytes.Contains(text, r.Body) {
			t.Fatalf("body %q is not the text's own", r.Body)
		}
		if _, err := engine.DefaultPolicy().Claim(r, claimed); err != nil {
			t.Fatalf("a parsed call has no fingerprint: %v", err)
		}
	})
}

func FuzzParseOrder(f *testing.F) {
	for _, seed := range callSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, refused, err := engine.ParseOrder(text)
		canonical, canonicalErr := engine.Canonical(text)
		if (err != nil && !errors.Is(err, engine.ErrNoObject)) != (canonicalErr != nil) {
			t.Fatalf("as an order %v, as JSON %v", err, canonicalErr)
		}
		if err != nil {
			return
		}
		// The same request is the same order: what is compared is what is paid.
		again, refusedAgain, err := engine.ParseOrder(canonical)
		if err != nil || refusedAgain != refused || again.Amount != o.Amount || again.Currency != o.Currency ||
			again.Src.Text != o.Src.Text || again.Dst.Text != o.Dst.Text {
			t.Fatalf("%+v %+v, in canonical form %+v %+v, %v", o, refused, again, refusedAgain, err)
		}
		if refused == nil && (o.Amount <= 0 || o.Src.Text == o.Dst.Text || o.Src.Text == "" || strings.ContainsAny(o.Currency, " \n") || o.Currency == "") {
			t.Fatalf("order %+v", o)
		}
		if refused == nil && !slices.Contains([]byte{'"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}, o.Src.JSON[0]) {
			t.Fatalf("account %s", o.Src.JSON)
		}
	})
}
