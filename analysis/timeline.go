package analysis

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"idem/engine/sqlitestore/sqlfile"
)

// Timeline counts the requests of a day over time.
type Timeline struct {
	Start    time.Time     // of the first bucket, UTC: the earliest received_at
	Width    time.Duration // of each bucket; 0 when no time is readable
	Requests []int64       // by bucket
	Retries  []int64       // those among them whose scoped key an earlier row, by seq, had sent
	Untimed  int64         // rows in no bucket, as their received_at cannot be read
}

// Timeline counts requests and retries in so many buckets, one at least. It
// reads req_log twice or more, and keeps some 60 bytes for each scoped key.
func (in *Incident) Timeline(ctx context.Context, buckets int) (Timeline, error) {
	tl := Timeline{Requests: make([]int64, max(buckets, 1)), Retries: make([]int64, max(buckets, 1))}
	rows, err := in.frame(ctx, &tl)
	if err != nil || tl.Width == 0 {
		return tl, err
	}
	by, err := in.orderBy(ctx, requestTable, rSeq)
	if err != nil {
		return tl, err
	}
	passes := int(rows/in.passRows) + 1
	seeds := [3]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed(), maphash.MakeSeed()}
	for pass := range passes {
		t := timer{tl: &tl, h: hasher{seeds: &seeds}, keys: newKeyTable(rows / int64(passes)), pass: pass, passes: passes}
		r := &in.tables[requestTable]
		columns := r.list(rSeq, rReceived, rClient, rEndpoint, rKey)
		for _, rest := range []string{r.seq.usable + " ORDER BY " + by, r.seqless()} {
			sql := fmt.Sprintf("SELECT %s FROM %s WHERE %s", columns, r.name, rest)
			if err := in.each(ctx, sql, t.row); err != nil {
				return tl, err
			}
		}
	}
	return tl, nil
}

// frame finds the first and last time, and with them the width of a bucket.
func (in *Incident) frame(ctx context.Context, tl *Timeline) (rows int64, err error) {
	var first, last int64
	t := &in.tables[requestTable]
	err = in.each(ctx, "SELECT "+t.columns[rReceived]+" FROM "+t.name, func(s *sqlfile.Stmt) {
		ns, ok := received(s, 0)
		switch {
		case !ok:
			tl.Untimed++
			return
		case rows == 0:
			first, last = ns, ns
		}
		rows++
		first, last = min(first, ns), max(last, ns)
	})
	if rows > 0 {
		tl.Start = instant(first)
		// The last row falls into the last bucket, not behind it.
		tl.Width = time.Duration((uint64(last)-uint64(first))/uint64(len(tl.Requests)) + 1)
	}
	return rows, err
}

// received is column i of s as an instant.
func received(s *sqlfile.Stmt, i int) (int64, bool) {
	if s.Type(i) != sqlfile.Text {
		return 0, false
	}
	return parseInstant(s.Bytes(i))
}

// timer counts rows into the buckets of a timeline.
type timer struct {
	tl           *Timeline
	h            hasher
	keys         keyTable
	pass, passes int
}

func (t *timer) row(s *sqlfile.Stmt) {
	ns, timed := received(s, rReceived)
	bucket := 0
	if timed {
		bucket = int((uint64(ns) - uint64(t.tl.Start.UnixNano())) / uint64(t.tl.Width))
	}
	if timed && t.pass == 0 {
		t.tl.Requests[bucket]++
	}
	key, _, ok := text(s, rKey)
	if !ok || len(bytes.TrimSpace(key)) == 0 {
		return
	}
	client, _, _ := text(s, rClient)
	endpoint, _, _ := text(s, rEndpoint)
	hash := t.h.scope(client, endpoint, key)
	if int(hash[1]%uint64(t.passes)) != t.pass {
		return
	}
	n := t.keys.number(hash)
	t.keys.seen(n, ns, timed)
	if timed && t.keys.stats[n].rows > 1 {
		t.tl.Retries[bucket]++
	}
}
