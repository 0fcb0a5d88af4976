package findings_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis/findings"
)

// randomScene draws a small day in which nearly everything collides.
func randomScene(t *rapid.T) *scene {
	s := &scene{}
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	at := moment("09:00:00")
	for range rapid.IntRange(0, 14).Draw(t, "requests") {
		at = at.Add(rapid.SampledFrom([]time.Duration{0, time.Second / 2, 3 * time.Second, 40 * time.Second, 20 * time.Minute, 25 * time.Hour}).Draw(t, "pause"))
		r := sent{
			at: at.Format("2006-01-02T15:04:05.999"), ms: rapid.SampledFrom([]int{1, 200, 31000}).Draw(t, "ms"),
			client: pick("client", "c1", "c2"), endpoint: pick("endpoint", "/pay", "/webhook", "/refunds"),
			key: pick("key", "", "k1", `"k1"`, "k2", "a-1", "a-2", "null"), status: rapid.SampledFrom([]int{201, 504, 500, 402}).Draw(t, "status"),
			node: pick("node", "n1", "n2"), attempts: rapid.IntRange(1, 2).Draw(t, "attempts"),
		}
		amount := rapid.SampledFrom([]int64{5, 10, 500}).Draw(t, "amount")
		r.body = asks("a", pick("dst", "b", "c"), amount, pick("more", "", `"ref":"o-1"`, `"ref":"o-2"`, `"ref":"tea"`, `"requestId":"q"`))
		r = s.send(r)
		for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "moves") {
			s.move(r, "a", pick("paid", "b", "c"), amount)
			last := &s.transfers[len(s.transfers)-1]
			last.at = moment(r.at).Add(rapid.SampledFrom([]time.Duration{0, time.Second, -time.Minute}).Draw(t, "booked"))
			last.seq = rapid.SampledFrom([]int{r.seq, r.seq, r.seq, r.seq, 0, 99}).Draw(t, "seq")
		}
	}
	for i := range s.transfers {
		s.transfers[i].id = fmt.Sprint("T", 100+i)
	}
	return s
}

// Whatever the day: a transfer is accused once, and of something; only a key or
// the log makes it certain; how the rows lie in the file changes nothing.
func TestAnyDay(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		s := randomScene(rt)
		search := func() *findings.Result {
			n++
			in := s.openAt(rt, filepath.Join(dir, fmt.Sprint(n, ".db")))
			defer in.Close()
			r, err := findings.Find(t.Context(), in, nil)
			if err != nil {
				rt.Fatal(err)
			}
			return r
		}
		r := search()
		checkDay(rt, r)
		shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "shuffle"), 1))
		shuffle.Shuffle(len(s.transfers), func(i, k int) { s.transfers[i], s.transfers[k] = s.transfers[k], s.transfers[i] })
		if a, b := written(t, r), written(t, search()); a != b {
			rt.Fatalf("the rows lie in another order, and instead of\n%s\nthere is\n%s", a, b)
		}
	})
}

func checkDay(t *rapid.T, r *findings.Result) {
	accused := map[string]bool{}
	var extra int64
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, list := range [][]findings.Transfer{f.Extra, f.Disputed} {
			for k := range list {
				if accused[list[k].ID] {
					t.Fatalf("%s is accused twice", list[k].ID)
				}
				accused[list[k].ID] = true
			}
		}
		extra += int64(len(f.Extra))
		for k := range f.Extra {
			e := &f.Extra[k]
			if e.Of == "" || e.Of == e.ID {
				t.Fatalf("%s repeats %q", e.ID, e.Of)
			}
			checkProof(t, f, e)
		}
		if got := len(f.Chains(1000)); got != len(f.Extra)+len(f.Disputed) {
			t.Fatalf("%d chains of %d transfers", got, len(f.Extra)+len(f.Disputed))
		}
		if len(f.Disputed) == 1 && f.Class != findings.AmountOffByUnit {
			t.Fatalf("%s disputes one transfer", f.Class)
		}
		if f.Confidence == findings.Certain && !f.Accuses() {
			t.Fatalf("%s is certain and accuses nobody", f.Class)
		}
		if most := f.Class.Surest(); f.Accuses() && f.Confidence > most {
			t.Fatalf("%s is %s, at most it is %s", f.Class, f.Confidence, most)
		}
		if slices.Contains(f.Beat(), f.Class) {
			t.Fatalf("%s beats itself", f.Class)
		}
	}
	if sum := r.Totals.Certain.Transfers + r.Totals.Probable.Transfers + r.Totals.Suspected.Transfers; sum != extra {
		t.Fatalf("totals count %d extra transfers, there are %d", sum, extra)
	}
}

// checkProof: what is certain is the same money, of one key in one scope, or of
// one request.
func checkProof(t *rapid.T, f *findings.Finding, e *findings.Transfer) {
	for _, o := range f.Transfers() {
		if o.ID != e.Of {
			continue
		}
		a, b := &f.Sends[o.Send], &f.Sends[e.Send]
		if o.Src != e.Src || o.Dst != e.Dst || o.Amount != e.Amount || o.Currency != e.Currency {
			t.Fatalf("%s does not repeat %s", e.ID, o.ID)
		}
		if a.Ref != "" && b.Ref != "" && a.Ref != b.Ref {
			t.Fatalf("%s and %s are for two orders", e.ID, o.ID)
		}
		key := findings.NormalKey(a.Key)
		sameKey := key != "" && key == findings.NormalKey(b.Key) && a.ClientID == b.ClientID && a.Endpoint == b.Endpoint
		if f.Confidence == findings.Certain && !sameKey && o.Send != e.Send {
			t.Fatalf("%s is certain without a proof", f.Class)
		}
		return
	}
	t.Fatalf("%s repeats %s, which the finding does not have", e.ID, e.Of)
}
