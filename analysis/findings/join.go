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
// it: for the same money, of the same order where both name one, begun before
// it, the nearest. Where there is none it gets a request that only the ledger
// knows, with the ledger's key, so that ledgers alone can be looked at, too.
func (d *facts) adopt(ctx context.Context) error {
	if len(d.loose) == 0 {
		return nil
	}
	found, err := d.askedFor(ctx)
	if err != nil {
		return err
	}
	for i := range d.loose {
		l := &d.loose[i]
		t := &d.transfers[l.transfer]
		if best := d.nearest(l, t, found[t.payment]); best >= 0 {
			t.request, t.cap, t.join = best, Suspected, "circumstances"
			d.requests[best].moved++
			if l.ref != 0 && d.requests[best].ref == l.ref {
				t.cap, t.join = Probable, "reference"
			}
			continue
		}
		t.request = int32(len(d.requests))
		t.cap = min(t.cap, Probable)
		d.requests = append(d.requests, request{place: none, at: t.created, key: l.key, ref: l.ref,
			moved: 1, duration: -1, flags: timed | l.flags})
	}
	return nil
}

// askedFor finds the requests that ask for what a loose transfer moved.
func (d *facts) askedFor(ctx context.Context) (map[uint64][]int32, error) {
	wanted := map[uint64]bool{}
	for _, l := range d.loose {
		wanted[d.transfers[l.transfer].payment] = true
	}
	if d.logged == 0 {
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
	return slices.MinFunc(fits, func(a, b int32) int {
		x, y := &d.requests[a], &d.requests[b]
		return cmp.Or(
			first(x.ref == l.ref, y.ref == l.ref),
			cmp.Compare(x.moved, y.moved), // one that has moved nothing yet
			-cmp.Compare(x.at, y.at), cmp.Compare(x.seq, y.seq))
	})
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
