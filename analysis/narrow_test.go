package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A part is those requests of the whole whose lot meets each condition, with
// their transfers, in the same order; the keys in it are duplicates as before.
func TestPartAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in, err := made(t, damagedDay(rt))
		if err != nil {
			rt.Fatal(err)
		}
		x := someFilter(rt)
		want := modelPart(rt, t, in, x)
		whole := groupsOf(rt, t, in)
		part, err := in.Narrow(t.Context(), x, TempDir(t.TempDir()))
		if err != nil {
			rt.Fatal(err)
		}
		defer part.Close()
		var got []string
		for r, err := range part.Requests(t.Context(), 1) {
			if err != nil {
				rt.Fatal(err)
			}
			got = append(got, rowText(&r))
		}
		if !slices.Equal(got, want) {
			rt.Errorf("%+v leaves\n%s\nwant\n%s", x, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for scope, group := range groupsOf(rt, t, part) {
			if whole[scope] != group {
				rt.Errorf("%v is %s in the part, %s in the whole", scope, group, whole[scope])
			}
		}
		n := part.Narrowing()
		if rows, err := in.RequestCount(t.Context()); err != nil || !x.IsZero() && n.Requests+n.HiddenRequests != rows {
			rt.Errorf("%+v of %d rows, %v", n, rows, err)
		}
	})
}

func someFilter(t *rapid.T) Filter {
	hour := func(name string) time.Time {
		return rapid.SampledFrom([]time.Time{{}, {}, time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC), time.Date(2026, 3, 10, 9, 0, 0, 300_000_000, time.UTC), time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)}).Draw(t, name)
	}
	return Filter{
		From: hour("from"), To: hour("to"), Client: rapid.SampledFrom([]string{"", "", "c1", "7", "nobody"}).Draw(t, "client"),
		Endpoint: rapid.SampledFrom([]string{"", "", "/a", "/b"}).Draw(t, "endpoint"), Account: rapid.SampledFrom([]string{"", "", "a", "7", "x"}).Draw(t, "account"),
	}
}

// modelPart is the part by the words of Narrow.
func modelPart(rt *rapid.T, t *testing.T, in *Incident, x Filter) []string {
	lots := map[string]Conditions{}
	lotOf := func(r *Request) string {
		if r.Keyless() {
			return fmt.Sprint("row ", r.N)
		}
		return fmt.Sprintf("key %q %q %q", r.ClientID, r.Endpoint, r.Key)
	}
	var rows []Request
	for r, err := range in.Requests(t.Context(), 1) {
		if err != nil {
			rt.Fatal(err)
		}
		r.Body = slices.Clone(r.Body)
		rows = append(rows, r)
		inside := func(at time.Time) bool {
			return !at.IsZero() && !at.Before(x.From) && (x.To.IsZero() || at.Before(x.To))
		}
		met := lots[lotOf(&r)]
		for _, c := range []struct {
			is  bool
			met Conditions
		}{
			{x.From.IsZero() && x.To.IsZero() || inside(r.ReceivedAt), metTime}, {x.Client == "" || r.ClientID == x.Client, metClient},
			{x.Endpoint == "" || r.Endpoint == x.Endpoint, metEndpoint}, {x.Account == "" || strings.Contains(string(r.Body), `"src":"`+x.Account+`"`), metAccount},
		} {
			if c.is {
				met |= c.met
			}
		}
		for _, v := range r.Transfers {
			if inside(v.CreatedAt) {
				met |= metTime
			}
			if v.Src == x.Account || v.Dst == x.Account {
				met |= metAccount
			}
		}
		lots[lotOf(&r)] = met
	}
	for range rows { // what is joined may join more
		for i := range rows {
			for k := range rows {
				if a, b := &rows[i], &rows[k]; a.Seq == b.Seq && !seqless(a) && !seqless(b) {
					lots[lotOf(a)] |= lots[lotOf(b)]
				}
			}
		}
	}
	var list []string
	for i := range rows {
		if lots[lotOf(&rows[i])].All() {
			list = append(list, rowText(&rows[i]))
		}
	}
	return list
}

func seqless(r *Request) bool { return strings.HasPrefix(r.Unusable, "seq: not") }

func rowText(r *Request) string {
	return fmt.Sprintf("%d %s %q %q %q %q %v %q", r.Seq, r.RawTime, r.ClientID, r.Endpoint, r.Key, r.Body, r.Transfers, r.Unusable)
}

func groupsOf(rt *rapid.T, t *testing.T, in *Incident) map[Scope]string {
	d, err := in.Duplicates(t.Context(), nil)
	if err != nil {
		rt.Fatal(err)
	}
	groups := map[Scope]string{}
	for _, g := range d.Groups {
		groups[g.Scope] = fmt.Sprintf("%+v", g)
	}
	return groups
}

