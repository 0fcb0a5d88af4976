package analysis

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"idem/engine/sqlitestore/sqlfile"
)

// excerpt copies a part of an incident: see [Incident.Narrow]. Both tables are
// read twice, first to learn which rows belong together and what each lot has
// met, then to copy those that pass. It keeps some 60 bytes a request.
type excerpt struct {
	in    *Incident
	db    *sqlfile.DB // the copy
	x     Filter
	lots  []lot
	keyed map[keyHash]int32 // lots of scoped keys
	sent  []int32           // the lot of each request, in the order in which they are read
	seqs  []seqLot          // sorted by seq
	moved []int32           // the lot of each transfer, likewise; none is hidden
	begin int64             // when the part's first row came
	bring map[string]int64  // what hidden transfers add to the balance of an account
	n     Narrowing
}

// lot is rows that are not parted.
type lot struct {
	met   Conditions
	first int64 // when the first of its rows came, nanoseconds since 1970
	with  int32 // the lot that it was joined to, or itself
}

// seqLot is the lot of the first request of a seq.
type seqLot struct {
	seq int64
	lot int32
}

// none is the lot of a transfer that is in no part.
const none int32 = -1

func newExcerpt(in *Incident, db *sqlfile.DB, x Filter) *excerpt {
	return &excerpt{in: in, db: db, x: x, keyed: map[keyHash]int32{}, begin: math.MaxInt64, bring: map[string]int64{}, n: Narrowing{Filter: x}}
}

func (e *excerpt) narrowing() Narrowing { return e.n }

func (e *excerpt) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{e.readRequests, e.readTransfers, e.copyRequests, e.copyTransfers, e.copyAccounts} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readRequests puts each request into its lot.
func (e *excerpt) readRequests(ctx context.Context) error {
	seeds := [3]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed(), maphash.MakeSeed()}
	h := &hasher{seeds: &seeds}
	err := e.each(ctx, requestTable, func(s *sqlfile.Stmt, _ int) error {
		client, _, _ := text(s, rClient)
		endpoint, _, _ := text(s, rEndpoint)
		n := int32(len(e.lots))
		if key, _, ok := text(s, rKey); ok && !blank(string(key)) {
			n = e.lotOf(h.scope(client, endpoint, key))
		} else {
			e.newLot()
		}
		l := &e.lots[n]
		var when time.Time
		if at, timed := received(s, rReceived); timed {
			when, l.first = instant(at), min(l.first, at)
		}
		l.met |= e.x.Sent(when, string(client), string(endpoint)) | e.x.asks(s.Bytes(rBody))
		if seq, ok := integer(s, rSeq); ok {
			e.seqs = append(e.seqs, seqLot{seq, n})
		}
		e.sent = append(e.sent, n)
		return nil
	})
	if bySeq := func(i, j int) bool { return e.seqs[i].seq < e.seqs[j].seq }; !sort.SliceIsSorted(e.seqs, bySeq) {
		sort.SliceStable(e.seqs, bySeq)
	}
	e.joinSeqs()
	return err
}

func (e *excerpt) lotOf(key keyHash) int32 {
	n, known := e.keyed[key]
	if !known {
		n = e.newLot()
		e.keyed[key] = n
	}
	return n
}

func (e *excerpt) newLot() int32 {
	n := int32(len(e.lots))
	e.lots = append(e.lots, lot{met: e.x.Unasked(), first: math.MaxInt64, with: n})
	return n
}

// whole is the lot that a lot was joined to.
func (e *excerpt) whole(n int32) *lot {
	for e.lots[n].with != n {
		n = e.lots[n].with
	}
	return &e.lots[n]
}

// joinSeqs joins the lots of requests that have one seq: that it occurs more
// than once is why only the first of them can be used.
func (e *excerpt) joinSeqs() {
	for i := 1; i < len(e.seqs); i++ {
		if e.seqs[i].seq != e.seqs[i-1].seq {
			continue
		}
		a, b := e.whole(e.seqs[i-1].lot), e.whole(e.seqs[i].lot)
		a.met, a.first = a.met|b.met, min(a.first, b.first)
		b.with = a.with
	}
}

// readTransfers puts each transfer into the lot of its request. One that has
// none makes a lot of its own, unless it cannot be used.
func (e *excerpt) readTransfers(ctx context.Context) error {
	err := e.each(ctx, transferTable, func(s *sqlfile.Stmt, _ int) error {
		var row transferRow
		row.read(s)
		n := e.causedBy(&row)
		if n == none && row.why == "" {
			n = e.newLot()
		}
		e.moved = append(e.moved, n)
		if n == none || row.why != "" {
			return nil
		}
		l := e.whole(n)
		l.first = min(l.first, row.created)
		l.met |= e.x.Moved(instant(row.created), cellText(s, tSrc), cellText(s, tDst))
		return nil
	})
	for i := range e.lots {
		if l := e.whole(int32(i)); l.met.All() {
			e.begin = min(e.begin, l.first)
		}
	}
	return err
}

