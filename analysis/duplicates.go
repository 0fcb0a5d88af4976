package analysis

import (
	"cmp"
	"context"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"idem/engine/sqlitestore/sqlfile"
)

const (
	// mostListed bounds each list of single rows; the counts are exact.
	mostListed = 10_000
	// passRows is how many requests one pass keeps in memory, at some 50 bytes
	// each. A longer day is read in several passes, each over a share of the keys.
	passRows = 4_000_000
)

// Duplicates finds the keys that moved money more than once.
//
// Both tables are streamed once to count what each scoped key did; only the
// keys with two transfers or more go to SQL, where ROW_NUMBER (duplicates.sql)
// decides which transfer was the first. progress, which may be nil, is told
// the rows read so far. Errors: a [*SumError], which names the
// transfer that it most likely comes from, ErrUnreadable, ctx's own.
func (in *Incident) Duplicates(ctx context.Context, progress func(done, total int64)) (*Duplicates, error) {
	d, err := in.duplicates(ctx, progress)
	return d, in.ExplainSum(ctx, err)
}

func (in *Incident) duplicates(ctx context.Context, progress func(done, total int64)) (*Duplicates, error) {
	f := &finder{in: in, out: &Duplicates{}, seeds: [3]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed(), maphash.MakeSeed()}}
	if err := f.plan(ctx, progress); err != nil {
		return nil, err
	}
	for f.pass = 0; f.pass < f.passes; f.pass++ {
		if err := f.run(ctx); err != nil {
			return nil, err
		}
	}
	if err := f.finish(ctx); err != nil {
		return nil, err
	}
	f.meter.finish()
	return f.out, nil
}

// finder is one run of the duplicate analysis.
type finder struct {
	in           *Incident
	out          *Duplicates
	seeds        [3]maphash.Seed
	meter        meter
	rows         int64 // of req_log, at most
	pass, passes int

	mu        sync.Mutex // guards what follows, down to spare, while requests are read
	seen      keyFilter
	keys      keyTable // of keys that occur again, and a few others
	scopes    []Scope  // texts of the keys that may have several transfers
	names     interner
	spare     []*batch
	requests  []requestPart
	index     seqIndex
	moved     marks // requests of the index that are alone under their key and moved money
	repeated  []BadRow
	repeats   int64 // requests whose seq another one had before; the first are in repeated
	transfers []transferPart
	groups    [][]Group // sorted lists, one for each share of each pass
}

// plan divides the tables into parts and the keys into passes.
func (f *finder) plan(ctx context.Context, progress func(done, total int64)) error {
	requests, rows, err := f.in.parts(ctx, &f.in.tables[requestTable])
	if err != nil {
		return err
	}
	transfers, moved, err := f.in.parts(ctx, &f.in.tables[transferTable])
	if err != nil {
		return err
	}
	f.requests = make([]requestPart, len(requests))
	for i := range requests {
		f.requests[i].part = requests[i]
	}
	f.transfers = make([]transferPart, len(transfers))
	for i := range transfers {
		f.transfers[i].part = transfers[i]
	}
	f.rows = rows
	f.passes = 1
	if f.in.tables[requestTable].seq.unique {
		// Of two requests with one seq the first has the transfers, which only
		// a pass over all of them can tell: such a log takes more memory.
		f.passes += int(rows / f.in.passRows)
	}
	f.meter = meter{tell: progress, total: (rows + moved) * int64(f.passes)}
	return nil
}

// run counts the keys of one pass and orders the transfers of the repeated ones.
func (f *finder) run(ctx context.Context) error {
	if f.pass == 0 {
		f.seen = newKeyFilter(f.rows / int64(f.passes))
		f.keys = newKeyTable(f.rows / int64(f.passes) / 16)
	}
	clear(f.seen)
	f.keys.clear()
	f.scopes = nil
	if err := f.readRequests(ctx); err != nil {
		return err
	}
	if f.pass == 0 {
		f.repeated, f.repeats = f.index.repeatedSeqs()
	}
	f.moved = newMarks(len(f.index))
	if err := f.readTransfers(ctx); err != nil {
		return err
	}
	if err := f.readLate(ctx); err != nil {
		return err
	}
	if f.pass == f.passes-1 {
		f.seen, f.index, f.moved, f.spare = nil, nil, nil, nil // the groups need their room
	}
	for i := range f.keys.stats {
		if s := &f.keys.stats[i]; s.first < s.last {
			f.out.LongestGap = max(f.out.LongestGap, time.Duration(s.last-s.first))
		}
	}
	return f.group(ctx)
}

// finish joins what the parts hold, in the order of the tables.
func (f *finder) finish(ctx context.Context) error {
	d := f.out
	d.Groups = merge(f.groups)
	for i := range f.requests {
		f.requests[i].addTo(d)
	}
	d.BadRequests += f.repeats
	d.list(f.repeated...)
	for i := range f.transfers {
		if err := f.transfers[i].addTo(d); err != nil {
			return err
		}
	}
	if err := f.nameDifferences(ctx); err != nil {
		return err
	}
	for i := range d.Groups {
		d.DuplicateKeys++
		d.ExtraTransfers += d.Groups[i].Transfers - 1
		if err := d.DoublePaid.AddAll(d.Groups[i].Paid); err != nil {
			return err
		}
	}
	return f.in.eachAccount(ctx, func(_ Account, bad *BadRow) {
		if bad != nil {
			d.BadAccounts++
			d.list(*bad)
		}
	})
}

func (d *Duplicates) list(bad ...BadRow) {
	d.Bad = append(d.Bad, bad[:min(len(bad), mostListed-len(d.Bad))]...)
}

func (s Scope) compare(o Scope) int {
	return cmp.Or(strings.Compare(s.Key, o.Key), strings.Compare(s.ClientID, o.ClientID), strings.Compare(s.Endpoint, o.Endpoint))
}

// name keeps the text of key n, which may turn out to have several transfers.
func (f *finder) name(n uint32, s Scope) {
	f.scopes = append(f.scopes, s)
	f.keys.stats[n].scope = uint32(len(f.scopes))
}

// scopeAt is the scope the request s stands on lives in.
func scopeAt(s *sqlfile.Stmt) Scope {
	client, _, _ := text(s, rClient)
	endpoint, _, _ := text(s, rEndpoint)
	return Scope{ClientID: string(client), Endpoint: string(endpoint), Key: s.String(rKey)}
}
