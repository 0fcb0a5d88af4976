package analysis

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"idem/engine/sqlitestore/sqlfile"
)

// Numbers that stand for no key.
const (
	noKey     = math.MaxUint32 - iota // NULL, empty or blank
	badKey                            // neither text nor integer
	otherPass                         // counted in another pass
	pending                           // not looked up yet
	alone                             // of a request whose key no other one has
)

// sent is a request by its seq: which key it carried.
type sent struct {
	seq   int64
	raw   uint64  // hash of the key alone
	hash  keyHash // of the key in its scope
	ns    int64   // received_at, nanoseconds since 1970, valid when timed
	key   uint32
	timed bool
	bad   bool // listed as a bad row
}

// requestPart is what one part of req_log held.
type requestPart struct {
	part
	sent        []sent
	seqless     []sent // those with a key but no seq, which no transfer can name
	rows        int64
	keyless     int64
	bad         []BadRow
	badCount    int64
	first, last int64 // received_at, valid when timed
	timed       bool
	batch       *batch
}

// batch is a number of rows whose keys were not yet looked at. That is done with
// all of them, so that the scanners seldom wait for each other.
type batch struct {
	rows []batchRow
	text []byte // client, endpoint and key of each row, joined
}

type batchRow struct {
	hash             keyHash
	text             int // where its text begins
	client, endpoint int // lengths
	key              int
}

// A batch is full at so many rows or bytes of text.
const (
	batchRows  = 8192
	batchBytes = 1 << 20
)

func (f *finder) readRequests(ctx context.Context) error {
	t := &f.in.tables[requestTable]
	parts, room := f.layOut()
	columns := t.list(rSeq, rReceived, rClient, rEndpoint, rKey, rBody)
	err := f.in.scan(ctx, t, columns, parts, func(p part) (func(*sqlfile.Stmt), func()) {
		r := &f.requests[p.number]
		r.batch = f.borrow()
		h := &hasher{seeds: &f.seeds}
		rows := int64(0)
		row := func(s *sqlfile.Stmt) {
			rows++
			f.readRequest(r, h, s)
		}
		return row, func() {
			f.flush(r)
			f.giveBack(r.batch)
			f.meter.add(rows)
		}
	})
	f.index = newSeqIndex(room, f.requests)
	if err == nil {
		f.countKeys()
	}
	return err
}

// countKeys counts the rows of the keys that occur again, and the keys.
func (f *finder) countKeys() {
	single := int64(0)
	count := func(list []sent) {
		for i := range list {
			s := &list[i]
			if s.key != pending {
				continue
			}
			n, again := f.keys.find(s.hash)
			if !again {
				s.key = alone
				single++
				continue
			}
			s.key = n
			f.keys.seen(n, s.ns, s.timed)
		}
	}
	count(f.index)
	for i := range f.requests {
		count(f.requests[i].seqless)
		f.requests[i].seqless = nil
	}
	f.out.UniqueKeys += single + int64(len(f.keys.stats))
}

// layOut gives the parts of the log, and room for what is kept of their rows.
// In a single pass the row ids bound the rows of a part, so that all parts can
// fill one array; where they do not, a part grows an array of its own.
func (f *finder) layOut() ([]part, seqIndex) {
	room := f.index[:0]
	if f.pass == 0 {
		room = make(seqIndex, 0, f.rows/int64(f.passes))
	}
	used := 0
	parts := make([]part, len(f.requests))
	for i := range f.requests {
		p := &f.requests[i]
		parts[i] = p.part
		if f.passes == 1 {
			n := int(min(p.high-p.low+1, int64(cap(room)-used)))
			p.sent = room[used : used : used+n]
			used += n
		}
	}
	return parts, room
}

func (f *finder) borrow() *batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.spare) - 1; n >= 0 {
		b := f.spare[n]
		f.spare = f.spare[:n]
		return b
	}
	return &batch{rows: make([]batchRow, 0, batchRows)}
}

func (f *finder) giveBack(b *batch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spare = append(f.spare, b)
}

func (f *finder) readRequest(r *requestPart, h *hasher, s *sqlfile.Stmt) {
	seq, hasSeq := integer(s, rSeq)
	var ns int64
	timed := false
	if s.Type(rReceived) == sqlfile.Text {
		ns, timed = parseInstant(s.Bytes(rReceived))
	}
	key, _, isText := text(s, rKey)
	row := sent{seq: seq, key: badKey, ns: ns, timed: timed}
	if isText {
		row.raw = h.raw(key)
		row.hash, row.key = f.readKey(r, h, s, key)
	}
	if f.pass == 0 {
		row.bad = r.count(s, row.key, hasSeq, ns, timed)
	}
	if hasSeq && (row.key == pending || row.key != otherPass && uint64(seq)%uint64(f.passes) == uint64(f.pass)) {
		r.sent = append(r.sent, row)
	} else if row.key == pending {
		r.seqless = append(r.seqless, row)
	}
	if len(r.batch.rows) >= batchRows || len(r.batch.text) >= batchBytes {
		f.flush(r)
	}
}

