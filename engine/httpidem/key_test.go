package httpidem

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseKey(t *testing.T) {
	all := ""
	for c := '!'; c <= '~'; c++ {
		all += string(c)
	}
	tests := []struct {
		name, text, key string
		problem         *Problem
	}{
		{"one byte", "a", "a", nil},
		{"255 bytes", strings.Repeat("k", 255), strings.Repeat("k", 255), nil},
		{"256 bytes", strings.Repeat("k", 256), "", &keyTooLong},
		{"255 bytes quoted", `"` + strings.Repeat("k", 255) + `"`, strings.Repeat("k", 255), nil},
		{"256 bytes quoted", `"` + strings.Repeat("k", 256) + `"`, "", &keyTooLong},
		{"255 escaped bytes", `"` + strings.Repeat(`\\`, 255) + `"`, strings.Repeat(`\`, 255), nil},
		{"256 escaped bytes", `"` + strings.Repeat(`\\`, 256) + `"`, "", &keyTooLong},
		{"255 two-byte runes", strings.Repeat("é", 255), "", &keyTooLong},
		{"two-byte rune", "é", "", &keyMalformed},
		{"64 KiB", strings.Repeat("k", 64<<10), "", &keyTooLong},
		{"every visible character", all, all, nil},
		{"empty", "", "", &keyEmpty},
		{"empty string", `""`, "", &keyEmpty},
		{"blank string", `"  "`, "", &keyEmpty},
		{"quoted", `"abc"`, "abc", nil},
		{"escapes", `"a\"b\\c"`, `a"b\c`, nil},
		{"unterminated", `"abc`, "", &keyMalformed},
		{"lone quote", `"`, "", &keyMalformed},
		{"escape at the end", `"abc\`, "", &keyMalformed},
		{"escaped end", `"abc\"`, "", &keyMalformed},
		{"unknown escape", `"a\q"`, "", &keyMalformed},
		{"parameter", `"abc";v=1`, "", &keyMalformed},
		{"two keys in a line", `"abc", "abc"`, "", &keyMalformed},
		{"two bare keys in a line", "abc, abc", "", &keyMalformed},
		{"space inside", `"a b"`, "", &keyMalformed},
		{"tab inside", "a\tb", "", &keyMalformed},
		{"NUL", "a\x00b", "", &keyMalformed},
		{"DEL", "a\x7f", "", &keyMalformed},
		{"invalid UTF-8", "a\xff", "", &keyMalformed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key, problem := parseKey(test.text)
			if key != test.key || problem != test.problem {
				t.Errorf("parseKey(%q) = %q, %v; want %q, %v", test.text, key, problem, test.key, test.problem)
			}
		})
	}
}

// A key means the same however a client library writes it.
func TestQuotedAndBareAreOneKey(t *testing.T) {
	escape := strings.NewReplacer(`"`, `\"`, `\`, `\\`)
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[!#-~][!-~]{0,80}`).Draw(t, "key")
		bare, problem := parseKey(key)
		quoted, quotedProblem := parseKey(`"` + escape.Replace(key) + `"`)
		if problem != nil || quotedProblem != nil || bare != key || quoted != key {
			t.Fatalf("%q: bare %q (%v), quoted %q (%v)", key, bare, problem, quoted, quotedProblem)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"abc", `"abc"`, `"a\"b"`, `"a\q"`, "", `""`, "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, problem := parseKey(text)
		if (problem == nil) != (key != "") {
			t.Fatalf("parseKey(%q) = %q, %v", text, key, problem)
		}
		if problem == nil && (len(key) > MaxKey || !visible(key)) {
			t.Fatalf("parseKey(%q) accepts %q", text, key)
		}
	})
}

func TestBearer(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"one", []string{"Bearer abc"}, "abc"},
		{"scheme in any case", []string{"bEARER abc"}, "abc"},
		{"more spaces", []string{"Bearer   abc"}, "abc"},
		{"base64 and colon", []string{"Bearer a:b+/=="}, "a:b+/=="},
		{"none", nil, ""},
		{"two lines", []string{"Bearer abc", "Bearer abc"}, ""},
		{"two in a line", []string{"Bearer abc, Bearer abc"}, ""},
		{"empty", []string{""}, ""},
		{"scheme alone", []string{"Bearer"}, ""},
		{"scheme and spaces", []string{"Bearer  "}, ""},
		{"another scheme", []string{"Basic abc"}, ""},
		{"credential alone", []string{"abc"}, ""},
		{"not ASCII", []string{"Bearer é"}, ""},
		{"control character", []string{"Bearer a\x00b"}, ""},
		{"very long", []string{"Bearer " + strings.Repeat("a", maxCredential+1)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := bearer(map[string][]string{"Authorization": test.lines})
			if ok != (test.want != "") || (ok && got != test.want) {
				t.Errorf("bearer = %q, %v; want %q", got, ok, test.want)
			}
		})
	}
}
