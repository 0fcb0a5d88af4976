package findings

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"idem/engine"
)

func TestBodyFacts(t *testing.T) {
	b := bodyReader{seed: maphash.MakeSeed()}
	base := b.read([]byte(`{"src":"a","dst":"b","amount":1000,"currency":"USD","ref":"o-1"}`))
	for text, same := range map[string]bool{
		`{ "ref": "o-1", "currency" : "USD","amount":1000.0,"dst":"b" , "src":"a" }`:               true,
		`{"src":"\u0061","dst":"b","amount":1e3,"currency":"USD","ref":"o-1"}`:                     true,
		`{"src":"a","dst":"b","amount":1000,"currency":"USD","ref":"o-1","requestId":"q"}`:         true,
		`{"src":"a","dst":"b","amount":1000,"currency":"USD","ref":"o-1","sent_at":[1,{"a":2}]}`:   true,
		`{"src":"a","dst":"b","amount":1001,"currency":"USD","ref":"o-1"}`:                         false,
		`{"src":"a","dst":"b","amount":1000,"currency":"USD","ref":"o-2"}`:                         false,
		`{"src":"a","dst":"b","amount":1000,"currency":"USD","ref":"o-1","items":[{"sku":"x"}]}`:   false,
		`{"src":"ad","st":"b","amount":1000,"currency":"USD","ref":"o-1"}`:                         false,
		`{"src":"a","dst":"b","amount":1000,"currency":"USD","ref":"o-1","note":"line\nand\"q\""}`: false,
	} {
		if got := b.read([]byte(text)); (got.content == base.content) != same {
			t.Errorf("%s is equal: %v, want %v", text, !same, same)
		}
	}
	for text, want := range map[string][2]string{
		`{"reference":"r","order_id":"o"}`:             {"r", ""},
		`{"order_id":"o","reference":"r"}`:             {"r", ""},
		`{"orderId":7,"idempotencyKey":"k"}`:           {"7", "k"},
		`{"metadata":{"order_id":"o"},"nonce":"n"}`:    {"o", "n"},
		`{"received":{"ref":"r","x":[{}]},"ref":null}`: {"r", ""},
		`{"ref":{"id":"r"}}`:                           {"", ""},
		`["ref"]`:                                      {"", ""},
		`{"ref":"broken`:                               {"", ""},
		``:                                             {"", ""},
	} {
		if got := b.read([]byte(text)); string(got.ref) != want[0] || string(got.key) != want[1] {
			t.Errorf("%s: reference %q, key %q, want %q", text, got.ref, got.key, want)
		}
	}
}

// The fast way through a plain body and the slow one through its canonical form
// give the same facts.
func TestPlainBodiesAreCanonical(t *testing.T) {
	b := bodyReader{seed: maphash.MakeSeed()}
	rapid.Check(t, func(rt *rapid.T) {
		members := rapid.MapOf(rapid.SampledFrom([]string{"a", "ref", "amount", "requestId", "ts", "metadata", "é", "x-y"}),
			rapid.OneOf(rapid.Just[any](nil), rapid.Just[any](true), rapid.Map(rapid.Int64(), func(n int64) any { return n }),
				rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Just[any](map[string]any{"order_id": "o", "n": 1}))).Draw(rt, "members")
		text, err := json.MarshalIndent(members, rapid.SampledFrom([]string{"", " "}).Draw(rt, "prefix"), "\t")
		if err != nil {
			rt.Skip()
		}
		canonical, err := engine.Canonical(text)
		if err != nil {
			rt.Skip()
		}
		got, want := b.read(text), b.read(canonical)
		if got.content != want.content || got.asked != want.asked || string(got.key) != string(want.key) && utf8.Valid(got.key) || !bytes.Equal(got.ref, want.ref) {
			rt.Fatalf("%s gives %+v, its canonical form %+v", text, got, want)
		}
	})
}

func FuzzBody(f *testing.F) {
	for _, text := range []string{`{"a":1}`, `{"ref":"o-1","metadata":{"order_id":[1,2]}}`, `{"a":"\"`, `{"a"`, `{`, `{"a":{"b":"}"}}`, "{\"a\":\x80}"} {
		f.Add([]byte(text))
	}
	b := bodyReader{seed: maphash.MakeSeed()}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, again := b.read(text), b.read(text); got.content != again.content {
			t.Fatalf("%q has two contents", text)
		}
	})
}

func FuzzNormalKey(f *testing.F) {
	for _, key := range []string{"", "k", `"k"`, ` "k" `, "Idempotency-Key: k", "null", "8E03978E-40D5-43E8-BC93-6894A57F9324"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		once := NormalKey(key)
		if len(once) > len(key) {
			t.Fatalf("%q became longer: %q", key, once)
		}
		if quoted := NormalKey(" " + key + "\t"); quoted != once {
			t.Fatalf("blanks around %q make %q of %q", key, quoted, once)
		}
	})
}
