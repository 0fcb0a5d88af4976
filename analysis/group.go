package analysis

import (
	"context"
	_ "embed"
	"fmt"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"idem/engine/sqlitestore/sqlfile"
)

//go:embed duplicates.sql
var duplicatesSQL string

//go:embed candidate.sql
var candidateSQL string

// readLate collects the transfers of keys that have several but only one
// request: that was not known while they went by. Where there is such a key,
// both tables are read once more for it.
func (f *finder) readLate(ctx context.Context) error {
	late := make(map[uint32]bool)
	for i := range f.transfers {
		for _, place := range f.transfers[i].late {
			request := &f.index[place]
			if request.key == alone {
				request.key = f.keys.number(request.hash)
				f.keys.seen(request.key, request.ns, request.timed)
			}
			late[request.key] = true
		}
		f.transfers[i].late = nil
	}
	if len(late) == 0 {
		return nil
	}
	return f.collectLate(ctx, late)
}

// candidates are the transfers of every key that has two or more.
func (f *finder) candidates() iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		for i := range f.transfers {
			list := f.transfers[i].candidates
			for j := range list {
				if f.keys.stats[list[j].key].transfers > 1 && !yield(&list[j]) {
					return
				}
			}
		}
	}
}

func (f *finder) collectLate(ctx context.Context, late map[uint32]bool) error {
	err := f.scanTransfers(ctx, func(p *transferPart, _ int, _ *hasher, s *sqlfile.Stmt) {
		var row transferRow
		row.read(s)
		if row.why != "" || !row.hasSeq {
			return
		}
		if request, ok := f.index.find(row.seq, &p.hint); ok && late[request.key] {
			f.collect(p, &row, request.key, s)
		}
	})
	if err != nil {
		return err
	}
	return f.rereadRequests(ctx, func(request *sent, s *sqlfile.Stmt) {
		if late[request.key] && f.keys.stats[request.key].scope == 0 {
			f.name(request.key, scopeAt(s))
		}
	})
}

// rereadRequests gives each request with a seq once more, one at a time.
func (f *finder) rereadRequests(ctx context.Context, do func(*sent, *sqlfile.Stmt)) error {
	t := &f.in.tables[requestTable]
	hint := 0
	sql := "SELECT " + t.list(rSeq, rReceived, rClient, rEndpoint, rKey) + " FROM " + t.name
	return f.in.each(ctx, sql, func(s *sqlfile.Stmt) {
		if seq, ok := integer(s, rSeq); ok {
			if request, ok := f.index.find(seq, &hint); ok {
				do(request, s)
			}
		}
	})
}

// group orders the transfers of each key by duplicatesSQL. The keys are shared
// out to as many databases in memory as there are scanners; each gives a sorted
// list of groups.
func (f *finder) group(ctx context.Context) error {
	shares := make([][]Group, scanners)
	g, ctx := errgroup.WithContext(ctx)
	for i := range shares {
		g.Go(func() (err error) {
			shares[i], err = f.groupShare(ctx, uint32(i))
			return err
		})
	}
	err := g.Wait()
	for i := range f.transfers {
		f.transfers[i].candidates = nil
	}
	f.groups = append(f.groups, shares...)
	return err
}

func (f *finder) groupShare(ctx context.Context, share uint32) ([]Group, error) {
	mine := f.share(share)
	db, err := sqlfile.Open(":memory:", sqlfile.Create)
	if err != nil {
		return nil, fmt.Errorf("order transfers: %w", err)
	}
	defer db.Close()
	if err := f.load(ctx, db, mine); err != nil {
		return nil, fmt.Errorf("order transfers: %w", err)
	}
	s, err := db.Query(ctx, duplicatesSQL)
	if err != nil {
		return nil, fmt.Errorf("order transfers: %w", err)
	}
	groups := make([]Group, 0, len(mine)/2)
	for err == nil && s.Next() {
		c := mine[s.Int(0)].candidate
		if s.Int(1) == 1 {
			groups = append(groups, f.newGroup(c))
			continue
		}
		err = groups[len(groups)-1].extend(c)
	}
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return groups, err
}

