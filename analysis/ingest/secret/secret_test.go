package secret

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var key = []byte("test key")

func TestJSON(t *testing.T) {
	card := NewCleaner(key).Pseudonym("card", []byte("4111111111111111"))
	token := NewCleaner(key).Pseudonym("credential", []byte("sk_live_1"))
	for _, c := range []struct{ in, want string }{
		{`{"amount":4999,"currency":"USD"}`, `{"amount":4999,"currency":"USD"}`},
		{`{ "cvv" : "123", "a":1 }`, `{ "cvv" : "[dropped]", "a":1 }`},
		{`{"Card-Number":"4111 1111 1111 1111"}`, `{"Card-Number":"` + card + `"}`},
		{`{"card_number":4111111111111111}`, `{"card_number":"` + card + `"}`},
		{`{"x":[{"note":"paid with 4111-1111-1111-1111 today"}]}`, `{"x":[{"note":"paid with ` + card + ` today"}]}`},
		{`{"x":4111111111111111}`, `{"x":"` + card + `"}`},
		{`{"security_code":null,"pin":""}`, `{"security_code":null,"pin":""}`},
		{`{"headers":{"Authorization":"sk_live_1"}}`, `{"headers":{"Authorization":"` + token + `"}}`},
		{`{"cookie":["a","b"]}`, `{"cookie":"[dropped]"}`},
		{`{"c\u0076v":"123"}`, `{"c\u0076v":"[dropped]"}`},
		{`{"n":"a\"","cvv":"123"}`, `{"n":"a\"","cvv":"[dropped]"}`},
		{`{"id":"8e034738-4738-4693-8757-111111111111"}`, `{"id":"8e034738-4738-4693-8757-111111111111"}`},
		{`{"ts":1773133200123,"ns":1773133200123456789}`, `{"ts":1773133200123,"ns":1773133200123456789}`},
		{`{"amount":4111111111111112}`, `{"amount":4111111111111112}`},
		{`pan=4111111111111111&x`, `pan=` + card + `&x`},
		{`{"cvv":"123"`, `{"cvv":[dropped]`},
		{`{"a":1,"cvv": 123,"b":"4111111111111111`, `{"a":1,"cvv": [dropped],"b":"` + card},
		{`{"cvv":"12\"3","b":1]`, `{"cvv":[dropped],"b":1]`},
		{`amount=5&card[number]=4111111111111111&card[cvc]=123&card%5Bcvc%5D=123`, `amount=5&card[number]=` + card + `&card[cvc]=[dropped]&card%5Bcvc%5D=[dropped]`},
		{`/pay?access_token=sk_live_1`, `/pay?access_token=` + token},
		{`access_token=sk_live_1&x=1`, `access_token=` + token + `&x=1`},
	} {
		if got := string(NewCleaner(key).JSON([]byte(c.in))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestCards(t *testing.T) {
	for text, is := range map[string]bool{
		"4111111111111111": true, "4111 1111 1111 1111": true, "4111-1111-1111-1111": true, "378282246310005": true, "3782 822463 10005": true,
		"5555555555554444": true, "6011111111111117": true, "30569309025904": true, "2223003122003222": true, "4222222222222": true,
		"4111111111111112": false, "41111111111111112": false, "1773133200123": false, "1234567812345670": false, "0.4111111111111111": false,
		"4111111111111111.50": false, "x4111111111111111": false, "4111111111111111x": false, "4111  1111 1111 1111": false,
		"41 11 11 11 11 11 11 11": false, "4111111111111111.": true, "pay-4111111111111111": true, "-4111111111111111": false,
		"abc-4738-4693-8757-0123": false, "8e034738-4738-4693-8757-111111111111": false,
	} {
		if _, _, ok := cardNumber([]byte(text), 0); ok != is {
			t.Errorf("%s: %t", text, ok)
		}
	}
}

func TestClient(t *testing.T) {
	c := NewCleaner(key)
	a, b := c.Client([]byte("Bearer sk_1")), c.Client([]byte("bearer sk_1"))
	if !bytes.Equal(a, b) || strings.Contains(string(a), "sk_1") {
		t.Errorf("%s, %s", a, b)
	}
	if other := c.Client([]byte("Bearer sk_2")); bytes.Equal(a, other) {
		t.Error("two credentials, one pseudonym")
	}
	if got := string(c.Client([]byte("shop 7"))); got != "shop 7" {
		t.Error(got)
	}
	if bytes.Equal(a, NewCleaner([]byte("another")).Client([]byte("Bearer sk_1"))) {
		t.Error("the pseudonym does not depend on the key")
	}
}

// TestNoSecretIsLeft puts a card number and a check value anywhere into a JSON
// text: neither is left, the text is still JSON, and nothing else has changed.
func TestNoSecretIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b\"", "amount", "cvv", "c", `\`, "pan", "한"}), 1, 6, rapid.ID[string]).Draw(t, "names")
		value := map[string]any{}
		for _, n := range names {
			value[n] = rapid.SampledFrom([]any{1, "x", "4111111111111111", "card 4111 1111 1111 1111!", []any{"737", map[string]any{"cvc": "737x"}}, nil, "\\\""}).Draw(t, "value")
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		got := NewCleaner(key).JSON(text)
		if bytes.Contains(got, []byte("737x")) || bytes.Contains(got, []byte("4111")) || !json.Valid(got) {
			t.Fatalf("%s\n%s", text, got)
		}
		if again := NewCleaner(key).JSON(got); !bytes.Equal(again, got) && !bytes.Contains(text, []byte("pan")) {
			t.Fatalf("cleaned again: %s", again)
		}
	})
}

func TestRough(t *testing.T) {
	for in, want := range map[string]string{
		`r1,"{""cvv"":""123"",""a"":1`: `r1,"{"cvv":[dropped],"a":1`,
		`a:b`:                          `a:b`,
		`"cvv":`:                       `"cvv":[dropped]`,
		``:                             ``,
	} {
		if got := string(NewCleaner(key).Rough([]byte(in))); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"cvv":"123","x":[4111111111111111]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := NewCleaner(key).JSON(text)
		if json.Valid(text) && !json.Valid(got) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
