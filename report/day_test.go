package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures/dayfile"
)

// labDay is the lab's day, replayed under the default policy.
func labDay(t *testing.T) Day {
	t.Helper()
	path := dayfile.Lab(t)
	return replayed(t, path, engine.DefaultPolicy(), replay.Options{})
}

// hostileKey holds all that breaks tables, headings, terminals and JSON.
const hostileKey = "a|b\n## c\r`<b>` [x](http://evil.example) \x1b[31m \u202e\u2028\u0085 \\| ![i](j) www.evil.example"

// hostileDay is a day with two currencies and one of everything that a report
// tells: a hostile key, look-alikes, a mismatch, requests without a key, a
// transfer without a request, rows that cannot be used, a clock that goes back.
func hostileDay(t *testing.T) Day {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile ?#%.db")
	sql, err := os.ReadFile("testdata/hostile.sql")
	if err != nil {
		t.Fatal(err)
	}
	db := writable(t, path, sqlfile.Create)
	execute(t, db, string(sql))
	stmt, err := db.Query(t.Context(), "UPDATE req_log SET idem_key = ?1 WHERE idem_key = 'HOSTILE'")
	if err != nil {
		t.Fatal(err)
	}
	stmt.BindText(1, hostileKey)
	if err := stmt.Run(); err != nil {
		t.Fatal(err)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	db.Close()
	policy := engine.DefaultPolicy()
	policy.Retention = policy.Lease + 1
	return replayed(t, path, policy, replay.Options{})
}

func writable(t *testing.T, path string, mode sqlfile.Mode) *sqlfile.DB {
	t.Helper()
	db, err := sqlfile.Open(sqlfile.URI(path), mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sqlfile.DB, sql string) {
	t.Helper()
	if err := db.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// replayed is the day of an incident database.
func replayed(t *testing.T, path string, policy engine.Policy, o replay.Options) Day {
	t.Helper()
	in, err := analysis.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return replayedFrom(t, in, policy, o)
}

func replayedFrom(t *testing.T, in *analysis.Incident, policy engine.Policy, o replay.Options) Day {
	t.Helper()
	ctx := t.Context()
	dup, err := in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	player, err := replay.NewWith(ctx, in, policy, t.TempDir(), o)
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

func prepared(t *testing.T, day Day) *Report {
	t.Helper()
	r, err := Prepare(t.Context(), day)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
