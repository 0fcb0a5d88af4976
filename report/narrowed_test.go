package report

import (
	"strings"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/fixtures/dayfile"
)

// parted is a part of an incident, replayed and checked against its own ledger.
func parted(t *testing.T, path string, x analysis.Filter) (*Report, replay.Result, map[int64]replay.Class) {
	t.Helper()
	in, err := analysis.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	part, err := in.Narrow(t.Context(), x, analysis.TempDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { part.Close() })
	day := replayedFrom(t, part, engine.DefaultPolicy(), replay.Options{})
	db, err := openDay(day.DayDB)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	classes := map[int64]replay.Class{}
	err = eachStep(t.Context(), db, part, func(r *analysis.Request, s *step) error {
		classes[r.Seq] = s.class
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return prepared(t, day), day.Result, classes
}

// Each request of a part has the outcome that it has in the whole; the parts of
// all clients come to the whole; each reconciles, and says that it is a part.
func TestPartsReconcile(t *testing.T) {
	path := dayfile.Lab(t)
	_, whole, outcomes := parted(t, path, analysis.Filter{})
	var requests int64
	var v1, moved, stopped analysis.Money
	at := func(hour int) time.Time { return time.Date(2026, 3, 10, hour, 0, 0, 0, time.UTC) }
	for _, x := range []analysis.Filter{
		{Client: "shop-1"}, {Client: "shop-2"}, {Client: "shop-3"}, {Client: "shop-4"},
		{From: at(11), To: at(13)}, {To: at(12)}, {From: at(12), Client: "shop-4"}, {Account: "acc-01"}, {Client: "nobody"},
	} {
		r, res, classes := parted(t, path, x)
		for seq, class := range classes {
			if outcomes[seq] != class {
				t.Errorf("%+v: request %d is %s, in the whole %s", x, seq, class, outcomes[seq])
			}
		}
		avoided, err := res.Avoided()
		if err != nil || avoided.Of("KRW") != res.Stopped.Of("KRW") {
			t.Errorf("%+v: avoided %v, stopped %v, %v", x, avoided, res.Stopped, err)
		}
		text, err := r.Markdown(English)
		if err != nil || !strings.Contains(string(text), "about a part of the day") {
			t.Errorf("%+v: the report does not say that it is about a part, %v", x, err)
		}
		if x == (analysis.Filter{Client: x.Client}) {
			requests += res.Requests
			for to, sum := range map[*analysis.Money]analysis.Money{&v1: res.V1Total, &moved: res.Transferred, &stopped: res.Stopped} {
				if err := to.AddAll(sum); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if requests != whole.Requests || v1.Of("KRW") != whole.V1Total.Of("KRW") || moved.Of("KRW") != whole.Transferred.Of("KRW") || stopped.Of("KRW") != whole.Stopped.Of("KRW") {
		t.Errorf("the parts come to %d requests, %v of %v, %v stopped; the whole is %+v", requests, moved, v1, stopped, whole.Counters)
	}
}
