package findings

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"
	"sync"
	"time"

	"idem/analysis"
)

// request is what is kept of a row of req_log while candidates are sought: some
// 90 bytes, whatever the row is long. Hashes are 0 where there is nothing.
type request struct {
	place            int64 // in the file; none where the ledger alone tells of it
	seq              int64
	at               int64 // nanoseconds since 1970
	key              uint64
	bodyKey          uint64
	body             uint64
	ref              uint64
	asked            int64
	client, endpoint uint32
	duration         int32 // milliseconds, -1 when unknown
	moved            uint32
	status           int16
	flags            flags
}

// none is the place of a request that is in no log.
const none = math.MinInt64

type flags uint8

const (
	timed   flags = 1 << iota // at is known
	digits                    // the reference has a digit: it may name one order
	ownKey                    // key stands in the body, as there is none in the header
	retried                   // marked as a retry by a header, or by a proxy's attempts
	inLog                     // the row has a seq
)

func (r *request) is(f flags) bool { return r.flags&f != 0 }

// end is when the request was answered.
func (r *request) end() int64 { return r.at + int64(max(r.duration, 0))*int64(time.Millisecond) }

// transfer is what is kept of a row of transfer_v1.
type transfer struct {
	place    int64
	created  int64
	amount   int64
	payment  uint64 // of src, dst, amount and currency
	parties  uint64 // of src, dst and currency
	request  int32
	currency uint16
	cap      Confidence // no finding about it is surer than the tie to its request
	join     string     // how a loose transfer was tied; "" where the ledger names its request
}

// Columns that an import adds, by position in the Extra of a walk.
var requestExtra = []string{"reference", "body_key", "retry", "request_ref", "note", "source_id", "line", "key_raw"}

const (
	xReference = iota
	xBodyKey
	xRetry
	xName
	xNote
	xSource
	xLine
	xRawKey
)

var transferExtra = []string{"reference", "join_kind", "join_confidence"}

const (
	xJoinKind = iota + 1
	xJoinConfidence
)

// facts is the day in memory.
type facts struct {
	in        *analysis.Incident
	seed      maphash.Seed
	requests  []request // those of the log by seq, then those without one
	logged    int       // requests with a seq
	transfers []transfer
	loose     []looseTransfer // transfers without their request
	names     names           // of clients and endpoints
	money     names           // currencies
	statuses  bool            // the log knows statuses
	kinds     []endpointKind  // of endpoints, by their number
	shared    map[uint64]bool // references that name no single order
	meter     func(rows int64)
}

// looseTransfer is a transfer whose request is not in the log, with what is
// needed to find one.
type looseTransfer struct {
	transfer int32
	key, ref uint64
	flags    flags
}

// names numbers texts, from 1; 0 is the empty one. Each reader has a cache, so
// that they seldom wait for each other.
type names struct {
	mu   sync.Mutex
	all  map[string]uint32
	list []string
}

type nameCache struct {
	of    *names
	known map[string]uint32
}

func (n *names) cache() nameCache { return nameCache{n, map[string]uint32{}} }

func (c *nameCache) number(text []byte) uint32 {
	if len(text) == 0 {
		return 0
	}
	if n, ok := c.known[string(text)]; ok {
		return n
	}
	n := c.of.number(string(text))
	c.known[string(text)] = n
	return n
}

func (n *names) number(text string) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = map[string]uint32{}
	}
	number, ok := n.all[text]
	if !ok {
		n.list = append(n.list, text)
		number = uint32(len(n.list))
		n.all[text] = number
	}
	return number
}

func (n *names) text(number uint32) string {
	if number == 0 {
		return ""
	}
	return n.list[number-1]
}

// readRequests fills requests, in the order of their seq.
func (d *facts) readRequests(ctx context.Context) error {
	var parts gather[request]
	err := d.in.WalkRequests(ctx, analysis.Walk[analysis.RequestRow]{
		Extra:    requestExtra,
		Progress: d.meter,
		Plan:     parts.plan,
		Part: func(n int) func(*analysis.RequestRow) {
			r := d.requestReader()
			return func(row *analysis.RequestRow) { parts.add(n, r.read(row)) }
		},
	})
	if err != nil {
		return err
	}
	d.requests = parts.all()
	sortRequests(d.requests)
	d.logged = len(d.requests)
	for d.logged > 0 && !d.requests[d.logged-1].is(inLog) {
		d.logged--
	}
	for i := range d.requests {
		d.statuses = d.statuses || d.requests[i].status != 0
	}
	return nil
}

// gather collects what several readers find, by part.
type gather[T any] struct {
	parts [][]T
	room  []T // one array for all parts, nil where row ids are too far apart for it
}

// plan makes room for the rows of each part in one array, where row ids are
// dense enough to tell how many there are.
func (g *gather[T]) plan(rows []int64, all int64) {
	g.parts = make([][]T, len(rows))
	sum := int64(0)
	for _, n := range rows {
		sum += n
	}
	if sum > all {
		return
	}
	g.room = make([]T, sum)
	room := g.room
	for i, n := range rows {
		g.parts[i], room = room[:0:n], room[n:]
	}
}

