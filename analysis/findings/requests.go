package findings

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"

	"idem/analysis"
)

// readRequests fills log.
func (d *facts) readRequests(ctx context.Context) error {
	d.log.see = d.noteRequests
	err := d.in.WalkRequests(ctx, analysis.Walk[analysis.RequestRow]{
		Extra:    requestExtra,
		Progress: d.meter,
		Plan: func(rows []int64, all int64) {
			d.log.plan(len(rows))
			d.keys, d.refs, d.failed = newRecurring(all), newRecurring(all), newSieve(all/8)
		},
		Part: func(n int) func(*analysis.RequestRow) {
			r := d.requestReader()
			return func(row *analysis.RequestRow) { d.log.add(n, r.read(row)) }
		},
	})
	if err != nil {
		return err
	}
	if err := d.log.finish(); err != nil {
		return err
	}
	for i := 1; i < len(d.log.blocks); i++ {
		d.unordered = d.unordered || d.log.blocks[i].first.seq <= d.log.blocks[i-1].last.seq
	}
	return nil
}

func sortRequests(list []request) {
	order := func(a, b request) int {
		if a.is(inLog) != b.is(inLog) {
			if a.is(inLog) {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.place, b.place))
	}
	if !slices.IsSortedFunc(list, order) {
		slices.SortFunc(list, order)
	}
}

// requestReader reads rows of one part.
type requestReader struct {
	facts *facts
	names nameCache
	body  bodyReader
	buf   []byte
}

func (d *facts) requestReader() *requestReader {
	return &requestReader{facts: d, names: d.names.cache(), body: bodyReader{seed: d.seed}}
}

func (d *facts) hash(text []byte) uint64 {
	if len(text) == 0 {
		return 0
	}
	return maphash.Bytes(d.seed, text) | 1 // never 0, which is nothing
}

func (q *requestReader) read(row *analysis.RequestRow) request {
	d := q.facts
	r := request{place: row.Place, seq: row.Seq, at: row.At, duration: -1, status: int16(min(row.Status, math.MaxInt16)),
		client: q.names.number(row.Client), endpoint: q.names.number(row.Endpoint), node: q.names.number(row.Node)}
	if row.Duration >= 0 {
		r.duration = int32(min(row.Duration, math.MaxInt32))
	}
	if row.Timed {
		r.flags |= timed
	}
	if row.HasSeq {
		r.flags |= inLog
	}
	if isRetry(row.Extra[xRetry]) {
		r.flags |= retried
	}
	if row.Attempts > 1 {
		r.flags |= resent
	}
	body := q.body.read(row.Body)
	key, ref := orText(row.Extra[xBodyKey], body.key), orText(row.Extra[xReference], body.ref)
	r.body, r.asked = body.content, body.asked
	r.key, r.bodyKey, r.ref = d.hash(normalKey(row.Key, &q.buf)), d.hash(normalKey(key, &q.buf)), d.hash(ref)
	if r.key == 0 && r.bodyKey != 0 {
		r.key, r.flags = r.bodyKey, r.flags|ownKey
		if !body.strong {
			r.flags |= weakKey
		}
	}
	if bytes.ContainsAny(ref, "0123456789") {
		r.flags |= digits
	}
	return r
}

// isRetry reads a header that counts attempts: none, "0" and "1" of those that
// count from 1 say nothing.
func isRetry(header []byte) bool {
	return len(header) > 0 && string(header) != "0" && string(header) != "1"
}

func orText(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}