// share picks the candidates of one share of the keys and sorts them the way
// the table is sorted, so that each insert goes to its end.
func (f *finder) share(share uint32) []ranked {
	rank, keys := f.ranks(share)
	starts := make([]int, keys+1)
	for c := range f.candidates() {
		if s := f.scopeOf(c); s%scanners == share {
			starts[rank[s]+1]++
		}
	}
	for i := range keys {
		starts[i+1] += starts[i]
	}
	list := make([]ranked, starts[keys])
	free := slices.Clone(starts)
	for c := range f.candidates() {
		if s := f.scopeOf(c); s%scanners == share {
			list[free[rank[s]]] = ranked{c, rank[s]}
			free[rank[s]]++
		}
	}
	for i := range keys {
		slices.SortStableFunc(list[starts[i]:starts[i+1]], func(a, b ranked) int { return a.compare(b.candidate) })
	}
	return list
}

// ranked is a candidate with the rank of its scoped key in its share.
type ranked struct {
	*candidate
	scope int32
}

// ranks gives the scopes of a share their place in the order of their texts.
func (f *finder) ranks(share uint32) (rank []int32, n int) {
	var order []uint32
	for s := share; s < uint32(len(f.scopes)); s += scanners {
		order = append(order, s)
	}
	slices.SortFunc(order, func(a, b uint32) int { return f.scopes[a].compare(f.scopes[b]) })
	rank = make([]int32, len(f.scopes))
	for i, s := range order {
		rank[s] = int32(i)
	}
	return rank, len(order)
}

// scopeOf is the place of a candidate's scope in f.scopes.
func (f *finder) scopeOf(c *candidate) uint32 { return f.keys.stats[c.key].scope - 1 }

// load fills the table candidate; a row's number is its place in the list.
func (f *finder) load(ctx context.Context, db *sqlfile.DB, list []ranked) error {
	if err := db.Exec(ctx, candidateSQL+"BEGIN;"); err != nil {
		return err
	}
	s, err := db.Query(ctx, "INSERT INTO candidate VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer s.Close()
	for i, c := range list {
		s.BindInt(1, int64(c.scope))
		s.BindInt(2, c.created)
		s.BindInt(3, c.seq)
		s.BindText(4, c.id)
		s.BindInt(5, int64(i))
		if err := s.Run(); err != nil {
			return err
		}
	}
	return db.Exec(ctx, "COMMIT")
}

// merge joins sorted lists of groups into one.
func merge(shares [][]Group) []Group {
	n := 0
	for _, s := range shares {
		n += len(s)
	}
	all := make([]Group, 0, n)
	for len(all) < n {
		least := -1
		for i, s := range shares {
			if len(s) > 0 && (least < 0 || s[0].Scope.compare(shares[least][0].Scope) < 0) {
				least = i
			}
		}
		all = append(all, shares[least][0])
		shares[least] = shares[least][1:]
	}
	return all
}

func (f *finder) newGroup(c *candidate) Group {
	at := instant(c.created)
	return Group{
		Scope: f.scopes[f.scopeOf(c)], Requests: int64(f.keys.stats[c.key].rows),
		Kept: c.id, Transfers: 1, FirstAt: at, LastAt: at,
	}
}

// extend takes the next transfer of a group, which is an extra one.
func (g *Group) extend(c *candidate) error {
	g.LastAt = instant(c.created)
	if len(g.Extra) == 0 {
		g.Gap = g.LastAt.Sub(g.FirstAt)
	}
	g.Extra = append(g.Extra, c.id)
	g.Transfers++
	return g.Paid.Add(c.currency, c.amount)
}

// nameDifferences looks up the keys of the requests whose transfers have
// another one.
func (f *finder) nameDifferences(ctx context.Context) error {
	wanted := make(map[int64]string)
	for _, d := range f.out.KeyDiffers {
		wanted[d.Seq] = ""
	}
	if len(wanted) == 0 {
		return nil
	}
	found := make(map[int64]bool, len(wanted))
	t := &f.in.tables[requestTable]
	sql := "SELECT " + t.list(rSeq, rKey) + " FROM " + t.name
	err := f.in.each(ctx, sql, func(s *sqlfile.Stmt) {
		seq, ok := integer(s, 0)
		if _, is := wanted[seq]; ok && is && !found[seq] {
			wanted[seq], found[seq] = s.String(1), true
		}
	})
	for i := range f.out.KeyDiffers {
		f.out.KeyDiffers[i].Request = wanted[f.out.KeyDiffers[i].Seq]
	}
	return err
}
