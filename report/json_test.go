package report

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/findings"
)

func dupReportJSON(d *analysis.Duplicates, r *findings.Result, evidence analysis.Evidence, version, policyHash string) ([]byte, error) {
	var b bytes.Buffer
	err := WriteDupReport(&b, d, r, evidence, version, policyHash)
	return b.Bytes(), err
}

// Any key comes back from dup_report.json as it was, in a file in which nothing
// is invisible.
func TestKeysSurviveJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.OneOf(hostileText(), rapid.String()).Draw(rt, "key")
		d := analysis.Duplicates{Groups: []analysis.Group{{Scope: analysis.Scope{Key: key}, Extra: []string{key}}}}
		b, err := dupReportJSON(&d, nil, fixedEvidence, "v", "")
		if err != nil {
			rt.Fatal(err)
		}
		if i := bytes.IndexFunc(b, func(r rune) bool {
			return r == utf8.RuneError && !bytes.ContainsRune([]byte(key), r) || r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r))
		}); i >= 0 {
			rt.Fatalf("invisible byte at %d of %s", i, b)
		}
		var got struct {
			Keys   []string `json:"keys"`
			Groups []struct {
				Key   string   `json:"idem_key"`
				Extra []string `json:"extra"`
			} `json:"groups"`
			Policy *string `json:"policy_sha256"`
		}
		if err := json.Unmarshal(b, &got); err != nil {
			rt.Fatalf("%v in %s", err, b)
		}
		want := valid(key)
		if got.Keys[0] != want || got.Groups[0].Key != want || got.Groups[0].Extra[0] != want || got.Policy != nil {
			rt.Fatalf("%q came back as %+v", key, got)
		}
	})
}

func TestInvalidBytesStayApart(t *testing.T) {
	if a, b := valid("k\xff"), valid("k\xfe"); a == b || a != `k\xff` {
		t.Errorf("two keys became %q and %q", a, b)
	}
	if got := valid("é\ufffd한"); got != "é\ufffd한" {
		t.Errorf("valid text became %q", got)
	}
}

func TestHTMLIsNotEscaped(t *testing.T) {
	b, err := encode([]string{"<a>&\u2028\u202e\x7f\U000e0001"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[\n  \"<a>&\\u2028\\u202e\\u007f\\udb40\\udc01\"\n]\n"; string(b) != want {
		t.Errorf("got %q, want %q", b, want)
	}
}

func TestSecondsAreExact(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", time.Nanosecond: "0.000000001", 61468 * time.Millisecond: "61.468", -1500 * time.Millisecond: "-1.5",
		math.MaxInt64: "9223372036.854775807", math.MinInt64: "-9223372036.854775808",
	} {
		if got := string(seconds(d)); got != want {
			t.Errorf("%d ns is %s, want %s", d, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Int64().Draw(t, "d")
		r, ok := new(big.Rat).SetString(string(seconds(time.Duration(d))))
		if !ok || r.Cmp(big.NewRat(d, 1e9)) != 0 {
			t.Fatalf("%d ns is %s", d, seconds(time.Duration(d)))
		}
	})
}

// With several currencies on the day no single number is a sum of them, also
// where only one of them was paid twice.
func TestSingleNumbersAreNullWithSeveralCurrencies(t *testing.T) {
	r := twoCurrencies(t)
	for _, f := range Formats()[1:3] {
		var got map[string]any
		if err := json.Unmarshal(rendered(t, f, r), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"double_paid", "v1_total", "total_transferred", "double_paid_avoided"} {
			if v, ok := got[name]; ok && v != nil {
				t.Errorf("%s: %s is %v", f.File, name, v)
			}
		}
		if n := len(got["by_currency"].(map[string]any)); n != 4 {
			t.Errorf("%s: by_currency has %d members", f.File, n)
		}
	}
}
