package report

import (
	"errors"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"idem/analysis/findings"
)

var place = regexp.MustCompile(`\{\d+\}`)

// All languages have the same texts with the same places, and no text is one
// that the template and the table of risks do not use.
func TestLanguagesAgree(t *testing.T) {
	base, err := wordsOf(Korean)
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range Languages() {
		w, err := wordsOf(lang)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := slices.Sorted(maps.Keys(w)), slices.Sorted(maps.Keys(base)); !slices.Equal(a, b) {
			t.Errorf("%s and ko have not the same texts: %d and %d", lang, len(a), len(b))
		}
		for name, text := range w {
			a, b := place.FindAllString(text, -1), place.FindAllString(base[name], -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(slices.Compact(a), slices.Compact(b)) {
				t.Errorf("%s: %s has the places %q, ko has %q", lang, name, a, b)
			}
			if strings.ContainsAny(text, "\n|<>") || strings.HasPrefix(text, "#") {
				t.Errorf("%s: %s would break a table or a line: %q", lang, name, text)
			}
		}
	}
}

func TestNoTextIsUnused(t *testing.T) {
	base, err := wordsOf(Korean)
	if err != nil {
		t.Fatal(err)
	}
	source := reportTemplate
	for _, class := range findings.Classes() {
		source += `"` + classText(class) + `"`
	}
	for _, c := range []findings.Confidence{findings.Certain, findings.Probable, findings.Suspected} {
		source += `"` + confidenceText(c) + `"`
	}
	for _, name := range []string{"markdown.go", "lang.go", "risk.go", "why.go", "narrowed.go", "causes.go", "../analysis/findings/why.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source += string(b)
	}
	for name := range base {
		if strings.HasPrefix(name, "client_stored_") {
			continue // by the policy's value
		}
		bare := name
		for _, prefix := range []string{"risk_", "measured_", "todo_"} {
			bare = strings.TrimPrefix(bare, prefix)
		}
		if !strings.HasPrefix(name, "why_") && !strings.Contains(source, `"`+bare+`"`) && !strings.Contains(source, `"`+name+`"`) {
			t.Errorf("text %s is not used", name)
		}
	}
}

func TestParseLang(t *testing.T) {
	for tag, want := range map[string]Lang{
		"ko": Korean, "ko-KR": Korean, "en": English, "en-GB": English, "EN_us": English,
		"zh": SimplifiedChinese, "zh-CN": SimplifiedChinese, "zh-Hans": SimplifiedChinese,
		"zh-TW": TraditionalChinese, "zh-HK": TraditionalChinese, "zh-hant": TraditionalChinese,
	} {
		if got, err := ParseLang(tag); got != want || err != nil {
			t.Errorf("%s gives %s, %v; want %s", tag, got, err, want)
		}
	}
	for _, tag := range []string{"", "ja", "de", "x", "kok", "../ko", "und", "한국어"} {
		_, err := ParseLang(tag)
		if !errors.Is(err, ErrLanguage) {
			t.Errorf("%q gives %v", tag, err)
			continue
		}
		for _, known := range Languages() {
			if !strings.Contains(err.Error(), string(known)) {
				t.Errorf("%q: %v does not name %s", tag, err, known)
			}
		}
	}
}

func TestDuration(t *testing.T) {
	w, err := wordsOf(English)
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range map[time.Duration]string{
		0: "0 s", 2994 * time.Millisecond: "2.994 s", time.Minute: "1 min", 61 * time.Second: "1 min 1 s",
		24 * time.Hour: "24 h", 72 * time.Hour: "3 d", 100*time.Hour + 59*time.Minute: "4 d 4 h",
		time.Hour + time.Second: "1 h", 48*time.Hour + time.Minute: "2 d", 59*time.Second + 900*time.Millisecond: "59.9 s",
	} {
		if got := w.duration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestMajor(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
		known    bool
	}{
		{8_412_300, "KRW", "8,412,300", true}, {1, "JPY", "1", true}, {4_999, "USD", "49.99", true},
		{5, "USD", "0.05", true}, {-5, "USD", "-0.05", true}, {0, "USD", "0.00", true}, {123_456_789, "KWD", "123,456.789", true},
		{12_345, "CLF", "1.2345", true}, {4_999, "XYZ", "4,999", false}, {1, "", "1", false}, {1, "usd", "1", false},
		{math.MinInt64, "USD", "-92,233,720,368,547,758.08", true}, {math.MaxInt64, "KRW", "9,223,372,036,854,775,807", true},
		{math.MinInt64, "KRW", "-9,223,372,036,854,775,808", true},
	} {
		if got, known := Major(c.minor, c.currency); got != c.want || known != c.known {
			t.Errorf("%d %s is %q (%v), want %q (%v)", c.minor, c.currency, got, known, c.want, c.known)
		}
	}
}
