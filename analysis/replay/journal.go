package replay

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore"
)

//go:embed journal.sql
var journalSchema string

// journal is what became of each request, kept in day.db beside the ledger and
// written in the same transactions. Steps that still run are held back until
// they end or somebody looks, so that most are written once.
type journal struct {
	db   *sqlitestore.Bulk
	held map[int64]*entry
	// takers are the lives that were taken over, and by which position; any other
	// life was begun by the position of its number.
	takers map[engine.Fence]int64
}

// entry is a step that is still to be written.
type entry struct {
	step   Step
	change any // delta's text, nil for a plain one
}

func newJournal(db *sqlitestore.Bulk) (*journal, error) {
	if err := db.Script(journalSchema); err != nil {
		return nil, fmt.Errorf("make the journal: %w", err)
	}
	return &journal{db: db, held: map[int64]*entry{}, takers: map[engine.Fence]int64{}}, nil
}

// keptEvery is how many steps lie between two kept states of the counters.
const keptEvery = 512

const stepColumns = `n, seq, at, class, status, reason, holder, prior, life, fence, attempt, expired,
	done, done_at, moved, currency, v1_count, v1_moved, v1_currency, extra, twin, src_engine, src_v1, dst_engine, dst_v1`

const insertStep = `INSERT INTO step (` + stepColumns + `, delta)
	VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`

// write journals a step, the ends of the earlier ones that it saw, and now and
// then the counters as they stand after it.
func (j *journal) write(sent *Sent, sums *Counters) error {
	e := &entry{step: sent.Step}
	if !isPlain(&sent.Step, &sent.Delta) {
		e.change = sent.Delta.encode()
	}
	err := j.add(e)
	for _, l := range sent.Late {
		if err == nil {
			err = j.end(l)
		}
	}
	for _, n := range sent.Extra {
		if err == nil {
			err = j.markExtra(n)
		}
	}
	if err == nil && sent.Step.N%keptEvery == 0 {
		err = j.keep(sent.Step.N, sums)
	}
	return err
}

func (j *journal) add(e *entry) error {
	if e.step.Class == Running {
		j.held[e.step.N] = e
		return nil
	}
	return j.insert(e)
}

func (j *journal) insert(e *entry) error {
	s := &e.step
	srcEngine, srcV1 := s.Src.columns()
	dstEngine, dstV1 := s.Dst.columns()
	err := j.db.Exec(insertStep, s.N, s.Seq, s.At.UnixNano(), int64(s.Class), int64(s.Status), s.Reason,
		s.Holder, s.prior, int64(s.Life), int64(s.Fence), int64(s.Attempt), number(s.Expired),
		s.Done, nanos(s.DoneAt), s.Moved, s.Currency, s.V1Count, s.V1Moved, s.V1Currency, number(s.extra), int64(s.Twin),
		srcEngine, srcV1, dstEngine, dstV1, e.change)
	if err != nil {
		return fmt.Errorf("journal step: %w", err)
	}
	return nil
}

// end journals how an earlier step's request ended. Its balances stay those
// after its own step.
func (j *journal) end(s *Step) error {
	if e := j.held[s.N]; e != nil {
		delete(j.held, s.N)
		ended := *s
		ended.Src, ended.Dst, ended.extra = e.step.Src, e.step.Dst, e.step.extra || s.extra
		e.step = ended
		return j.insert(e)
	}
	const q = `UPDATE step SET class=?, status=?, reason=?, done=?, done_at=?, moved=?, currency=?, extra=max(extra, ?) WHERE n=?`
	if err := j.db.Exec(q, int64(s.Class), int64(s.Status), s.Reason, s.Done, nanos(s.DoneAt), s.Moved, s.Currency, number(s.extra), s.N); err != nil {
		return fmt.Errorf("journal the end of step %d: %w", s.N, err)
	}
	return nil
}

// markExtra journals that a retry turned away was a duplicate after all.
func (j *journal) markExtra(n int64) error {
	if e := j.held[n]; e != nil {
		e.step.extra = true
		return nil
	}
	if err := j.db.Exec(`UPDATE step SET extra=1 WHERE n=?`, n); err != nil {
		return fmt.Errorf("mark step %d: %w", n, err)
	}
	return nil
}

func (j *journal) keep(n int64, sums *Counters) error {
	if err := j.db.Exec(`INSERT INTO kept (n, counters) VALUES (?, ?)`, n, sums.encode()); err != nil {
		return fmt.Errorf("keep counters: %w", err)
	}
	return nil
}