// A part of every kind of table reads like the table.
func TestPartOfAnyTable(t *testing.T) {
	for name, ddl := range walkTables {
		t.Run(name, func(t *testing.T) {
			in := open(t, walked(t, strings.ReplaceAll(ddl, "FROM rows", "FROM rows WHERE seq - seq / 5 * 5 < 4")))
			run := func(x Filter) (seqs []int64) {
				part, err := in.Narrow(t.Context(), x, TempDir(t.TempDir()))
				if err != nil {
					t.Fatal(err)
				}
				for r, err := range part.Requests(t.Context(), 1) {
					if err != nil {
						t.Fatal(err)
					}
					seqs = append(seqs, r.Seq)
				}
				if n := part.Narrowing(); n.Requests != int64(len(seqs)) || n.HiddenRequests+n.Requests != 400 {
					t.Errorf("%+v, %d rows read", n, len(seqs))
				}
				return seqs
			}
			if got := run(Filter{Client: "c"}); len(got) != 400 || !slices.IsSorted(got) {
				t.Errorf("%d requests of the one client there is", len(got))
			}
			if got := run(Filter{Client: "d"}); got != nil {
				t.Errorf("requests of nobody: %v", got)
			}
		})
	}
}

// The balances a part opens with: what the accounts had by then, and what hidden
// payments bring in later, but not what they take.
func TestBalancesOfAPart(t *testing.T) {
	row := func(seq int, at, client string) string {
		return fmt.Sprintf("INSERT INTO req_log VALUES (%d, '2026-03-10T%sZ', '%s', '/', 'k%d', '{}');", seq, at, client, seq)
	}
	moved := func(seq int, at, src, dst string, amount int) string {
		return fmt.Sprintf("INSERT INTO transfer_v1 VALUES ('T%d', %d, 'k', '%s', '%s', %d, 'KRW', '2026-03-10T%sZ');", seq, seq, src, dst, amount, at)
	}
	in, err := made(t, plainAccount+plainRequest+plainTransfer+
		"INSERT INTO account VALUES ('a', '', 1000), (7, '', '50'), ('c', '', 'much');"+
		row(1, "09:00:00", "early")+moved(1, "09:00:01", "a", "7", 100)+
		row(2, "10:00:00", "mine")+moved(2, "10:00:01", "a", "7", 10)+
		row(3, "11:00:00", "late")+moved(3, "11:00:01", "7", "a", 30)+
		moved(9, "09:30:00", "a", "c", 1))
	if err != nil {
		t.Fatal(err)
	}
	part, err := in.Narrow(t.Context(), Filter{Client: "mine"}, TempDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	list, err := part.Accounts(t.Context())
	got := map[string]int64{}
	for _, a := range list {
		got[a.ID] = a.Balance
	}
	if want := map[string]int64{"a": 1000 - 100 - 1 + 30, "7": 50 + 100}; err != nil || !maps.Equal(got, want) {
		t.Errorf("accounts open with %v, want %v, %v", got, want, err)
	}
	if n := part.Narrowing(); n.Transfers != 1 || n.HiddenTransfers != 3 {
		t.Errorf("%+v", n)
	}
	// A transfer without its request is in the part of its time, of no client's.
	part, err = in.Narrow(t.Context(), Filter{From: at("09:15:00"), To: at("10:30:00")}, TempDir(t.TempDir()))
	if err != nil || part.Narrowing().Transfers != 2 {
		t.Errorf("%+v, %v", part.Narrowing(), err)
	}
	run(t, in.path, "UPDATE account SET balance = 9223372036854775807 WHERE acct_id = 7")
	in = open(t, in.path)
	if _, err := in.Narrow(t.Context(), Filter{Client: "mine"}); !errors.Is(err, ErrOverflow) {
		t.Errorf("a balance beyond 64 bits: %v", err)
	}
}

func at(clock string) time.Time {
	t, err := ParseInstant("2026-03-10T" + clock + "Z")
	if err != nil {
		panic(err)
	}
	return t
}

// The evidence stays that of the file, which is not touched; closing the part
// leaves nothing behind.
func TestPartLeavesNothing(t *testing.T) {
	path := lab(t)
	before, dir := snapshot(t, filepath.Dir(path)), t.TempDir()
	in := open(t, path)
	part, err := in.Narrow(t.Context(), Filter{Client: "shop-1"}, TempDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := in.Evidence(t.Context(), nil)
	b, err2 := part.Evidence(t.Context(), nil)
	if a != b || cmp.Or(err1, err2) != nil || part.Private() || part.Path() != path || part.Whole() != in || in.Whole() != in {
		t.Errorf("the part's evidence is %+v, the whole's %+v, %v", b, a, errors.Join(err1, err2))
	}
	if err := part.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || snapshot(t, filepath.Dir(path)) != before {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if same, err := in.Narrow(t.Context(), Filter{}); same != in || err != nil {
		t.Error("no filter makes a part")
	}
}
