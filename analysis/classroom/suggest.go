package classroom

import (
	"context"
	"time"

	"idem/analysis/replay"
	"idem/engine"
)

// Suggestion is where in a day something can be injected to some effect.
type Suggestion struct {
	// Crash and Stall is the seq of the first request with a retry after the
	// lease, so that somebody takes its claim over; of one with any retry where
	// none comes so late; 0 where no request is sent twice.
	Crash int64
	// Gap is how long after it the retry comes: a lease has to be shorter for the
	// retry to take over.
	Gap time.Duration
	// Race is the seq of the first request that can pay; 0 where none can.
	Race int64
}

// attempt is the first send of an order under its key.
type attempt struct {
	seq  int64
	at   time.Time
	body engine.Fingerprint
}

// Suggest looks through a day for places to crash, stall or race at.
func Suggest(ctx context.Context, day replay.Source, policy engine.Policy) (s Suggestion, err error) {
	opening, err := replay.Open(ctx, day)
	if err != nil {
		return s, err
	}
	rows := replay.Read(ctx, day, policy)
	defer rows.Close()
	clock := replay.NewClock(opening)
	firsts := map[engine.ScopedKey]attempt{}
	for {
		batch, err := rows.Batch()
		if err != nil || len(batch) == 0 {
			return s, err
		}
		for i := range batch {
			if s.look(firsts, &batch[i], clock.Arrive(&batch[i]), policy) {
				return s, nil
			}
		}
	}
}

// look takes in one row, and reports whether nothing better can come.
func (s *Suggestion) look(firsts map[engine.ScopedKey]attempt, r *replay.Row, now time.Time, p engine.Policy) bool {
	body, known := r.Fingerprint(p.Fingerprint)
	if _, pays := r.Order(); !pays || !known {
		return false
	}
	if s.Race == 0 {
		s.Race = r.Seq()
	}
	key := r.ScopedKey(p)
	first, seen := firsts[key]
	if !seen {
		firsts[key] = attempt{r.Seq(), now, body}
		return false
	}
	gap := now.Sub(first.at)
	if first.body != body || gap >= p.Retention {
		return false
	}
	if s.Crash == 0 || gap >= p.Lease {
		s.Crash, s.Gap = first.seq, gap
	}
	return gap >= p.Lease
}
