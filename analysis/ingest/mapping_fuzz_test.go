package ingest

import "testing"

// FuzzParseMap: a mapping file is refused, or can be written as a file that says
// the same.
func FuzzParseMap(f *testing.F) {
	for _, seed := range []string{"", "[requests.columns]\ntime = \"time_utc\"\n", "[body]\nsrc = [\"a.b\", \"c\"]\n[requests.fixed]\nclient = \"shop\"\n",
		"[transfers]\nx = 1\n", "[requests.columns]\nx = \"y\"\n", "a = {"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseMap(text)
		if err != nil {
			return
		}
		again, err := ParseMap([]byte(m.Text()))
		if err != nil || again.Text() != m.Text() {
			t.Fatalf("%q reads as\n%s\nwhich reads as\n%s, %v", text, m.Text(), again.Text(), err)
		}
	})
}
