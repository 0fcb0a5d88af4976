package printable

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestUncut(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"order-1001", "order-1001"},
		{`a\b`, `a\b`},
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"\x1b]52;c;AAAA\a", `\x1b]52;c;AAAA\x07`},
		{"\x1bP+q\x1b\\", `\x1bP+q\x1b\`},
		{"\u009b31m", `\u009b31m`},
		{"\x9b31m", `\x9b31m`},
		{"a\r\nb\tc\bd\x7f", `a\r\nb\tc\x08d\x7f`},
		{"\u202eabc\u2066", `\u202eabc\u2066`},
		{"a\u200bb\u200dc\ufeff", `a\u200bb\u200dc\ufeff`},
		{"❤\ufe0f", `❤\ufe0f`},
		{"👩\u200d💻", `👩\u200d💻`},
		{"🇰🇷", `\U0001f1f0\U0001f1f7`},
		{"e\u0301", "é"},
		{"q\u0301\u0323", "q\u0323\u0301"},
		{"\u0438\u0306\u03b1\u0301", "йά"},
		{"a\u0301\u0301\u0301\u0301\u0301", "á\u0301\u0301\u0301" + `\u0301`},
		{"1\u0301-\u0301 \u0301", `1\u0301-\u0301 \u0301`},
		{"e\u034fe\ufe0fe\u200de\u20dd", `e\u034fe\ufe0fe\u200de\u20dd`},
		{"e\u0e34ก\u0301", `e\u0e34ก\u0301`},
		{"กิ่ง สั่ง", "กิ่ง สั่ง"},
		{"คำ น้ำ", "ค\u0e4d\u0e32 น\u0e4d\u0e49\u0e32"},
		{"\u0e33", `\u0e33`},
		{"a\u0e33\u0e34", `a\u0e33\u0e34`},
		{"ຄໍາ ຄຳ", "ຄ\u0ecd\u0eb2 ຄ\u0ecd\u0eb2"},
		{"か\u3099は\u309aあ\u3099", "がぱあ" + `\u3099`},
		{"\u1112\u1161\u11ab\u1100\u1161", "한가"},
		{"\u1112\u11ab\u1161", `\u1112\u11ab\u1161`},
		{"क\u094d\u0937", `क\u094dष`},
		{"\u0301", `\u0301`},
		{"김서연 漢字 かな", "김서연 漢字 かな"},
		{"\u1100\u1161ㄱ", "가ㄱ"},
		{"가\u11a8", `가\u11a8`},
		{"\xff\xc3(", `\xff\xc3(`},
		{"\u3164\u00a0\u2028", `\u3164\u00a0\u2028`},
		{"\U000e0041", `\U000e0041`},
	} {
		if got := whole(c.in); got != c.want {
			t.Errorf("all of %q is %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTextCuts(t *testing.T) {
	for _, c := range []struct {
		in    string
		cells int
		want  string
	}{
		{"abc", 3, "abc"}, {"abc", 4, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"abcd", 0, ""}, {"abcd", -1, ""},
		{"김서연", 6, "김서연"}, {"김서연", 5, "김서…"}, {"김서연", 4, "김…"}, {"김", 1, "…"},
		{"a\x1bb", 6, `a\x1bb`}, {"a\x1bb", 5, "a…"},
		{"abc", math.MaxInt, "abc"},
	} {
		if got := Text(c.in, c.cells); got != c.want {
			t.Errorf("Text(%q, %d) = %q, want %q", c.in, c.cells, got, c.want)
		}
	}
}

func TestSized(t *testing.T) {
	big := strings.Repeat("k", 10_000_000)
	if got := Sized(big, 14); got != "kkkkk… 10.0 MB" {
		t.Error(got)
	}
	if got := ansi.StringWidth(Sized(big, 14)); got != 14 {
		t.Error(got)
	}
	if got := Sized(big, 5); got != "kkkk…" {
		t.Error(got)
	}
	if got := Sized("short", 5); got != "short" {
		t.Error(got)
	}
}

// TestLargeTextIsNotScanned would take minutes if it were.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"abcdefgh", 8, "abcdefgh"},
		{"0d4df7d2-4232", 9, "0d4d…4232"},
		{"0d4df7d2-4232", 4, "0d4…"},
		{"abcdefgh\u009b", 10, "abcdefgh…"}, // an escape is whole or not there
		{"\u009babcdefghi", 10, "…fghi"},
		{"\u009babcdefghi", 11, "\\u009b…fghi"},
		{"한글한글한글", 8, "한…한글"},
		{"", 8, ""},
		{"abc", 0, ""},
	} {
		if got := Ends(c.s, c.w, 4); got != c.want {
			t.Errorf("Ends(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

// Of a text that is cut in its middle, each character is shown whole, in order.
func TestEndsAreWholeCharacters(t *testing.T) {
	character := rapid.SampledFrom([]string{"a", "7", "\u009b", "\x1b", "\u202e", "한", "é", "e\u0301", "กิ", "\U000e0001", "\xff", "👍"})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(character, 0, 40).Draw(t, "characters")
		w := rapid.IntRange(1, 60).Draw(t, "w")
		got := Ends(strings.Join(list, ""), w, 4)
		if n := ansi.StringWidth(got); n > w {
			t.Fatalf("%q has %d cells, more than %d", got, n, w)
		}
		begin, end, cut := strings.Cut(got, Ellipsis)
		for len(list) > 0 && begin != "" && strings.HasPrefix(begin, whole(list[0])) {
			begin, list = begin[len(whole(list[0])):], list[1:]
		}
		for len(list) > 0 && end != "" && strings.HasSuffix(end, whole(list[len(list)-1])) {
			end, list = strings.TrimSuffix(end, whole(list[len(list)-1])), list[:len(list)-1]
		}
		if begin+end != "" || (!cut && len(list) > 0) {
			t.Fatalf("%q is left of %q", begin+end, got)
		}
	})
}

// What is looked at depends on the cells, not on the length of a text.
func TestLargeTextIsNotScanned(t *testing.T) {
	const cells = 80
	long := strings.Repeat("\u202e", 1_000_000)
	seen := shownBytes(len(long), cells)
	if longer := shownBytes(2*len(long), cells); longer != seen || seen > len(long)/100 {
		t.Errorf("%d bytes of %d are looked at, %d of twice as many", seen, len(long), longer)
	}
	if got, want := Text(long, cells), Text(long[:seen], cells); got != want {
		t.Errorf("the whole is %q, its beginning %q", got, want)
	}
}

// TestEveryCharacter puts each character between others and checks that the
// width of the whole is the sum of the widths promised.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || !stands(r) && r != ' ' {
			continue // an escape is plain ASCII
		}
		for _, around := range [][2]string{{"a", "b"}, {"가", "가"}, {"ᄀ", "ᄀ"}, {"😀", "😀"}, {"क", "क"}} {
			s := around[0] + string(r) + around[1]
			got := whole(s)
			width := 0
			for rest := s; rest != ""; {
				_, w, n := next(rest)
				width, rest = width+w, rest[n:]
			}
			if ansi.StringWidth(got) != width {
				t.Fatalf("%U in %q: %d cells, want %d", r, got, ansi.StringWidth(got), width)
			}
		}
	}
}

// TestEveryLetterWithItsMark puts each mark on each letter: the width is that of
// the letter, by the two tables that terminals go by.
func TestEveryLetterWithItsMark(t *testing.T) {
	for _, c := range carriers {
		each(c.letters, func(r rune) {
			if !stands(r) || !unicode.IsLetter(r) {
				return
			}
			each(c.marks, func(mark rune) {
				s := string(r) + string(mark)
				shown, width, n := next(s)
				alone := ansi.StringWidth(string(r))
				if n != len(s) || width != alone || ansi.StringWidth(shown) != width || ansi.StringWidthWc(shown) != width {
					t.Fatalf("%U %U is %q, %d wide of %d (%d and %d)", r, mark, shown, width, alone, ansi.StringWidth(shown), ansi.StringWidthWc(shown))
				}
				check(t, "x"+s+string(mark)+string(c.am)+"y", 3)
			})
		})
	}
}

func each(t *unicode.RangeTable, do func(rune)) {
	for _, r := range t.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			do(c)
		}
	}
}

// whole is all of s.
func whole(s string) string { return Text(s, math.MaxInt) }

// check holds what is promised of any text.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string, cells int) {
	t.Helper()
	for _, got := range []string{Text(s, cells), Sized(s, cells)} {
		if ansi.StringWidth(got) > max(cells, 0) {
			t.Fatalf("%q in %d cells is %q, %d wide", s, cells, got, ansi.StringWidth(got))
		}
		if !utf8.ValidString(got) || ansi.Strip(got) != got || strings.ContainsFunc(got, unicode.IsControl) {
			t.Fatalf("%q is not printable", got)
		}
		if again := whole(got); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
	}
	full := whole(s)
	if width := ansi.StringWidth(full); Text(s, width) != full {
		t.Fatalf("%q does not fit its own width %d", full, width)
	}
}

func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("ae가\x1b[31m\u202e\u0301\u200d\ufe0f👩💻🇰\u1100\u1161\u11a8\u0300กຄ\u0e34\u0e49\u0e33\u0eb3か\u3099Å"))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		check(t, s, rapid.IntRange(-2, 40).Draw(t, "cells"))
	})
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b]0;x\ab", 5)
	f.Add("김서연\u202e", 7)
	f.Fuzz(func(t *testing.T, s string, cells int) { check(t, s, cells) })
}

func TestDigits(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", -7: "-7", 999: "999", 1000: "1,000", -123456: "-123,456",
		8412300: "8,412,300", math.MinInt64: "-9,223,372,036,854,775,808", math.MaxInt64: "9,223,372,036,854,775,807"} {
		if got := Digits(n); got != want {
			t.Errorf("Digits(%d) = %s", n, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		if back, err := strconv.ParseInt(strings.ReplaceAll(Digits(n), ",", ""), 10, 64); back != n || err != nil {
			t.Fatal(back, err)
		}
	})
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1500: "1.5 kB", 999_949: "999.9 kB", 999_951: "1.0 MB",
		10_000_000: "10.0 MB", 50_000_000_000: "50.0 GB", math.MaxInt64: "9223372.0 TB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}
