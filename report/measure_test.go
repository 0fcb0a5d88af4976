package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"idem/analysis"
	"idem/analysis/replay"
)

func TestMeasureHostileDay(t *testing.T) {
	f := prepared(t, hostileDay(t)).facts
	if got, want := f.DisputedPaid, money(t, 5_000, "USD"); got.Of("USD") != want.Of("USD") || len(got.Currencies()) != 1 {
		t.Errorf("disputed %v", got.Currencies())
	}
	if f.ExpiredPaid.Of("USD") != 4_999 {
		t.Errorf("paid again under expired keys: %d", f.ExpiredPaid.Of("USD"))
	}
	if len(f.Mismatches) != 1 || f.Mismatches[0].Seq != 5 {
		t.Errorf("mismatches %+v", f.Mismatches)
	}
	if f.LookAlikes.Count != 2 || f.LookAlikes.Examples[0].FirstKey != "usd" || f.LookAlikes.Examples[0].Key != "usd-2" {
		t.Errorf("look-alikes %+v", f.LookAlikes)
	}
	want := []touched{
		{"7", "USD", 14_998, 0, 3}, {"c", "USD", 0, 14_998, 3}, {"a|<b>", "KRW", 1_000, 0, 1}, {"7", "KRW", 0, 1_000, 1},
	}
	if diff := cmp.Diff(want, f.Accounts); diff != "" {
		t.Error(diff)
	}
}

// see runs payments (client, key, source, amount, minutes) through the search
// for look-alikes.
func lookAt(t *testing.T, payments ...[5]any) lookAlikes {
	t.Helper()
	var l lookAlikes
	for i, p := range payments {
		req := analysis.Request{N: int64(i + 1), ClientID: p[0].(string), Endpoint: "/e", Key: p[1].(string)}
		s := step{n: req.N, class: replay.Created, at: noon.Add(time.Duration(p[4].(int)) * time.Minute), moved: int64(p[3].(int)), currency: "KRW", src: p[2].(string), dst: "z"}
		if err := l.see(&req, &s); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestLookAlikes(t *testing.T) {
	first := [5]any{"shop", "k1", "a", 100, 0}
	for name, c := range map[string]struct {
		second [5]any
		want   int64
	}{
		"another key":           {[5]any{"shop", "k2", "a", 100, 1}, 1},
		"at the window's end":   {[5]any{"shop", "k2", "a", 100, 24 * 60}, 1},
		"after the window":      {[5]any{"shop", "k2", "a", 100, 24*60 + 1}, 0},
		"same key":              {[5]any{"shop", "k1", "a", 100, 1}, 0},
		"another client":        {[5]any{"mall", "k2", "a", 100, 1}, 0},
		"another amount":        {[5]any{"shop", "k2", "a", 101, 1}, 0},
		"another source":        {[5]any{"shop", "k2", "b", 100, 1}, 0},
		"same text, other cuts": {[5]any{"shopa", "k2", "", 100, 1}, 0},
	} {
		if l := lookAt(t, first, c.second); l.Count != c.want || l.Paid.Of("KRW") != 100*c.want {
			t.Errorf("%s: %d pairs of %d, want %d", name, l.Count, l.Paid.Of("KRW"), c.want)
		}
	}
}

// The memory of past payments is swept, and what the window still needs stays:
// each 500th payment repeats the one of 1000 minutes before.
func TestLookAlikesForgetOnlyTheOld(t *testing.T) {
	var payments [][5]any
	var want int64
	for i := range 10_000 {
		payments = append(payments, [5]any{"shop", fmt.Sprint("k", i), fmt.Sprint("a", i), 1, i})
		if i >= 1000 && i%500 == 0 {
			payments = append(payments, [5]any{"shop", fmt.Sprint("again", i), fmt.Sprint("a", i-1000), 1, i})
			want++
		}
	}
	l := lookAt(t, payments...)
	if l.Count != want {
		t.Errorf("found %d pairs, want %d", l.Count, want)
	}
	if len(l.last) > 6_000 {
		t.Errorf("remembers %d payments", len(l.last))
	}
}

func TestDigestKeepsPartsApart(t *testing.T) {
	for _, c := range [][2][]string{
		{{"a", "bc"}, {"ab", "c"}}, {{"x\x01y", "a"}, {"x", "y\x01a"}}, {{"", "a"}, {"a", ""}}, {{"a"}, {"a", ""}},
	} {
		if digestOf(c[0]...) == digestOf(c[1]...) {
			t.Errorf("%q and %q are one", c[0], c[1])
		}
	}
}

func TestLargest(t *testing.T) {
	d := &analysis.Duplicates{}
	for i := range listed + 5 {
		g := analysis.Group{Scope: analysis.Scope{Key: fmt.Sprint("k", i)}, Paid: money(t, i%7, "KRW"), Extra: make([]string, i%3)}
		d.Groups = append(d.Groups, g)
		if err := d.DoublePaid.AddAll(g.Paid); err != nil {
			t.Fatal(err)
		}
	}
	top := largest(d)
	if len(top) != listed || top[0].Key != "k6" || top[1].Key != "k13" || top[3].Key != "k5" {
		t.Errorf("by money: %s %s %s", top[0].Key, top[1].Key, top[3].Key)
	}
	if err := d.DoublePaid.Add("USD", 1); err != nil {
		t.Fatal(err)
	}
	if top = largest(d); top[0].Key != "k2" || top[1].Key != "k5" {
		t.Errorf("by transfers: %s %s", top[0].Key, top[1].Key)
	}
}

func TestSummary(t *testing.T) {
	for name, d := range map[string]*analysis.Duplicates{
		"summary.lab": labDay(t).Duplicates, "summary.hostile": hostileDay(t).Duplicates, "summary.quiet": quiet(t).day.Duplicates,
	} {
		var b bytes.Buffer
		if err := Summary(&b, d, analysis.Narrowing{}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
		if strings.ContainsAny(b.String(), "\x1b\r\u202e\u0085\t") {
			t.Errorf("%s holds control characters: %q", name, b.String())
		}
		if err := Summary(failing{}, d, analysis.Narrowing{}); err == nil {
			t.Errorf("%s: an error of the writer was dropped", name)
		}
	}
}
