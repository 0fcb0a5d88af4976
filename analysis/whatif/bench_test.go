package whatif

import (
	"testing"

	"idem/fixtures"
)

// BenchmarkEightPolicies is a day of 100,000 under the default and all presets.
func BenchmarkEightPolicies(b *testing.B) {
	in := lab(b, fixtures.Options{Seed: 1, Requests: 100_000, Keys: 80_000, Accounts: 100})
	cases := append([]Case{Default()}, Presets()...)
	b.ReportAllocs()
	for b.Loop() {
		compare(b, in, cases...)
	}
}

// BenchmarkLabDay is the day that has to answer at once.
func BenchmarkLabDay(b *testing.B) {
	in := lab(b, fixtures.Lab())
	cases := append([]Case{Default()}, Presets()...)
	for b.Loop() {
		compare(b, in, cases...)
	}
}

// BenchmarkSweep is the retention curve of a day of 100,000.
func BenchmarkSweep(b *testing.B) {
	in := lab(b, fixtures.Options{Seed: 1, Requests: 100_000, Keys: 80_000, Accounts: 100})
	for b.Loop() {
		if _, err := Sweep(ctx, in, Default(), Retention, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
