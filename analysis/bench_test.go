package analysis

import (
	"context"
	"testing"

	"idem/fixtures"
	"idem/fixtures/dayfile"
)

// busyDay is a day of 200,000 requests, a tenth of them retries.
func busyDay(b *testing.B) *Incident {
	b.Helper()
	o := fixtures.Options{Seed: 1, Requests: 200_000, Keys: 180_000, Accounts: 8}
	path := dayfile.Of(b, o)
	return open(b, path)
}

func BenchmarkDuplicates(b *testing.B) {
	in := busyDay(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := in.Duplicates(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRequests(b *testing.B) {
	in := busyDay(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range in.Requests(context.Background(), 1) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
