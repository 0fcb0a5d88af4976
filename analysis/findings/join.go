package findings

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"idem/analysis"
	"idem/engine"
)

// reach is how long after its request began a transfer may be booked for the two
// to be tied by circumstances.
const reach = 10 * minute

// adopt gives each transfer without a request the one that most likely caused
// it: by the ledger's key where it has one; else one that asks for the same
// money, of the same order where both name one, begun before it, the nearest. A
// transfer that names a request which was lost from the log is nobody else's.
// What is left gets a request that only the ledger knows, so that ledgers alone
// can be looked at, too.
func (d *facts) adopt(ctx context.Context) error {
	if len(d.loose) == 0 {
		return nil
	}
	// Of two equal ones the first gets the first request.
	slices.SortFunc(d.loose, func(a, b looseTransfer) int {
		x, y := &d.transfers[a.transfer], &d.transfers[b.transfer]
		return cmp.Or(cmp.Compare(x.created, y.created), cmp.Compare(x.id, y.id), cmp.Compare(x.place, y.place))
	})
	keyed := d.requestsByKey()
	var rest []looseTransfer
	for _, l := range d.loose {
		if !d.tieByKey(&l, keyed[l.key]) {
			rest = append(rest, l)
		}
	}
	found, err := d.askedFor(ctx, rest)
	if err != nil {
		return err
	}
	for i := range rest {
		l := &rest[i]
		t := &d.transfers[l.transfer]
		best := d.nearest(l, t, found[t.payment])
		switch {
		case best < 0 || l.named:
			d.invent(l, 0, 0)
		case l.ref != 0 && d.requests[best].ref == l.ref:
			d.tie(t, best, byReference, Probable)
		default:
			d.tie(t, best, byCircumstances, Suspected)
		}
	}
	return nil
}

func (d *facts) tie(t *transfer, request int32, by join, sure Confidence) {
	t.request, t.join, t.cap = request, by, min(t.cap, sure)
	d.requests[request].moved++
}

// invent makes a request that the log does not have. Nothing about it is
// certain.
func (d *facts) invent(l *looseTransfer, client, endpoint uint32) {
	t := &d.transfers[l.transfer]
	t.request, t.cap = int32(len(d.requests)), min(t.cap, Probable)
	d.requests = append(d.requests, request{place: none, at: t.created, key: l.key, ref: l.ref,
		client: client, endpoint: endpoint, moved: 1, duration: -1, flags: timed | l.flags})
}

// requestsByKey are the requests under the keys of loose transfers.
func (d *facts) requestsByKey() map[uint64][]int32 {
	keyed := map[uint64][]int32{}
	for _, l := range d.loose {
		if l.key != 0 {
			keyed[l.key] = nil
		}
	}
	if len(keyed) == 0 {
		return nil
	}
	for i := range d.requests[:d.logged] {
		if list, wanted := keyed[d.requests[i].key]; wanted {
			keyed[d.requests[i].key] = append(list, int32(i))
		}
	}
	return keyed
}

// tieByKey takes the request under the transfer's key, where that lives in one
// scope. It is certain where the request asks for this amount.
func (d *facts) tieByKey(l *looseTransfer, among []int32) bool {
	t := &d.transfers[l.transfer]
	if l.key == 0 || len(among) == 0 {
		return false
	}
	first := &d.requests[among[0]]
	for _, n := range among {
		if r := &d.requests[n]; r.client != first.client || r.endpoint != first.endpoint {
			return false
		}
	}
	if l.named {
		d.invent(l, first.client, first.endpoint)
		return true
	}
	among = slices.DeleteFunc(slices.Clone(among), func(n int32) bool { a := d.requests[n].asked; return a != 0 && a != t.amount })
	if len(among) == 0 {
		return false
	}
	best := slices.MinFunc(among, d.likelier(l, t))
	sure := Probable
	if d.requests[best].asked == t.amount {
		sure = Certain
	}
	d.tie(t, best, byKey, sure)
	return true
}

// askedFor finds the requests that ask for what a loose transfer moved.
func (d *facts) askedFor(ctx context.Context, rest []looseTransfer) (map[uint64][]int32, error) {
	wanted := map[uint64]bool{}
	for _, l := range rest {
		if !l.named {
			wanted[d.transfers[l.transfer].payment] = true
		}
	}
	if d.logged == 0 || len(wanted) == 0 {
		return nil, nil
	}
	var hits gather[[2]int64] // place and payment
	err := d.in.WalkRequests(ctx, analysis.Walk[analysis.RequestRow]{
		Plan: func(rows []int64, _ int64) { hits.parts = make([][][2]int64, len(rows)) },
		Part: func(n int) func(*analysis.RequestRow) {
			var buf []byte
			return func(row *analysis.RequestRow) {
				if payment := d.paymentOf(row.Body, &buf); payment != 0 && wanted[payment] {
					hits.add(n, [2]int64{row.Place, int64(payment)})
				}
			}
		},
	})
	if err != nil {
		return nil, err
	}
	byPlace := map[int64]uint64{}
	for _, h := range hits.all() {
		byPlace[h[0]] = uint64(h[1])
	}
	found := map[uint64][]int32{}
	for i := range d.requests[:d.logged] {
		if payment, ok := byPlace[d.requests[i].place]; ok && d.requests[i].is(timed) {
			found[payment] = append(found[payment], int32(i))
		}
	}
	return found, nil
}

// paymentOf is the payment that a body asks for, hashed as a transfer's is; 0
// where it asks for none.
func (d *facts) paymentOf(body []byte, buf *[]byte) uint64 {
	order, refusal, err := engine.ParseOrder(body)
	if err != nil || refusal != nil {
		return 0
	}
	b := appendText(appendText(appendText((*buf)[:0], []byte(order.Src.Text)), []byte(order.Dst.Text)), []byte(order.Currency))
	for i := range 8 {
		b = append(b, byte(uint64(order.Amount)>>(8*i)))
	}
	*buf = b
	return maphash.Bytes(d.seed, b)
}

// nearest is the best of the requests that ask for a transfer, -1 for none.
func (d *facts) nearest(l *looseTransfer, t *transfer, among []int32) int32 {
	fits := slices.DeleteFunc(slices.Clone(among), func(n int32) bool {
		r := &d.requests[n]
		return r.at > t.created+int64(clockSlack) || t.created > r.end()+reach || l.ref != 0 && r.ref != 0 && l.ref != r.ref
	})
	if len(fits) == 0 {
		return -1
	}
	return slices.MinFunc(fits, d.likelier(l, t))
}

// likelier orders the requests that may have caused a transfer: of its order,
// begun before it, one that has moved nothing yet, the last.
func (d *facts) likelier(l *looseTransfer, t *transfer) func(a, b int32) int {
	return func(a, b int32) int {
		x, y := &d.requests[a], &d.requests[b]
		return cmp.Or(
			first(x.ref == l.ref, y.ref == l.ref),
			first(x.at <= t.created+int64(clockSlack), y.at <= t.created+int64(clockSlack)),
			cmp.Compare(x.moved, y.moved),
			-cmp.Compare(x.at, y.at), cmp.Compare(x.seq, y.seq))
	}
}

// first compares so that what is true comes before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
