package findings

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"idem/analysis"
)

// Result is what was found in an incident.
type Result struct {
	Findings []Finding          // those that accuse transfers first, the surest and costliest of them first
	Narrowed analysis.Narrowing // to which part of the incident; zero for all of it
	Totals   Totals
	ByClient []Sum // by client_id, the most extra transfers first
	ByPayee  []Sum // by the account that was paid
	// Unlisted counts findings that accuse nobody, by their class, beyond those
	// that are listed. They are counted in all of the incident.
	Unlisted map[Class]int64
}

// Find looks for transfers that are too many, and says why. The database is read
// once into hashes of some 190 bytes a row, which go into a temporary file where
// they are many; candidates are found among those that occur again, and only what
// is found is read again. Of a part of an incident it tells the findings that the
// part's filter holds, but looks in all of it: a part narrows what is told, never
// what is known, and a retry after the end of a span is found all the same.
// progress, which may be nil, is told the rows read. Errors:
// analysis.ErrUnreadable, analysis.ErrOverflow, ctx's own.
func Find(ctx context.Context, in *analysis.Incident, progress func(done, total int64)) (*Result, error) {
	return find(ctx, in, progress, heldRows, blockRows)
}

// find holds so many rows in memory before it puts them aside, in blocks of so many.
func find(ctx context.Context, in *analysis.Incident, progress func(done, total int64), held, block int) (*Result, error) {
	log, ledger := &spool[request]{held: held, block: block}, &spool[booked]{held: held, block: block}
	defer log.close()
	defer ledger.close()
	f := &finder{facts: &facts{in: in.Whole(), seed: maphash.MakeSeed(), log: log, ledger: ledger}, accused: map[uint64]bool{}}
	f.meter = meterOf(progress)
	if err := f.read(ctx); err != nil {
		return nil, err
	}
	f.claimed = make([]bool, len(f.transfers))
	f.byKey()
	if err := f.byPayment(); err != nil {
		return nil, err
	}
	f.units()
	f.byLog()
	f.lookAlikes()
	log.close()
	ledger.close()
	return f.result(ctx, in.Narrowing())
}

// meterOf adds up the rows of parts that are read side by side.
func meterOf(progress func(done, total int64)) func(int64) {
	if progress == nil {
		return nil
	}
	var done counter
	return func(rows int64) { progress(done.add(rows), 0) }
}

// read fills the facts.
func (f *finder) read(ctx context.Context) error {
	if err := f.readRequests(ctx); err != nil {
		return err
	}
	if err := f.readTransfers(ctx); err != nil {
		return err
	}
	if err := f.pick(); err != nil {
		return err
	}
	f.classify()
	for i := range f.transfers {
		if r := f.transfers[i].request; r >= 0 {
			f.requests[r].moved++
		}
	}
	return f.adopt(ctx)
}

// result reads the rows of what was found and sums it up.
func (f *finder) result(ctx context.Context, narrowed analysis.Narrowing) (*Result, error) {
	r := &Result{Narrowed: narrowed, Unlisted: map[Class]int64{}}
	drafts := f.drafts
	for i := range f.quiet {
		q := &f.quiet[i]
		drafts = append(drafts, q.drafts...)
		if rest := q.count - int64(len(q.drafts)); rest > 0 && len(q.drafts) == mostQuiet {
			r.Unlisted[q.drafts[0].class] = rest
		}
	}
	f.sort(drafts)
	b := newBuilder(f, drafts)
	f.facts, f.drafts, f.sends, f.alikes, f.claimed = nil, nil, nil, nil, nil // the rows need their room
	list, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	r.Findings = slices.DeleteFunc(list, func(f Finding) bool { return !f.holds(&narrowed.Filter) })
	for i := range r.Findings {
		r.Findings[i].refine()
	}
	return r, r.sumUp()
}

// sort puts drafts in the order in which a person wants to see them: what
// accuses first, then the surest, then by time.
func (f *finder) sort(drafts []*draft) {
	type ranked struct {
		rank    int
		at, seq int64
		draft   *draft
	}
	list := make([]ranked, len(drafts))
	for i, d := range drafts {
		r := &f.requests[d.sends[0]]
		list[i] = ranked{d.rank(), r.at, r.seq, d}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		switch {
		case a.rank != b.rank:
			return cmp.Compare(a.rank, b.rank)
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		case a.seq != b.seq:
			return cmp.Compare(a.seq, b.seq)
		}
		// Findings that begin with one request.
		x, y := a.draft, b.draft
		return cmp.Or(strings.Compare(string(x.class), string(y.class)),
			f.sentBefore(x.sends[0], y.sends[0]), f.sentBefore(x.sends[len(x.sends)-1], y.sends[len(y.sends)-1]), f.firstBefore(x, y))
	})
	for i := range list {
		drafts[i] = list[i].draft
	}
}

func (d *draft) rank() int {
	rank := 3 * int(Certain-d.confidence)
	switch {
	case len(d.extra) > 0:
		return rank
	case len(d.disputed) > 0:
		return rank + 1
	}
	return 3*int(Certain) + rank
}

// firstBefore compares the first transfers of two drafts.
func (f *finder) firstBefore(x, y *draft) int {
	a, b := x.transfers(), y.transfers()
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(a), len(b))
	}
	return f.before(a[0], b[0])
}
