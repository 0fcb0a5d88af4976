package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"idem/analysis/calendar"
)

func TestParseInstant(t *testing.T) {
	for in, want := range map[string]string{
		"2026-03-10T09:00:00Z":                 "2026-03-10T09:00:00Z",
		"2026-03-10t09:00:00z":                 "2026-03-10T09:00:00Z",
		"2026-03-10 18:00:00.123456789+09:00":  "2026-03-10T09:00:00.123456789Z",
		"2026-03-10T09:00:00.1234567899999Z":   "2026-03-10T09:00:00.123456789Z",
		"2026-03-10T00:30:00.5-23:59":          "2026-03-11T00:29:00.5Z",
		"2024-02-29T23:59:59+00:00":            "2024-02-29T23:59:59Z",
		"2000-02-29T00:00:00Z":                 "2000-02-29T00:00:00Z",
		"1678-01-01T00:00:00Z":                 "1678-01-01T00:00:00Z",
		"2261-12-31T23:59:59.999999999+00:00":  "2261-12-31T23:59:59.999999999Z",
		"1969-12-31T23:59:59.999Z":             "1969-12-31T23:59:59.999Z",
		"2026-02-29T00:00:00Z":                 "",
		"1900-02-29T00:00:00Z":                 "",
		"2026-04-31T00:00:00Z":                 "",
		"2026-13-01T00:00:00Z":                 "",
		"2026-00-01T00:00:00Z":                 "",
		"2026-01-00T00:00:00Z":                 "",
		"2026-01-01T24:00:00Z":                 "",
		"2026-01-01T00:60:00Z":                 "",
		"2016-12-31T23:59:60Z":                 "",
		"1677-12-31T00:00:00Z":                 "",
		"2262-01-01T00:00:00Z":                 "",
		"2026-03-10T09:00:00":                  "",
		"2026-03-10T09:00:00.Z":                "",
		"2026-03-10T09:00:00,5Z":               "",
		"2026-03-10T09:00:00+24:00":            "",
		"2026-03-10T09:00:00+09:60":            "",
		"2026-03-10T09:00:00+0900":             "",
		"2026-03-10T09:00:00+09":               "",
		"2026-03-10T09:00:00Z ":                "",
		" 2026-03-10T09:00:00Z":                "",
		"2026-03-10T9:00:00Z":                  "",
		"20260310T090000Z":                     "",
		"2026-03-10_09:00:00Z":                 "",
		"２026-03-10T09:00:00Z":                 "",
		"":                                     "",
		"2026-03-10T09:00:00.":                 "",
		"2026-03-10T09:00:00." + nines + "Z":   "2026-03-10T09:00:00.999999999Z",
		"2026-03-10T09:00:00." + nines + "x":   "",
		"2026-03-10T09:00:00-00:00":            "2026-03-10T09:00:00Z",
		"+026-03-10T09:00:00Z":                 "",
		"2026-03-10T09:00:00\x00Z":             "",
		"2026-03-10T09:00:0:Z":                 "",
		"2026-03-10T09:00:00.000000000000001Z": "2026-03-10T09:00:00Z",
	} {
		ns, ok := parseInstant([]byte(in))
		if ok != (want != "") || ok && instant(ns).Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v %v, want %q", in, instant(ns), ok, want)
		}
	}
}

var nines = strings.Repeat("9", 1000)

func FuzzParseInstant(f *testing.F) {
	f.Add("2026-03-10T09:00:00.5+09:00")
	f.Add("2026-02-29 24:00:60z")
	f.Fuzz(func(t *testing.T, s string) {
		ns, ok := parseInstant([]byte(s))
		want, err := time.Parse(time.RFC3339Nano, normal(s))
		inRange := want.Year() >= calendar.FirstYear && want.Year() <= calendar.LastYear
		switch {
		case ok && err != nil:
			t.Fatalf("%q is taken, but %v", s, err)
		case ok && ns != want.UnixNano():
			t.Fatalf("%q is %v, want %v", s, instant(ns), want)
		case !ok && err == nil && inRange && strict(s):
			t.Fatalf("%q is refused", s)
		}
	})
}

// normal writes a timestamp the one way time.Parse reads.
func normal(s string) string {
	s = strings.ToUpper(s)
	if len(s) > 10 && s[10] == ' ' {
		s = s[:10] + "T" + s[11:]
	}
	return s
}

// strict leaves out what time.Parse takes beyond RFC 3339, and the local years
// at the ends of the range.
func strict(s string) bool {
	y, err := strconv.Atoi(s[:min(4, len(s))])
	return err == nil && y > calendar.FirstYear && y < calendar.LastYear && !strings.Contains(s, ",") && len(s) > 19 && s[13] == ':'
}

