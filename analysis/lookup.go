package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"idem/engine/sqlitestore/sqlfile"
)

// ErrNotFound is the error of a look-up that finds no row.
var ErrNotFound = errors.New("no such row")

// Request gives the request with this seq, the first where there are several,
// with its position and its transfers. Error: ErrNotFound.
func (in *Incident) Request(ctx context.Context, seq int64) (Request, error) {
	t := &in.tables[requestTable]
	var r Request
	var names interner
	found := false
	sql := "SELECT " + t.requestSelect() + " FROM " + t.name + " WHERE " + t.seq.usable + " AND " + t.seq.value + " = ?1 ORDER BY " + t.seq.by + " LIMIT 1"
	if err := in.each(ctx, sql, func(s *sqlfile.Stmt) { r.read(s, &names, nil); found = true }, seq); err != nil {
		return r, err
	}
	if !found {
		return r, fmt.Errorf("request %d: %w", seq, ErrNotFound)
	}
	list := []Request{r}
	err := in.complete(ctx, list)
	return list[0], err
}

// RequestsOf gives every request of one scoped key, in seq order, with their
// transfers. Requests without a seq come last.
func (in *Incident) RequestsOf(ctx context.Context, scope Scope) ([]Request, error) {
	t := &in.tables[requestTable]
	if t.seq.usable != everyRow {
		return in.streamRequestsOf(ctx, scope)
	}
	parts, _, err := in.parts(ctx, t)
	if err != nil {
		return nil, err
	}
	found := make([][]Request, len(parts))
	err = in.scan(ctx, t, t.requestSelect(), parts, func(p part) (func(*sqlfile.Stmt), func()) {
		var names interner
		return func(s *sqlfile.Stmt) {
			if scope.holds(s) {
				var r Request
				r.read(s, &names, nil)
				found[p.number] = append(found[p.number], r)
			}
		}, func() {}
	})
	if err != nil {
		return nil, err
	}
	list := slices.Concat(found...)
	slices.SortStableFunc(list, func(a, b Request) int {
		return cmp.Compare(a.Seq, b.Seq)
	})
	return list, in.complete(ctx, list)
}

// streamRequestsOf is RequestsOf for a log in which rows may have one seq, or
// none. Which of them has the transfers, only a reading in order can tell.
func (in *Incident) streamRequestsOf(ctx context.Context, scope Scope) (list []Request, err error) {
	err = in.eachRequest(ctx, 1, func(r *Request) bool {
		if r.Key == scope.Key && r.ClientID == scope.ClientID && r.Endpoint == scope.Endpoint {
			mine := *r
			mine.Body = slices.Clone(r.Body)
			list = append(list, mine)
		}
		return true
	})
	return list, err
}

// holds reports whether the request s stands on lives in the scope.
func (o Scope) holds(s *sqlfile.Stmt) bool {
	key, _, ok := text(s, rKey)
	if !ok || string(key) != o.Key {
		return false
	}
	client, _, _ := text(s, rClient)
	endpoint, _, _ := text(s, rEndpoint)
	return string(client) == o.ClientID && string(endpoint) == o.Endpoint
}

// complete adds positions and transfers to requests that are in seq order.
func (in *Incident) complete(ctx context.Context, list []Request) error {
	wanted := make(map[int64][]TransferV1)
	n := int64(0)
	from := "1"
	t := &in.tables[requestTable]
	for i := range list {
		r := &list[i]
		wanted[r.Seq] = nil
		sql := "SELECT count(*) FROM " + t.name + " WHERE " + t.seq.usable + " AND " + from + " AND " + t.seq.value + " < ?1"
		if err := in.each(ctx, sql, func(s *sqlfile.Stmt) { n += s.Int(0) }, r.Seq); err != nil {
			return err
		}
		from = fmt.Sprintf("%s >= %d", t.seq.value, r.Seq)
		r.N = n + 1
	}
	if err := in.transfersBySeq(ctx, wanted); err != nil {
		return err
	}
	for i := range list {
		list[i].Transfers = wanted[list[i].Seq]
	}
	return nil
}

// transfersBySeq fills in the usable transfers of the wanted requests.
func (in *Incident) transfersBySeq(ctx context.Context, wanted map[int64][]TransferV1) error {
	var mu sync.Mutex
	var names interner
	err := in.readBySeq(ctx, slices.Sorted(maps.Keys(wanted)), func(s *sqlfile.Stmt) {
		var row transferRow
		if row.read(s); row.why == "" {
			mu.Lock()
			wanted[row.seq] = append(wanted[row.seq], row.transfer(s, &names))
			mu.Unlock()
		}
	})
	for _, list := range wanted {
		sortTransfers(list)
	}
	return err
}

// readBySeq gives take the transfers of each seq: by an index, by the order in
// which they lie, or else by one reading of the table. Then take is called
// from several goroutines.
func (in *Incident) readBySeq(ctx context.Context, seqs []int64, take func(*sqlfile.Stmt)) error {
	t := &in.tables[transferTable]
	by, err := in.orderBy(ctx, transferTable, tSeq)
	if err != nil || len(seqs) == 0 {
		return err
	}
	if t.seq.indexed || by == t.rowid {
		return in.seekSeqs(ctx, by, seqs, take)
	}
	parts, _, err := in.parts(ctx, t)
	if err != nil {
		return err
	}
	return in.scan(ctx, t, t.transferSelect(), parts, func(part) (func(*sqlfile.Stmt), func()) {
		return func(s *sqlfile.Stmt) {
			if seq, ok := integer(s, tSeq); ok {
				if _, ok := slices.BinarySearch(seqs, seq); ok {
					take(s)
				}
			}
		}, func() {}
	})
}

// seekSeqs reads a table that has its rows in seq order at no cost.
func (in *Incident) seekSeqs(ctx context.Context, by string, seqs []int64, take func(*sqlfile.Stmt)) error {
	db, err := in.connect()
	if err != nil {
		return err
	}
	defer db.Close()
	for _, seq := range seqs {
		s, err := in.transfersFrom(ctx, db, by, seq)
		if err != nil {
			return readError(in.path, err)
		}
		for s.Next() {
			if at, ok := integer(s, tSeq); ok && at > seq {
				break
			} else if ok && at == seq {
				take(s)
			}
		}
		if err := s.Close(); err != nil {
			return readError(in.path, err)
		}
	}
	return nil
}

// KeyTransfer is one transfer of a scoped key.
type KeyTransfer struct {
	TransferV1
	Number int // in the order they happened, from 1
}

// Kept reports whether the transfer is the one that was meant.
func (t KeyTransfer) Kept() bool { return t.Number == 1 }

// TransfersOf gives every usable transfer of one scoped key in the order that
// duplicates.sql gives them: number 1 is kept, the others are extra.
func (in *Incident) TransfersOf(ctx context.Context, scope Scope) ([]KeyTransfer, error) {
	requests, err := in.RequestsOf(ctx, scope)
	if err != nil {
		return nil, err
	}
	var list []KeyTransfer
	for _, r := range requests {
		for _, t := range r.Transfers {
			list = append(list, KeyTransfer{TransferV1: t})
		}
	}
	slices.SortStableFunc(list, func(a, b KeyTransfer) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	for i := range list {
		list[i].Number = i + 1
	}
	return list, nil
}
