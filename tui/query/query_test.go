package query

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const all = Key | Client | Endpoint | Outcome | Account | Amount | Time | Code | Class

var row = Row{
	Key: "7f3a-Q", Client: "shop-2", Endpoint: "/v1/transfers", Outcome: "409 in flight", Code: "409", Class: "PROXY_RETRY\nFAN_OUT", Accounts: []string{"A-17", "b"},
	Sums: []Sum{{456_000, 0}, {1050, 2}}, From: time.Date(2026, 3, 10, 9, 31, 7, 5, time.UTC), To: time.Date(2026, 3, 10, 9, 31, 7, 5, time.UTC),
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "  ": true, "7f3a": true, "SHOP": true, "transfers": true, "409": false,
		"key:7F": true, "key:shop": false, "client:shop-2": true, "endpoint:/v1": true, "outcome:409": true, "outcome:flight": true, "outcome:created": false,
		"code:409": true, "code:4": true, "code:09": false, "class:fan": true, "class:proxy_retry": true, "class:webhook": false, "class:": true,
		"acct:a-17": true, "key:q..1": false, "key:..7": false, "acct:B": true, "acct:A-1": false,
		"key:": true, "amount>": true, "acct:": true,
		"amount>455,999": true, "amount>456000": false, "amount>=456000": true, "amount=10.5": true, "amount=10.50": true, "amount<10.50": false, "amount<10.51": true, "amount>-1": true,
		"amount>9999999999999": false,
		"09:31":                true, "09:32": false, "09:31:07": true, "09:31:06": false,
		"09:00..10:00": true, "09:32..": false, "..09:31": false, "..09:31:08": true, "09:31:07..09:31:08": true, "2026-03-10T09:00..": true, "2026-03-11T00:00..": false, "2026-03-10..2026-03-11": true, "2026-03-10": false,
		"-409": true, "-outcome:409": false, "-client:shop-1": true, "shop-2 key:7f outcome:409 09:00..10:00": true, "shop-2 key:8": false,
		`"shop-2"`: true, `"shop 2"`: false, `"key:7f"`: false, `outcome:"409 in"`: true, `outcome:"409 in" client:x`: false, `-"shop"`: false, `"open`: false,
	} {
		q, err := Parse(text, all)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := q.Match(&row); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestErrorsAreOneShortLine(t *testing.T) {
	for _, text := range []string{"foo:bar", "outcome:created2", "class:nothing", "amount>x", "amount=1.23456", "amount>1e9", "amount>99999999999999999999", "9:99", "09:00..x", "10..11", strings.Repeat("x", 500) + ":1"} {
		_, err := Parse(text, all)
		if err == nil {
			t.Errorf("%q is taken", text)
		} else if len(err.Error()) > 160 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Parse("outcome:409", all&^Outcome); err == nil {
		t.Error("a field that is not known is taken")
	}
}

func TestUses(t *testing.T) {
	q, err := Parse("outcome:409 09:00..10:00", all)
	if err != nil || q.Uses(Key|Client|Account) || !q.Uses(Time) || q.Empty() {
		t.Error(q, err)
	}
	if q, _ := Parse("x", all); !q.Uses(Key) {
		t.Error("text does not use the key")
	}
}

func TestComplete(t *testing.T) {
	const step = Key | Outcome | Amount | Code
	for _, c := range []struct {
		text, stem string
		known      Field
		ends       []string
	}{
		{"", "", step, []string{"outcome:", "key:", "code:", "amount>"}},
		{"k", "", step, []string{"key:"}},
		{"key:a -O", "key:a -", step, []string{"outcome:"}},
		{"outcome:4", "", step, []string{"outcome:409", "outcome:422"}},
		{"outcome:409", "", step, nil},
		{"client:", "", step, nil},
		{`"out`, `"out`, step, nil},
		{"class:webhook", "", all, []string{"class:webhook_redelivery"}},
	} {
		if stem, ends := Complete(c.text, c.known); stem != c.stem || !slices.Equal(ends, c.ends) {
			t.Errorf("%q goes on with %q%q", c.text, stem, ends)
		}
	}
	if got := Hint(Key | Time); got != "key: 09:00..10:30 -not" {
		t.Errorf("hint %q", got)
	}
}

// Whatever a text is completed to can be asked.
func TestCompletedIsAsked(t *testing.T) {
	for _, text := range []string{"", "outcome:", "class:", "x -code:4 "} {
		stem, ends := Complete(text, all)
		for _, end := range ends {
			if _, err := Parse(stem+end, all); err != nil {
				t.Errorf("%q: %v", stem+end, err)
			}
		}
	}
}

// A row with neither time, key nor sums answers every query.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`key:a -"b c" amount>=1.5 09:00..`, `"`, "-", "--", ":", "..", "amount", `a:"`, `:"x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text, all)
		if err != nil {
			return
		}
		q.Match(&row)
		q.Match(&Row{})
		again, err := Parse(q.Text(), all)
		if err != nil || again.Match(&row) != q.Match(&row) {
			t.Errorf("%q is not %q: %v", text, q.Text(), err)
		}
	})
}