func (e *excerpt) causedBy(row *transferRow) int32 {
	if !row.hasSeq {
		return none
	}
	i, ok := slices.BinarySearchFunc(e.seqs, row.seq, func(s seqLot, seq int64) int {
		switch {
		case s.seq < seq:
			return -1
		case s.seq > seq:
			return 1
		}
		return 0
	})
	if !ok {
		return none
	}
	return e.seqs[i].lot
}

func (e *excerpt) copyRequests(ctx context.Context) error {
	return e.copy(ctx, requestTable, rSeq, func(_ *sqlfile.Stmt, i int) (bool, error) {
		return e.count(e.whole(e.sent[i]).met.All(), &e.n.Requests, &e.n.HiddenRequests), nil
	})
}

func (e *excerpt) copyTransfers(ctx context.Context) error {
	return e.copy(ctx, transferTable, tSeq, func(s *sqlfile.Stmt, i int) (bool, error) {
		n := e.moved[i]
		if e.count(n != none && e.whole(n).met.All(), &e.n.Transfers, &e.n.HiddenTransfers) {
			return true, nil
		}
		var row transferRow
		if row.read(s); row.why != "" {
			return false, nil
		}
		return false, e.hide(&row, cellText(s, tSrc), cellText(s, tDst))
	})
}

func (e *excerpt) count(in bool, kept, hidden *int64) bool {
	if in {
		*kept++
	} else {
		*hidden++
	}
	return in
}

// hide keeps what a hidden transfer means for the balances that the part begins
// with.
func (e *excerpt) hide(row *transferRow, src, dst string) (err error) {
	if row.created < e.begin {
		if e.bring[src], err = added(e.bring[src], -row.amount); err != nil {
			return err
		}
	}
	e.bring[dst], err = added(e.bring[dst], row.amount)
	return err
}

// cellText is cell i where it is a text or an integer, else "".
func cellText(s *sqlfile.Stmt, i int) string {
	b, _, _ := text(s, i)
	return string(b)
}

// added is a checked sum.
func added(a, b int64) (int64, error) {
	if sum := a + b; (sum > a) == (b > 0) {
		return sum, nil
	}
	return 0, fmt.Errorf("a balance at the start of the part: %w", ErrOverflow)
}

// copyAccounts gives each account the balance that the part begins with.
func (e *excerpt) copyAccounts(ctx context.Context) error {
	const id, balance = 0, 2
	c, err := e.copier(ctx, accountTable, -1)
	if err != nil {
		return err
	}
	defer c.insert.Close()
	return e.each(ctx, accountTable, func(s *sqlfile.Stmt, _ int) error {
		c.bind(s)
		if opening, ok := integer(s, balance); ok {
			sum, err := added(opening, e.bring[cellText(s, id)])
			if err != nil {
				return err
			}
			c.insert.BindInt(c.column(e.in.tables[accountTable].columns[balance]), sum)
		}
		return c.insert.Run()
	})
}

// copy copies those rows of a table that keep names.
func (e *excerpt) copy(ctx context.Context, number, seq int, keep func(s *sqlfile.Stmt, i int) (bool, error)) error {
	c, err := e.copier(ctx, number, seq)
	if err != nil {
		return err
	}
	defer c.insert.Close()
	return e.each(ctx, number, func(s *sqlfile.Stmt, i int) error {
		kept, err := keep(s, i)
		if err != nil || !kept {
			return err
		}
		c.bind(s)
		return c.insert.Run()
	})
}

// each reads a table: the columns of Schema, then the row id, then all columns
// that there are. It does so in the same order each time.
func (e *excerpt) each(ctx context.Context, number int, row func(s *sqlfile.Stmt, i int) error) error {
	t := &e.in.tables[number]
	all, err := e.in.allColumns(ctx, t)
	if err != nil {
		return err
	}
	sql := "SELECT " + strings.Join(t.columns, ", ") + ", " + t.rowidOrNull() + ", " + strings.Join(all, ", ") + " FROM " + t.name
	i := -1
	var failed error
	err = e.in.each(ctx, sql, func(s *sqlfile.Stmt) {
		if i++; failed == nil {
			failed = row(s, i)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// allColumns are the columns of a table in the file, quoted.
func (in *Incident) allColumns(ctx context.Context, t *table) ([]string, error) {
	db, err := in.connect()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	list, err := names(ctx, db, "SELECT name FROM pragma_table_xinfo("+literal(t.bare)+")")
	for i := range list {
		list[i] = quote(list[i])
	}
	return list, readError(in.path, err)
}
