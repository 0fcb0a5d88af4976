package analysis

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"idem/engine/sqlitestore/sqlfile"
)

// A log is the same from every position on, whether its seqs have gaps or not.
func TestPositionsWithAndWithoutGaps(t *testing.T) {
	for _, c := range []struct{ name, change string }{
		{"dense", ""},
		{"gap", "DELETE FROM req_log WHERE seq = 60"},
		{"first missing", "DELETE FROM req_log WHERE seq < 5"},
		{"negative", "UPDATE req_log SET seq = -seq"},
		{"at the greatest", "UPDATE req_log SET seq = 9223372036854775807 WHERE seq = 120"},
		{"at the least", "UPDATE req_log SET seq = -9223372036854775807 - 1 WHERE seq = 1"},
		{"dense up to the greatest", "UPDATE req_log SET seq = 9223372036854775687 + seq"},
		{"none", "DELETE FROM req_log"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := lab(t)
			changeFile(t, path, c.change)
			in := open(t, path)
			all := seqsFrom(t, in, 1)
			if most, err := in.RequestsAtMost(t.Context()); err != nil || most < int64(len(all)) {
				t.Errorf("at most %d of %d: %v", most, len(all), err)
			}
			for _, from := range []int64{2, 3, 59, 60, 61, 62, 119, 120, 121, 122, 500, math.MaxInt64} {
				want := all[min(from-1, int64(len(all))):]
				if got := seqsFrom(t, in, from); !slices.Equal(got, want) {
					t.Errorf("from %d: %v, want %v", from, got, want)
				}
			}
		})
	}
}

func seqsFrom(t *testing.T, in *Incident, from int64) (list []int64) {
	t.Helper()
	n := from
	for r, err := range in.Requests(t.Context(), from) {
		if err != nil {
			t.Fatal(err)
		}
		if r.N != n {
			t.Fatalf("position %d, want %d", r.N, n)
		}
		n++
		list = append(list, r.Seq)
	}
	return list
}

func changeFile(t *testing.T, path, sql string) {
	t.Helper()
	db, err := sqlfile.Open(sqlfile.URI(filepath.Clean(path)), sqlfile.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}