// readKey puts the key of a row into the batch, if it is one of this pass.
func (f *finder) readKey(r *requestPart, h *hasher, s *sqlfile.Stmt, key []byte) (hash keyHash, number uint32) {
	if len(bytes.TrimSpace(key)) == 0 {
		return hash, noKey
	}
	client, _, _ := text(s, rClient)
	endpoint, _, _ := text(s, rEndpoint)
	hash = h.scope(client, endpoint, key)
	if f.passes > 1 && int(hash[1]%uint64(f.passes)) != f.pass {
		return hash, otherPass
	}
	b := r.batch
	b.rows = append(b.rows, batchRow{hash: hash, text: len(b.text), client: len(client), endpoint: len(endpoint), key: len(key)})
	b.text = append(append(append(b.text, client...), endpoint...), key...)
	return hash, pending
}

// count takes what a row tells besides its key, and reports whether it is bad.
func (r *requestPart) count(s *sqlfile.Stmt, key uint32, hasSeq bool, ns int64, timed bool) bool {
	r.rows++
	if key == noKey {
		r.keyless++
	}
	if timed {
		if !r.timed {
			r.first, r.last, r.timed = ns, ns, true
		}
		r.first, r.last = min(r.first, ns), max(r.last, ns)
	}
	column, why := rSeq, whyInteger
	if hasSeq {
		column, why = badRequest(s)
	}
	if !timed && (why == "" || column > rReceived) {
		column, why = rReceived, whyTime
	}
	if why == "" {
		return false
	}
	if r.badCount++; len(r.bad) < mostListed {
		r.bad = append(r.bad, BadRow{"req_log", rowName(s, rSeq, rBody+1), requestColumns[column], shown(s, column), why})
	}
	return true
}

// flush numbers the keys of a batch that occur again, and keeps their text: only
// a key that was sent again can be a duplicate without more ado.
func (f *finder) flush(r *requestPart) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range r.batch.rows {
		b := &r.batch.rows[i]
		if !f.seen.add(b.hash) {
			continue
		}
		if n := f.keys.number(b.hash); f.keys.stats[n].scope == 0 {
			f.name(n, b.scope(r.batch.text, &f.names))
		}
	}
	r.batch.rows, r.batch.text = r.batch.rows[:0], r.batch.text[:0]
}

func (b *batchRow) scope(text []byte, names *interner) Scope {
	text = text[b.text:]
	client, endpoint := text[:b.client], text[b.client:b.client+b.endpoint]
	key := text[b.client+b.endpoint:][:b.key]
	return Scope{ClientID: names.one(client), Endpoint: names.one(endpoint), Key: string(key)}
}

func (r *requestPart) addTo(d *Duplicates) {
	d.Requests += r.rows
	d.KeylessRequests += r.keyless
	d.BadRequests += r.badCount
	d.list(r.bad...)
	if !r.timed {
		return
	}
	if first := instant(r.first); d.First.IsZero() || first.Before(d.First) {
		d.First = first
	}
	if last := instant(r.last); last.After(d.Last) {
		d.Last = last
	}
}

// seqIndex finds a request by its seq.
type seqIndex []sent

// newSeqIndex joins the parts in list, in which most of them lie already.
func newSeqIndex(list seqIndex, parts []requestPart) seqIndex {
	for i := range parts {
		list = append(list, parts[i].sent...)
		parts[i].sent = nil
	}
	bySeq := func(a, b sent) int { return cmp.Compare(a.seq, b.seq) }
	if !slices.IsSortedFunc(list, bySeq) {
		slices.SortStableFunc(list, bySeq)
	}
	return list
}

// find gives the first request of seq. hint is where the last one was found:
// ledgers are mostly written in the order of the requests.
func (x seqIndex) find(seq int64, hint *int) (*sent, bool) {
	for i := *hint; i < min(*hint+3, len(x)); i++ {
		if x[i].seq == seq && (i == 0 || x[i-1].seq != seq) {
			*hint = i
			return &x[i], true
		}
	}
	i, ok := slices.BinarySearchFunc(x, seq, func(s sent, seq int64) int { return cmp.Compare(s.seq, seq) })
	if !ok {
		return nil, false
	}
	*hint = i
	return &x[i], true
}

// repeatedSeqs lists the requests whose seq another request had before: which
// of them a transfer belongs to cannot be told, so the first one has it.
func (x seqIndex) repeatedSeqs() (bad []BadRow, n int64) {
	for i := 1; i < len(x); i++ {
		if seq := x[i].seq; seq == x[i-1].seq && !x[i].bad {
			if n++; len(bad) < mostListed {
				name := strconv.FormatInt(seq, 10)
				bad = append(bad, BadRow{"req_log", name, requestColumns[rSeq], name, whyRepeated})
			}
		}
	}
	return bad, n
}