func (g *gather[T]) add(part int, v T) { g.parts[part] = append(g.parts[part], v) }

// all is what was found, in the order of the parts. Parts of one array move
// towards its beginning; else they are copied.
func (g *gather[T]) all() []T {
	if g.room == nil {
		return slices.Concat(g.parts...)
	}
	list := g.room[:0]
	for _, p := range g.parts {
		list = append(list, p...)
	}
	return list
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
		client: q.names.number(row.Client), endpoint: q.names.number(row.Endpoint)}
	if row.Duration >= 0 {
		r.duration = int32(min(row.Duration, math.MaxInt32))
	}
	if row.Timed {
		r.flags |= timed
	}
	if row.HasSeq {
		r.flags |= inLog
	}
	if isRetry(row.Extra[xRetry]) || row.Attempts > 1 {
		r.flags |= retried
	}
	body := q.body.read(row.Body)
	key, ref := orText(row.Extra[xBodyKey], body.key), orText(row.Extra[xReference], body.ref)
	r.body, r.asked = body.content, body.asked
	r.key, r.bodyKey, r.ref = d.hash(normalKey(row.Key, &q.buf)), d.hash(normalKey(key, &q.buf)), d.hash(ref)
	if r.key == 0 && r.bodyKey != 0 {
		r.key, r.flags = r.bodyKey, r.flags|ownKey
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

// readTransfers fills transfers, in the order of the table.
func (d *facts) readTransfers(ctx context.Context) error {
	var parts gather[transfer]
	var loose gather[looseTransfer]
	err := d.in.WalkTransfers(ctx, analysis.Walk[analysis.TransferRow]{
		Extra:    transferExtra,
		Progress: d.meter,
		Plan: func(rows []int64, all int64) {
			parts.plan(rows, all)
			loose.parts = make([][]looseTransfer, len(rows))
		},
		Part: func(n int) func(*analysis.TransferRow) {
			r := transferReader{facts: d, money: d.money.cache()}
			return func(row *analysis.TransferRow) {
				t, l := r.read(row)
				if t.request < 0 {
					l.transfer = int32(len(parts.parts[n]))
					loose.add(n, l)
				}
				parts.add(n, t)
			}
		},
	})
	if err != nil {
		return err
	}
	before := int32(0)
	for n, p := range parts.parts {
		for i := range loose.parts[n] {
			loose.parts[n][i].transfer += before
		}
		before += int32(len(p))
	}
	d.transfers, d.loose = parts.all(), slices.Concat(loose.parts...)
	return nil
}

// transferReader reads rows of one part.
type transferReader struct {
	facts *facts
	money nameCache
	buf   []byte
	hint  int
}

func (q *transferReader) read(row *analysis.TransferRow) (transfer, looseTransfer) {
	d := q.facts
	t := transfer{place: row.Place, created: row.Created, amount: row.Amount, request: -1, cap: Certain,
		currency: uint16(q.money.number(row.Currency))}
	b := appendText(appendText(appendText(q.buf[:0], row.Src), row.Dst), row.Currency)
	t.parties = maphash.Bytes(d.seed, b)
	for i := range 8 {
		b = append(b, byte(uint64(row.Amount)>>(8*i)))
	}
	q.buf, t.payment = b, maphash.Bytes(d.seed, b)
	switch string(row.Extra[xJoinConfidence]) {
	case "probable":
		t.cap = Probable
	case "suspected":
		t.cap = Suspected
	}
	if row.HasSeq {
		t.request = d.find(row.Seq, &q.hint)
	}
	if t.request >= 0 {
		return t, looseTransfer{}
	}
	l := looseTransfer{ref: d.hash(row.Extra[xReference])}
	l.key = d.hash(normalKey(row.Key, &q.buf))
	if bytes.ContainsAny(row.Extra[xReference], "0123456789") {
		l.flags = digits
	}
	return t, l
}

// appendText joins texts so that ("a", "bc") is not ("ab", "c").
func appendText(b, text []byte) []byte {
	n := len(text)
	return append(append(b, byte(n), byte(n>>8), byte(n>>16)), text...)
}

// find is the first request with this seq, -1 where there is none. Ledgers are
// mostly written in the order of the requests, so hint is tried first.
func (d *facts) find(seq int64, hint *int) int32 {
	list := d.requests[:d.logged]
	for i := *hint; i < min(*hint+3, len(list)); i++ {
		if list[i].seq == seq && (i == 0 || list[i-1].seq != seq) {
			*hint = i
			return int32(i)
		}
	}
	i, ok := slices.BinarySearchFunc(list, seq, func(r request, seq int64) int { return cmp.Compare(r.seq, seq) })
	if !ok {
		return -1
	}
	*hint = i
	return int32(i)
}
