package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idem/engine"
)

// failer is what testing.T and rapid.T have in common here.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func canonical(t failer, text string) string {
	t.Helper()
	out, err := engine.Canonical([]byte(text))
	if err != nil {
		t.Fatalf("canonical form of %q: %v", text, err)
	}
	return string(out)
}

// TestCanonicalRFC8785 has the examples of RFC 8785, sections 3.2.2 to 3.2.4.
func TestCanonicalRFC8785(t *testing.T) {
	const sample = `{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`
	// 333333333.33333329 and 1E30 are not what the nearest double is written as:
	// here they keep their exact value, where the RFC would write
	// 333333333.3333333 and 1e+30.
	const want = `{"literals":[null,true,false],"numbers":[0.33333333333333329e9,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`
	if got := canonical(t, sample); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const unsorted = `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`
	const sorted = `{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`
	if got := canonical(t, unsorted); got != sorted {
		t.Errorf("got  %q\nwant %q", got, sorted)
	}
}

// TestCanonicalNumbers has numbers of RFC 8785, appendix B, and those that a
// double cannot hold.
func TestCanonicalNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "-0e5": "0", "0e999999999999999999999": "0",
		"5e-324": "5e-324", "-5e-324": "-5e-324", "1.7976931348623157e308": "1.7976931348623157e+308",
		"9007199254740992": "9007199254740992", "-9007199254740992": "-9007199254740992",
		"295147905179352830000": "295147905179352830000", "9.999999999999997e22": "9.999999999999997e+22",
		"1e23": "1e+23", "1.0000000000000001e23": "1.0000000000000001e+23", "999999999999999700000": "999999999999999700000",
		"1e21": "1e+21", "9.999999999999997e-7": "9.999999999999997e-7", "0.000001": "0.000001", "333333333.3333332": "333333333.3333332",
		"9007199254740993": "9007199254740993", "9007199254740993.0": "9007199254740993", "90071992547409930e-1": "9007199254740993",
		"9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"1000": "1000", "1000.0": "1000", "1e3": "1000", "1E+3": "1000", "10000e-1": "1000", "0.1": "0.1", "1e-1": "0.1",
		"1e400": "0.1e401", "10e399": "0.1e401", "0.1e401": "0.1e401", "1e-400": "0.1e-399",
		"1e1099511627776": "0.1e1099511627777", "0.1e1099511627777": "0.1e1099511627777",
		"1e99999999999999999999": "0.1e100000000000000000000", "-100e99999999999999999997": "-0.1e100000000000000000000",
		"0.001e-1000000000000000": "0.1e-1000000000000002", "1000e-1000000000000000": "0.1e-999999999999996", "1e+0001000000000000000": "0.1e1000000000000001",
	} {
		if got := canonical(t, in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

// TestCanonicalCostsItsText: a number of a megabyte is read in the time that its
// bytes take, not in that of arithmetic on it. With a big.Int a single megabyte
// took six seconds.
func TestCanonicalCostsItsText(t *testing.T) {
	for _, in := range []string{
		"1e" + strings.Repeat("9", 8<<20), "-1e-" + strings.Repeat("7", 8<<20), strings.Repeat("1", 1<<20), "0." + strings.Repeat("0", 1<<20) + "1",
	} {
		if out := canonical(t, in); len(out) > len(in)+16 {
			t.Errorf("%d bytes became %d", len(in), len(out))
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `{"a":1`, `nul`, `01`, `1.`, `.5`, `+1`, `NaN`, `'a'`, `{a:1}`, `[1,]`, `{"a":1,}`, "\xef\xbb\xbf{}",
		`{"amount":1,"amount":2}`, `{"x":{"amount":1,"amount":1}}`, `[[{"a":1,"a":1}]]`, `{"amount":1,"\u0061mount":2}`,
		`"\ud800"`, `"\udc00\ud800"`, `{"\ud800":1}`, "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"a\nb\"", "\"\x00\"",
		`{"a":1}{"a":2}`, `{} x`, `1 2`, "{}\x00", `"a" // c`,
	} {
		if out, err := engine.Canonical([]byte(in)); !errors.Is(err, engine.ErrAmbiguous) {
			t.Errorf("%q is %q, %v; want ErrAmbiguous", in, out, err)
		}
	}
}

func TestCanonicalTellsApart(t *testing.T) {
	for _, pair := range [][2]string{
		{`9007199254740992`, `9007199254740993`}, {`1e400`, `1e401`}, {`1.7976931348623157e308`, `1e309`}, {`0.1`, `0.1000000000000000055`},
		{`1e-400`, `0`}, {`"1"`, `1`}, {`"1.0"`, `"1.00"`}, {`null`, `"null"`}, {`[]`, `{}`}, {`[1,2]`, `[2,1]`}, {`"a"`, `"A"`},
		{`"\u00e9"`, `"e\u0301"`}, {`{"a":null}`, `{}`}, {`9223372036854775807`, `9223372036854775808`},
	} {
		if canonical(t, pair[0]) == canonical(t, pair[1]) {
			t.Errorf("%s and %s are one request: %s", pair[0], pair[1], canonical(t, pair[0]))
		}
	}
}

// TestCanonicalNumbersAreExact: two numbers have one canonical form exactly when
// they are equal, and the form has their value.
func TestCanonicalNumbersAreExact(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = respelled(t, a)
		}
		ca, cb := canonical(t, a), canonical(t, b)
		if (ca == cb) != (rat(t, a).Cmp(rat(t, b)) == 0) {
			t.Fatalf("%s is %s and %s is %s", a, ca, b, cb)
		}
		if rat(t, a).Cmp(rat(t, ca)) != 0 {
			t.Fatalf("%s is written as %s", a, ca)
		}
		if again := canonical(t, ca); again != ca {
			t.Fatalf("%s, then %s", ca, again)
		}
	})
}

