package tui

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

// rgb is a colour in linear light, each part from 0 to 1.
type rgb [3]float64

func readColour(t *testing.T, s string) (c rgb) {
	t.Helper()
	if len(s) != 7 || s[0] != '#' {
		t.Fatalf("%q is no colour", s)
	}
	for i := range c {
		v, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(v) / 255
		if c[i] = part / 12.92; part > 0.04045 {
			c[i] = math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is the ratio of https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio.
func contrast(a, b rgb) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// backgrounds are those that terminals come with: the least favourable of each kind.
var backgrounds = map[bool][]string{true: {"#000000", "#1e1e1e", "#1d1f21"}, false: {"#ffffff", "#fafafa"}}

func (p *palette) texts() map[string]shade {
	return map[string]shade{
		"dim": p.dim, "title": p.title, "key": p.key, "notice": p.notice, "bad": p.bad, "good": p.good,
		"inFlight": p.inFlight, "mismatch": p.mismatch, "replayed": p.replayed, "refused": p.refusedOnes,
	}
}

func TestContrast(t *testing.T) {
	for _, c := range themeChoices {
		least := 4.5 // WCAG AA
		if c.name == "high-contrast" {
			least = 7 // AAA
		}
		for dark, list := range backgrounds {
			for _, background := range list {
				for name, s := range c.palette.texts() {
					if got := contrast(readColour(t, s.on(dark)), readColour(t, background)); got < least {
						t.Errorf("%s: %s %s on %s has %.2f:1, want %.1f:1", c.name, name, s.on(dark), background, got, least)
					}
				}
			}
		}
	}
}

// Eyes without one kind of cone, after Viénot, Brettel and Mollon (1999), in linear light.
var coneless = map[string][3]rgb{
	"red":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
	"green": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
}

func (c rgb) seen(by [3]rgb) (s rgb) {
	for i, row := range by {
		s[i] = max(0, min(1, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return s
}

// lab is a colour in CIELAB, white D65.
func (c rgb) lab() [3]float64 {
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.95047)
	y := f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func difference(a, b rgb) float64 {
	p, q := a.lab(), b.lab()
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// What is good and what is bad differ for every eye, and so do the outcomes.
func TestSafeThemeWithoutRedOrGreen(t *testing.T) {
	p := &palettes.safe
	for eye, by := range coneless {
		for _, dark := range []bool{true, false} {
			for _, pair := range [][2]shade{
				{p.good, p.bad}, {p.good, p.inFlight}, {p.good, p.replayed}, {p.replayed, p.mismatch}, {p.replayed, p.inFlight}, {p.good, p.refusedOnes}, {p.replayed, p.refusedOnes}, {p.inFlight, p.mismatch},
			} {
				a, b := readColour(t, pair[0].on(dark)), readColour(t, pair[1].on(dark))
				if d := difference(a.seen(by), b.seen(by)); d < 15 {
					t.Errorf("without %s, dark %v: %s and %s differ by %.1f only", eye, dark, pair[0].on(dark), pair[1].on(dark), d)
				}
			}
		}
	}
}

func TestThemesByName(t *testing.T) {
	for _, name := range Themes() {
		for _, dark := range []bool{true, false} {
			got := newTheme(name, dark, manyColours)
			if want := dark && name != "light" || name == "dark"; got.dark != want {
				t.Errorf("%s on dark %v is drawn for dark %v", name, dark, got.dark)
			}
		}
	}
	if Themes()[0] != "auto" || newTheme("", false, manyColours).dark || newTheme("no such theme", false, manyColours).dark {
		t.Error("a theme that is not known is not auto")
	}
}

// On a terminal of sixteen colours no text is painted in a colour that its
// background swallows, and outcomes that must not be confused stay apart.
func TestSixteenColours(t *testing.T) {
	swallowed := map[bool][]string{true: {"0", "1", "4", "5"}, false: {"7", "15", "11", "14", "10"}}
	for _, c := range themeChoices {
		for _, dark := range []bool{true, false} {
			for name, s := range c.palette.texts() {
				if got := sixteen(s.on(dark), dark); slices.Contains(swallowed[dark], got) {
					t.Errorf("%s, dark %v: %s is painted in %s", c.name, dark, name, got)
				}
			}
			good, bad, again := sixteen(c.palette.good.on(dark), dark), sixteen(c.palette.bad.on(dark), dark), sixteen(c.palette.replayed.on(dark), dark)
			if good == bad || good == again || bad == again {
				t.Errorf("%s, dark %v: created %s, mismatch %s, replayed %s", c.name, dark, good, bad, again)
			}
		}
	}
}
