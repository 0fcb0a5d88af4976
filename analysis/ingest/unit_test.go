package ingest

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"idem/engine/sqlitestore/sqlfile"
)

// TestJudgeUnits: what the ledger says of the amounts in bodies.
func TestJudgeUnits(t *testing.T) {
	for name, c := range map[string]struct {
		seen []evidence
		ok   bool
		says string
	}{
		"minor":                  {[]evidence{{"USD", [4]int64{9, 0, 0, 0}}}, true, ""},
		"major":                  {[]evidence{{"USD", [4]int64{0, 0, 9, 0}}}, false, "could be major"},
		"major, three decimals":  {[]evidence{{"KWD", [4]int64{0, 0, 0, 9}}}, false, "could be major"},
		"a few off":              {[]evidence{{"USD", [4]int64{100, 0, 9, 0}}}, true, ""},
		"many off":               {[]evidence{{"USD", [4]int64{100, 0, 11, 0}}}, false, "could be major"},
		"a tenth is no unit":     {[]evidence{{"USD", [4]int64{0, 9, 0, 9}}}, false, "no joined transfer"},
		"no decimals":            {[]evidence{{"JPY", [4]int64{9, 0, 0, 0}}}, false, "no joined transfer"},
		"another currency shows": {[]evidence{{"JPY", [4]int64{9, 0, 0, 0}}, {"EUR", [4]int64{1, 0, 0, 0}}}, true, ""},
		"nothing":                {nil, false, "no joined transfer"},
	} {
		err := judgeUnits(c.seen, nil)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if u := new(Unsettled); err != nil && (!errors.As(err, &u) || u.Flag != "--body-amount-unit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChoose: which of several requests a transfer belongs to.
func TestChoose(t *testing.T) {
	const second = 1_000_000_000
	x := &loose{at: 100 * second}
	good := candidate{at: 99 * second, duration: 5 * second, agrees: true}
	with := func(seq int64, change func(*candidate)) candidate {
		c := good
		c.seq = seq
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		found []candidate
		moved []int64
		want  int64
	}{
		"the nearest":             {[]candidate{with(1, func(*candidate) {}), with(2, func(*candidate) {})}, nil, 1},
		"one that asks for it":    {[]candidate{with(1, func(c *candidate) { c.agrees = false }), with(2, func(*candidate) {})}, nil, 2},
		"one whose body is known": {[]candidate{with(1, func(c *candidate) { c.agrees, c.silent = false, true }), with(2, func(*candidate) {})}, nil, 2},
		"one that was running":    {[]candidate{with(1, func(c *candidate) { c.at, c.duration = 90*second, 0 }), with(2, func(c *candidate) { c.at, c.duration = 80*second, 30*second })}, nil, 2},
		"one that is free":        {[]candidate{with(1, func(*candidate) {}), with(2, func(*candidate) {})}, []int64{1}, 2},
		"one that began before": {[]candidate{with(1, func(c *candidate) { c.at = 103 * second }),
			with(2, func(c *candidate) { c.at, c.duration = 90*second, 0 })}, nil, 2},
		"clocks may differ": {[]candidate{with(1, func(c *candidate) { c.at = 102 * second }), with(2, func(c *candidate) { c.at, c.duration = 90*second, 0 })}, nil, 1},
	} {
		var moved bitset
		for _, n := range c.moved {
			moved.set(n)
		}
		if got := choose(joinKey, x, c.found, moved); got.seq != c.want {
			t.Errorf("%s: %d, want %d", name, got.seq, c.want)
		}
	}
}

// TestSeveralRequestsOfOneID: the last that began before the transfer has it, and
// that is only probable.
func TestSeveralRequestsOfOneID(t *testing.T) {
	o := Options{}
	o.Map.Body.AmountUnit = "minor"
	requests := requestHeader + pay("r", nine, "k", 5) + pay("r", "2026-03-10T09:00:10Z", "k", 5) + pay("r", "2026-03-10T09:00:20Z", "k", 5)
	transfers := transferHeader + "t1,r,2026-03-10T09:00:15Z,a,m,5,USD\nt2,r,2026-03-10T09:00:30Z,a,m,5,USD\nt3,r,2026-03-10T08:00:00Z,a,m,5,USD\n"
	_, path := imported(t, o, []string{requests}, []string{transfers})
	got := rows(t, path, "SELECT transfer_id, seq, join_confidence FROM transfer_v1 ORDER BY 1")
	if want := []string{"t1|2|probable", "t2|3|probable", "t3|1|probable"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTally: sums do not depend on how many accounts fit into memory.
func TestTally(t *testing.T) {
	opened := func(most int) (list []string) {
		path := filepath.Join(t.TempDir(), "x.db")
		db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.Create)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := createStore(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		sums, err := newTally(s)
		if err != nil {
			t.Fatal(err)
		}
		sums.most = most
		for i := range 40 {
			o := order{src: fmt.Appendf(nil, "a%d", i*7%5), dst: fmt.Appendf(nil, "m%d", i%3), amount: int64(i)}
			if err := sums.asked(&o); err != nil {
				t.Fatal(err)
			}
			if err := sums.moved(&Transfer{Src: o.src, Dst: o.dst, Amount: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := sums.assume(); err != nil {
			t.Fatal(err)
		}
		err = s.each("SELECT acct_id || ' ' || balance FROM account ORDER BY acct_id", func(row *sqlfile.Stmt) { list = append(list, row.String(0)) })
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := opened(maxSums)
	if len(want) != 8 || want[0] != "a0 148" || want[5] != "m0 0" {
		t.Fatal(want)
	}
	for _, most := range []int{1, 2, 3} {
		if got := opened(most); !slices.Equal(got, want) {
			t.Errorf("%d in memory: %q, want %q", most, got, want)
		}
	}
}

// TestTooMuch: what an account pays on a day must fit 64 bits.
func TestTooMuch(t *testing.T) {
	const most = "9223372036854775807"
	_, _, err := tryImport(t, Options{}, []string{requestHeader}, []string{transferHeader + "t1,," + nine + ",a,m," + most + ",USD\nt2,," + nine + ",a,n,1,EUR\n"})
	if err == nil || !strings.Contains(err.Error(), "does not fit 64 bits") {
		t.Error(err)
	}
	_, _, err = tryImport(t, Options{}, []string{requestHeader}, []string{transferHeader + "t1,," + nine + ",a,m," + most + ",USD\nt2,," + nine + ",b,n,1,USD\n"})
	if err == nil || !strings.Contains(err.Error(), "does not fit 64 bits") {
		t.Error(err)
	}
}