// respelled moves the decimal point and the exponent against each other, or
// changes the last digit.
func respelled(t *rapid.T, a string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(a), "e")
	exp, _ := strconv.Atoi(exponent)
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	shift := rapid.IntRange(0, 5).Draw(t, "shift")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction += strings.Repeat("0", shift+rapid.IntRange(0, 2).Draw(t, "zeros"))
	digits := strings.TrimLeft(strings.TrimPrefix(whole, "-")+fraction[:shift], "0")
	if digits == "" {
		digits = "0"
	}
	if strings.HasPrefix(whole, "-") {
		digits = "-" + digits
	}
	out := digits
	if rest := fraction[shift:]; rest != "" {
		out += "." + rest
	}
	out += "e" + strconv.Itoa(exp-shift)
	if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
		i := strings.IndexByte(out, 'e') - 1
		out = out[:i] + strconv.Itoa(int(out[i]-'0'+1)%10) + out[i+1:]
	}
	return out
}

func rat(t failer, s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r
}

// value draws JSON with distinct member names.
func value(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }),
		rapid.Map(rapid.Int64(), func(n int64) any { return json.Number(strconv.FormatInt(n, 10)) }),
	)
	if depth == 0 {
		return leaf
	}
	inner := value(depth - 1)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") }), inner, 0, 4), func(m map[string]any) any { return m }),
	)
}

// TestCanonicalOneForm: order of members, white space and escapes do not matter.
func TestCanonicalOneForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		seed := rapid.Uint64().Draw(t, "seed")
		one := spell(v, rand.New(rand.NewPCG(seed, 1)))
		two := spell(v, rand.New(rand.NewPCG(seed, 2)))
		if a, b := canonical(t, one), canonical(t, two); a != b {
			t.Fatalf("%s is %s\n%s is %s", one, a, two, b)
		}
	})
}

// spell writes a value as JSON, in one of the many ways there are.
func spell(v any, r *rand.Rand) string {
	space := func() string { return []string{"", " ", "\n\t", "\r"}[r.IntN(4)] }
	var out strings.Builder
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		out.WriteString("{" + space())
		for i, name := range names {
			if i > 0 {
				out.WriteString("," + space())
			}
			out.WriteString(spell(name, r) + space() + ":" + space() + spell(v[name], r))
		}
		out.WriteString("}")
	case []any:
		out.WriteString("[")
		for i, e := range v {
			if i > 0 {
				out.WriteString("," + space())
			}
			out.WriteString(spell(e, r))
		}
		out.WriteString(space() + "]")
	case string:
		return escape(v, r)
	default:
		b, _ := json.Marshal(v)
		return space() + string(b) + space()
	}
	return out.String()
}

func escape(s string, r *rand.Rand) string {
	var out bytes.Buffer
	out.WriteByte('"')
	for _, c := range s {
		switch {
		case c < 0x20 || c == '"' || c == '\\' || c < 0x10000 && r.IntN(3) == 0:
			out.WriteString(`\u` + hex4(c))
		default:
			out.WriteRune(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func hex4(c rune) string {
	s := strconv.FormatInt(int64(c), 16)
	return strings.Repeat("0", 4-len(s)) + s
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[1.0,1e400,"\u20ac"]}`, `-0`, `"\ud83d\ude00"`, `{"a":1,"a":1}`, `{} x`, "\"\xff\"", `9007199254740993`, `1e-99999999999999999999`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		out, err := engine.Canonical(text)
		if !bytes.Equal(text, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, engine.ErrAmbiguous) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if !json.Valid(text) || !json.Valid(out) {
			t.Fatalf("%q is no JSON, or its form %q is none", text, out)
		}
		if again := canonical(t, string(out)); again != string(out) {
			t.Fatalf("%q, then %q", out, again)
		}
		var indented bytes.Buffer
		if json.Indent(&indented, text, "\r", "\t") == nil && canonical(t, indented.String()) != string(out) {
			t.Fatalf("white space matters in %q", text)
		}
	})
}
