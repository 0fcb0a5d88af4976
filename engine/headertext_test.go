package engine_test

import (
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"idem/engine"
)

// TestHeaderText: databases hold these texts, so that they must not change; any
// lines come back, and what was edited is damage.
func TestHeaderText(t *testing.T) {
	for want, fields := range map[string][]engine.Field{
		"":                                      nil,
		`[["Location","/v1/x"],["X-Empty",""]]`: {{Name: "Location", Value: "/v1/x"}, {Name: "X-Empty"}},
		`[["n","é","bytes"]]`:                   {{Name: "n", Value: "\xe9"}},
		`[["n","\u003ca\u003e\u2028가"]]`:        {{Name: "n", Value: "<a>\u2028가"}},
	} {
		if got := engine.HeaderText(fields); got != want {
			t.Errorf("%v is written %s, want %s", fields, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte("a\"\\\x00\xff\xe9\xc3")), 0, 5), func(b []byte) string { return string(b) })
		field := rapid.Custom(func(rt *rapid.T) engine.Field {
			return engine.Field{Name: text.Draw(rt, "name"), Value: text.Draw(rt, "value")}
		})
		fields := rapid.SliceOfN(field, 1, 4).Draw(rt, "fields")
		if back, err := engine.ParseHeaderText(engine.HeaderText(fields)); err != nil || !reflect.DeepEqual(back, fields) {
			rt.Fatalf("%q comes back as %q, %v", fields, back, err)
		}
	})
	for _, bad := range []string{"x", "{}", `[["a"]]`, `[["a","b","c"]]`, `[["a",1]]`} {
		if _, err := engine.ParseHeaderText(bad); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", bad, err)
		}
	}
}
