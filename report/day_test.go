package report

import (
	"math"
	"path/filepath"
	"testing"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/fixtures"
)

// labDay is the lab's day, replayed under the default policy.
func labDay(t *testing.T) Day {
	t.Helper()
	path := filepath.Join(t.TempDir(), "idem.db")
	if err := fixtures.Generate(t.Context(), path, fixtures.Lab()); err != nil {
		t.Fatal(err)
	}
	return replayed(t, path, engine.DefaultPolicy())
}

// replayed is the day of an incident database.
func replayed(t *testing.T, path string, policy engine.Policy) Day {
	t.Helper()
	ctx := t.Context()
	in, err := analysis.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	dup, err := in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	player, err := replay.New(ctx, in, policy, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { player.Close() })
	if err := player.RunTo(ctx, math.MaxInt64, nil, nil); err != nil {
		t.Fatal(err)
	}
	res, err := player.Result(ctx, dup)
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := in.Evidence(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Day{Incident: in, Duplicates: dup, Result: res, DayDB: player.DayDB(), Evidence: evidence, Version: "test"}
}

func TestLabWritesAllFiles(t *testing.T) {
	r, err := Prepare(t.Context(), labDay(t))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := r.Write(t.Context(), t.TempDir(), Languages()...)
	if err != nil || len(paths) != 8 {
		t.Fatalf("wrote %q, %v", paths, err)
	}
}