func TestParseInt(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "-0": 0, "007": 7, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64} {
		if got, ok := parseInt([]byte(in)); !ok || got != want {
			t.Errorf("%q: %d %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "-", "+1", "1.0", "1e3", " 1", "1 ", "9223372036854775808", "-9223372036854775809", "99999999999999999999", "--1", "1-", "١"} {
		if got, ok := parseInt([]byte(in)); ok {
			t.Errorf("%q is taken as %d", in, got)
		}
	}
}

func FuzzParseInt(f *testing.F) {
	f.Add("-12")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := parseInt([]byte(s))
		want, err := strconv.ParseInt(s, 10, 64)
		if wantOK := err == nil && !strings.HasPrefix(s, "+"); ok != wantOK || ok && got != want {
			t.Fatalf("%q: %d %v, want %d %v", s, got, ok, want, wantOK)
		}
	})
}

func FuzzIsObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":"x"}`, `{"a":1,"a":2}`, ` {"a" : -0 , "b":[1]} `, `{"a":01}`, `{"a":1}x`, `{"\u0061":1,"a":2}`, `{"a":"` + "\x01" + `"}`, "{\"a\":\"\xff\"}", `{"a":1,}`, `{"a":12345678901234567890}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := jsontext.Value(b)
		want := v.Kind() == '{' && v.IsValid()
		if got := isObject(b); got != want {
			t.Fatalf("%q: %v, want %v", b, got, want)
		}
	})
}

func TestMoney(t *testing.T) {
	var m Money
	if amount, currency, ok := m.Single(); amount != 0 || currency != "" || !ok {
		t.Fatal("the empty sum is not 0")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(m.Add("KRW", math.MaxInt64-1))
	must(m.Add("KRW", 1))
	if err := m.Add("KRW", 1); !errors.Is(err, ErrOverflow) || m.Of("KRW") != math.MaxInt64 {
		t.Fatal(err, m)
	}
	one := m
	must(m.Add("USD", -5))
	must(m.Add("EUR", math.MinInt64))
	if err := m.Add("EUR", -1); !errors.Is(err, ErrOverflow) {
		t.Fatal(err)
	}
	must(m.Add("USD", 0))
	if _, _, ok := m.Single(); ok {
		t.Fatal("three currencies have one sum")
	}
	if got, err := json.Marshal(m); string(got) != `{"EUR":-9223372036854775808,"KRW":9223372036854775807,"USD":-5}` || err != nil {
		t.Fatal(string(got), err)
	}
	if got, _ := json.Marshal(one); string(got) != `{"KRW":9223372036854775807}` {
		t.Fatal("a copy changed with the original:", string(got))
	}
	if got, _ := json.Marshal(Money{}); string(got) != `{}` {
		t.Fatal(string(got))
	}
	if _, err := one.Sub(m); !errors.Is(err, ErrOverflow) {
		t.Fatal("0 - MinInt64 fits", err)
	}
	var usd Money
	must(usd.Add("USD", 7))
	left, err := m.Sub(usd)
	if err != nil || left.Of("USD") != -12 || m.Of("USD") != -5 || left.Of("KRW") != math.MaxInt64 {
		t.Fatal(left, err)
	}
}

func TestMoneyIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m, n Money
		want := map[string]int64{}
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			c, a := rapid.SampledFrom([]string{"KRW", "USD", "", "EUR"}).Draw(t, "c"), rapid.Int64Range(-1000, 1000).Draw(t, "a")
			into := rapid.SampledFrom([]*Money{&m, &n}).Draw(t, "into")
			if err := into.Add(c, a); err != nil {
				t.Fatal(err)
			}
			if want[c] += a; into == &n {
				want[c] -= 2 * a
			}
		}
		d, err := m.Sub(n)
		if err != nil {
			t.Fatal(err)
		}
		for c, a := range want {
			if d.Of(c) != a {
				t.Fatalf("%s: %d, want %d", c, d.Of(c), a)
			}
		}
		if len(d.Currencies()) != len(want) {
			t.Fatal(d, want)
		}
	})
}

func TestASumThatDoesNotFitNamesItsLargestTransfer(t *testing.T) {
	path := lab(t)
	run(t, path, "UPDATE transfer_v1 SET amount = 9223372036854775807 WHERE seq < 3")
	_, err := open(t, path).Duplicates(context.Background(), nil)
	var sum *SumError
	if !errors.Is(err, ErrOverflow) || !errors.As(err, &sum) || sum.Largest == nil || sum.Largest.Seq != 1 {
		t.Fatal(err)
	}
	for _, want := range []string{`"KRW"`, sum.Largest.ID, "request 1", sum.Largest.Key, "correct"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
}

func TestCancelledWorkEnds(t *testing.T) {
	in := open(t, lab(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, errD := in.Duplicates(ctx, nil)
	_, errE := in.Evidence(ctx, nil)
	_, errT := in.Timeline(ctx, 10)
	_, errA := in.Accounts(ctx)
	_, errOpen := Open(ctx, in.Path())
	for i, err := range []error{errD, errE, errT, errA, errOpen} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for _, err := range in.Requests(ctx, 1) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestIdsCompareByTheirText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "i.db")
	run(t, path, `CREATE TABLE account(acct_id, holder, balance); CREATE TABLE req_log(seq INTEGER PRIMARY KEY, received_at, client_id, endpoint, idem_key, body);
		CREATE TABLE transfer_v1(transfer_id, seq, idem_key, src, dst, amount, currency, created_at);
		INSERT INTO account VALUES (7, 'a', 10), ('7', 'b', 20), ('8', 'c', '30'), (9, NULL, 1.5), (NULL, 'd', 1), (x'41', 'e', 1), ('A', 5, -9);
		INSERT INTO req_log VALUES (1, '2026-03-10T09:00:00Z', 'c', '/', 7, '{}'), (2, '2026-03-10T09:00:01Z', 'c', '/', '7', '{}');
		INSERT INTO transfer_v1 VALUES (11, '1', 7, 7, 8, 5, 'KRW', '2026-03-10T09:00:00Z'), ('11b', 2, '7', '7', 8, 5, 'KRW', '2026-03-10T09:00:00Z')`)
	in := open(t, path)
	accounts, err := in.Accounts(context.Background())
	if err != nil || len(accounts) != 3 || accounts[0] != (Account{"7", true, "a", 10}) || accounts[1] != (Account{"8", false, "c", 30}) || accounts[2] != (Account{"A", false, "5", -9}) {
		t.Fatalf("%+v %v", accounts, err)
	}
	d, err := in.Duplicates(context.Background(), nil)
	if err != nil || d.UniqueKeys != 1 || d.ExtraTransfers != 1 || d.KeyDiffersCount != 0 || d.BadAccounts != 4 {
		t.Fatalf("%+v %v", d, err)
	}
	want := []BadRow{
		{"account", "rowid 5", "acct_id", "NULL", whyMissing}, {"account", "7", "acct_id", "'7'", whyRepeated},
		{"account", "9", "balance", "1.5", whyInteger}, {"account", "rowid 6", "acct_id", "x'41'", whyText},
	}
	for i, b := range d.Bad {
		if b != want[i] {
			t.Errorf("%+v, want %+v", b, want[i])
		}
	}
}

// TestMoneyCountsWhateverItsKey: what stands under key, src and dst takes no
// transfer out of a sum, and money that no sum can hold is told.
func TestMoneyCountsWhateverItsKey(t *testing.T) {
	for _, bad := range []string{"x'6b'", "1.5", "NULL", "''", "x''"} {
		in, err := made(t, plainAccount+plainRequest+plainTransfer+fmt.Sprintf(`INSERT INTO req_log VALUES (1, '2026-03-10T09:00:00Z', 'c', '/', 'k', '{}');
			INSERT INTO transfer_v1 VALUES ('T1', 1, %[1]s, %[1]s, %[1]s, 10, 'KRW', '2026-03-10T09:00:00Z'), ('T2', 1, %[1]s, 'a', 'b', 7, 'KRW', '2026-03-10T09:00:01Z'),
				('T3', 1, 'k', 'a', 'b', -3, 'KRW', '2026-03-10T09:00:02Z'), ('T4', 1, 'k', 'a', 'b', 100, 'KRW', 'soon'), ('T5', 1, 'k', 'a', 'b', 100, NULL, 'soon')`, bad))
		if err != nil {
			t.Fatal(err)
		}
		d, err := in.Duplicates(context.Background(), nil)
		if err != nil || d.V1Total.Of("KRW") != 14 || d.DoublePaid.Of("KRW") != 4 || d.KeyDiffersCount != 2 || d.Transfers != 3 {
			t.Errorf("%s: %+v %v", bad, d, err)
		}
		if d.NegativeTransfers != 1 || d.NegativeTotal.Of("KRW") != -3 || d.BadTransfers != 2 || d.BadTotal.Of("KRW") != 100 {
			t.Errorf("%s: %+v", bad, d)
		}
	}
}

// TestAKeyThatCannotBeUsedIsNotMissing: the row is unusable, not keyless.
func TestAKeyThatCannotBeUsedIsNotMissing(t *testing.T) {
	for key, want := range map[string]struct {
		bad               string
		keyless, unusable int64
	}{"x'6b'": {"x'6b'", 0, 1}, "1.5": {"1.5", 0, 1}, "x''": {"x''", 0, 1}, "NULL": {"", 1, 0}, "' '": {"", 1, 0}, "7": {"", 0, 0}} {
		in, err := made(t, plainAccount+plainRequest+plainTransfer+fmt.Sprintf(`INSERT INTO req_log VALUES (1, '2026-03-10T09:00:00Z', 'c', '/', %s, '{}')`, key))
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Request(context.Background(), 1)
		if err != nil || r.BadKey != want.bad || r.Keyless() != (want.keyless == 1) || (r.Unusable != "") != (want.unusable == 1) {
			t.Errorf("%s: %+v %v", key, r, err)
		}
		d, err := in.Duplicates(context.Background(), nil)
		if err != nil || d.KeylessRequests != want.keyless || d.BadRequests != want.unusable {
			t.Errorf("%s: %+v %v", key, d, err)
		}
	}
}
