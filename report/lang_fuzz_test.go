package report

import "testing"

// FuzzParseLang: a tag is refused, or is one of the languages that there are.
func FuzzParseLang(f *testing.F) {
	for _, seed := range []string{"ko", "en", "zh-Hant", "EN_us", "x", "", "ko-KR-u-nu-hang", "../en"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		l, err := ParseLang(tag)
		if err != nil {
			return
		}
		if again, err := ParseLang(string(l)); err != nil || again != l {
			t.Fatalf("%q is %q, and that is %q, %v", tag, l, again, err)
		}
	})
}
