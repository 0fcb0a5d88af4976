package place

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func find(t *testing.T, text string, paths ...string) ([]string, error) {
	t.Helper()
	f, err := NewFinder(paths...)
	if err != nil {
		t.Fatal(err)
	}
	values, err := f.Find([]byte(text))
	var list []string
	for _, v := range values {
		list = append(list, string(v))
	}
	return list, err
}

func TestFind(t *testing.T) {
	const doc = ` {"a":{"b":[10,{"c":"x\"y"},[7]],"d":null},"e.f":true,"한":"글","amount":{"value":5},"n":-1.5e3,"s":"\\"} `
	for path, want := range map[string]string{
		"$.a.b[0]": "10", "a.b[1].c": `"x\"y"`, "$.a.b[2][0]": "7", "$.a.d": "null", `$["e.f"]`: "true", "$.한": `"글"`,
		"$.amount": "", "$.amount.value": "5", "n": "-1.5e3", "s": `"\\"`, "$.a.b[9]": "", "$.a.x": "", "$.n.x": "",
	} {
		got, err := find(t, doc, path, "amount.value")
		if path == "$.amount" {
			want = "" // an object with a place inside is searched, not kept
		}
		if err != nil || got[0] != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if got, err := find(t, `{"a":1}`, "a", "$.a"); err != nil || got[0] != "1" || got[1] != "1" {
		t.Errorf("one place twice: %q, %v", got, err)
	}
	if got, err := find(t, `{"\u0061":1}`, "a"); err != nil || got[0] != "1" {
		t.Errorf("an escaped name: %q, %v", got, err)
	}
	if got, err := find(t, `[[1,2],[3]]`, "$[1][0]"); err != nil || got[0] != "3" {
		t.Errorf("an array: %q, %v", got, err)
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{``, `{`, `{"a":1}x`, `{"a":1} {}`, `{"a":1,"a":2}`, `{"x":{"a":1,"a":2}}`, `{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`, `{a:1}`, `nul`,
		strings.Repeat("[", 100_000)} {
		if _, err := find(t, text, "a"); err == nil {
			t.Errorf("%.40s was read", text)
		}
	}
	for _, path := range []string{"", "$", "$.a[", "$.a[x]", "$.a[-1]"} {
		if _, err := NewFinder(path); err == nil {
			t.Errorf("%q is taken for a place", path)
		}
	}
}

func TestText(t *testing.T) {
	var buf []byte
	for in, want := range map[string]string{`"a"`: "a", `"a\"b\u00e9"`: "a\"bé", `12`: "12", `true`: "true", `null`: "", `{"a":1}`: `{"a":1}`, ``: "", `""`: ""} {
		if got := string(Text(jsontext.Value(in), &buf)); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// TestFindsWhatIsThere looks for every scalar of a made text by its own path.
func TestFindsWhatIsThere(t *testing.T) {
	scalar := rapid.SampledFrom([]any{1, -2.5, "x", "a\"b\\", true, nil, "{", "[,]"})
	name := rapid.SampledFrom([]string{"a", "b", "c.d", "한", "e\"f", `g\`, "]"})
	var value *rapid.Generator[any]
	value = rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return rapid.MapOfN(name, rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "object")
		case 1:
			return rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "array")
		}
		return scalar.Draw(t, "scalar")
	})
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.MapOfN(name, value, 1, 4).Draw(t, "doc")
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetIndent("", rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		if err := enc.Encode(doc); err != nil {
			t.Fatal(err)
		}
		var paths []string
		var want []any
		collect(doc, "$", &paths, &want)
		f, err := NewFinder(paths...)
		if err != nil {
			t.Fatal(err)
		}
		values, err := f.Find(bytes.TrimSpace(text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range paths {
			wanted, err := json.Marshal(want[i])
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if json.Unmarshal(values[i], &a) != nil || json.Unmarshal(wanted, &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%s: %s, want %s in %s", paths[i], values[i], wanted, text.Bytes())
			}
		}
	})
}

func collect(v any, path string, paths *[]string, values *[]any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			collect(inner, path+`["`+name+`"]`, paths, values)
		}
	case []any:
		for i, inner := range v {
			collect(inner, fmt.Sprintf("%s[%d]", path, i), paths, values)
		}
	default:
		*paths, *values = append(*paths, path), append(*values, v)
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,{"c":"\""}]}}`))
	finder, err := NewFinder("$.a", "$.a.b[1].c", "$.x")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := finder.Find(text)
		for _, v := range values {
			if err == nil && v != nil && !v.IsValid() {
				t.Fatalf("%q in %q", v, text)
			}
		}
	})
}