// settle writes what was held back, for those who look.
func (j *journal) settle() error {
	for _, n := range slices.Sorted(maps.Keys(j.held)) {
		if err := j.insert(j.held[n]); err != nil {
			return err
		}
		delete(j.held, n)
	}
	return nil
}

// began notes who took a life over. A life that is new has the number of its
// request, see [Player.send].
func (j *journal) began(life engine.Fence, n int64) {
	if int64(life) != n {
		j.takers[life] = n
	}
}

// holder is the position of the latest claim of a life.
func (j *journal) holder(life engine.Fence) (n int64, err error) {
	if n, taken := j.takers[life]; taken {
		return n, nil
	}
	return int64(life), nil
}

// claimedAt is when a life began: the time of its first claim.
func (j *journal) claimedAt(life engine.Fence) (time.Time, error) {
	var at int64
	if err := j.settle(); err != nil {
		return time.Time{}, err
	}
	if err := j.db.QueryRow(`SELECT at FROM step WHERE n = ?`, int64(life)).Scan(&at); err != nil {
		return time.Time{}, fmt.Errorf("find the claim of life %d: %w", life, err)
	}
	return time.Unix(0, at).UTC(), nil
}

// steps reads steps in a range of positions, both ends included, as they stand
// at the frontier.
func (j *journal) steps(ctx context.Context, from, to int64) (steps []Step, err error) {
	if err := j.settle(); err != nil {
		return nil, err
	}
	err = j.db.Query(ctx, `SELECT `+stepColumns+` FROM step WHERE n BETWEEN ? AND ? ORDER BY n`, []any{from, to},
		func(row sqlitestore.Row) error {
			s, err := scanStep(row)
			steps = append(steps, s)
			return err
		})
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	return steps, nil
}

func scanStep(row sqlitestore.Row) (s Step, err error) {
	var at, doneAt, class, status, life, fence, attempt, twin int64
	var srcEngine, srcV1, dstEngine, dstV1 any
	err = row.Scan(&s.N, &s.Seq, &at, &class, &status, &s.Reason, &s.Holder, &s.prior, &life, &fence, &attempt, &s.Expired,
		&s.Done, &doneAt, &s.Moved, &s.Currency, &s.V1Count, &s.V1Moved, &s.V1Currency, &s.extra, &twin,
		&srcEngine, &srcV1, &dstEngine, &dstV1)
	if err != nil {
		return s, err
	}
	s.At, s.Class, s.Status, s.Twin = time.Unix(0, at).UTC(), Class(class), int(status), Class(twin)
	s.Life, s.Fence, s.Attempt = engine.Fence(life), engine.Fence(fence), int(attempt)
	if s.Done != 0 {
		s.DoneAt = time.Unix(0, doneAt).UTC()
	}
	s.Src, s.Dst = balancesOf(srcEngine, srcV1), balancesOf(dstEngine, dstV1)
	return s, nil
}

func balancesOf(engine, v1 any) (b Balances) {
	b.Engine, b.Known = engine.(int64)
	b.V1, _ = v1.(int64)
	return b
}

// counters sums up to a position: the nearest kept state before it and the
// changes since.
func (j *journal) counters(ctx context.Context, n int64) (sums Counters, err error) {
	if err := j.settle(); err != nil {
		return sums, err
	}
	kept := n / keptEvery * keptEvery
	if kept > 0 {
		var text string
		if err := j.db.QueryRow(`SELECT counters FROM kept WHERE n = ?`, kept).Scan(&text); err != nil {
			return sums, fmt.Errorf("read kept counters: %w", err)
		}
		if sums, err = decodeCounters(text); err != nil {
			return sums, err
		}
	}
	err = j.db.Query(ctx, `SELECT delta, moved, currency, v1_moved, v1_currency FROM step WHERE n > ? AND n <= ? ORDER BY n`, []any{kept, n},
		func(row sqlitestore.Row) error { return addChange(row, &sums) })
	if err != nil {
		return sums, fmt.Errorf("read changes: %w", err)
	}
	return sums, nil
}

func addChange(row sqlitestore.Row, sums *Counters) error {
	var change any
	var s Step
	if err := row.Scan(&change, &s.Moved, &s.Currency, &s.V1Moved, &s.V1Currency); err != nil {
		return err
	}
	delta, err := plain(&s)
	if text, ok := change.(string); ok {
		delta, err = decodeCounters(text)
	}
	if err != nil {
		return err
	}
	return sums.add(&delta)
}

func (b *Balances) columns() (engine, v1 any) {
	if !b.Known {
		return nil, nil
	}
	return b.Engine, b.V1
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
