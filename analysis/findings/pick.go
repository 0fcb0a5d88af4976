package findings

import (
	"cmp"
	"slices"
)

// hints say which rows a rule may look at. They are noted while rows are read,
// before any of them is kept.
type hints struct {
	keys, refs, payments recurring
	failed               sieve // bodies of keyed requests that got an error
	unordered            bool  // requests do not lie in the order of their seqs
}

// noteRequests is told of requests while they are read.
func (d *facts) noteRequests(rows []request) {
	for i := range rows {
		r := &rows[i]
		d.keys.add(r.key)
		if r.is(digits) {
			d.refs.add(r.ref)
		}
		if r.status >= 500 && r.key != 0 && r.body != 0 {
			d.failed.add(r.body)
		}
		d.statuses = d.statuses || r.status != 0
		d.unordered = d.unordered || !r.is(inLog) || i > 0 && r.seq <= rows[i-1].seq
	}
}

func (d *facts) noteTransfers(rows []booked) {
	for i := range rows {
		d.payments.add(rows[i].payment)
	}
}

// pick brings into memory what a rule may look at: requests whose key or order
// occurs again, that moved money again or not what they asked for, that failed, or
// paid what others paid; and all transfers of these. Of most days that is little.
// All rows come where requests do not lie in the order of their seqs, or a
// transfer lacks its request, which then is sought among all.
func (d *facts) pick() error {
	defer func() { d.hints = hints{} }()
	if d.unordered {
		return d.takeAll()
	}
	wanted, of, err := d.join()
	if err != nil {
		return err
	}
	if of == nil {
		return d.takeAll()
	}
	err = d.log.each(func(i int, r *request) {
		if wanted.has(int32(i)) || d.keys.has(r.key) || r.is(digits) && d.refs.has(r.ref) || r.body != 0 && d.failed.has(r.body) {
			wanted.set(int32(i))
			d.requests = append(d.requests, *r)
		}
	})
	if err != nil {
		return err
	}
	d.logged = wanted.count()
	n := 0
	for _, request := range of {
		if wanted.has(request) {
			n++
		}
	}
	d.transfers = make([]transfer, 0, n)
	return d.ledger.each(func(i int, b *booked) {
		if wanted.has(of[i]) {
			b.request = wanted.rank(of[i])
			d.transfers = append(d.transfers, b.transfer)
		}
	})
}

// join finds the request of each transfer, and tells which requests are wanted
// because of their transfers. of is nil where all rows are better taken.
func (d *facts) join() (wanted places, of []int32, err error) {
	wanted = newPlaces(d.log.rows)
	moved := newPlaces(d.log.rows)
	asked := map[uint16]int{}
	of = make([]int32, d.ledger.rows)
	look := newBySeq(d.log)
	lost := false
	err = d.ledger.each(func(i int, b *booked) {
		if lost {
			return
		}
		place, r := look.find(b)
		if lost = r == nil; lost {
			return
		}
		of[i] = place
		again := moved.set(place)
		if again || d.payments.has(b.payment) || r.asked != b.amount && powerOfTen(r.asked, b.amount) > 1 {
			wanted.set(place)
		}
		if r.asked > 0 {
			asked[b.currency]++
		}
	})
	if err != nil || look.err != nil {
		return wanted, nil, cmp.Or(err, look.err)
	}
	if lost {
		return wanted, nil, nil
	}
	d.asked, d.picked = asked, true
	return wanted, of, nil
}

// takeAll brings all rows into memory.
func (d *facts) takeAll() error {
	d.requests, d.transfers = make([]request, 0, d.log.rows), make([]transfer, 0, d.ledger.rows)
	if err := d.log.each(func(_ int, r *request) { d.requests = append(d.requests, *r) }); err != nil {
		return err
	}
	sortRequests(d.requests)
	d.logged = len(d.requests)
	for d.logged > 0 && !d.requests[d.logged-1].is(inLog) {
		d.logged--
	}
	hint := 0
	return d.ledger.each(func(i int, b *booked) {
		t := b.transfer
		if t.request = -1; b.loose.named {
			t.request = d.find(b.seq, &hint)
		}
		if t.request < 0 {
			l := b.loose
			l.transfer = int32(i)
			d.loose = append(d.loose, l)
		}
		d.transfers = append(d.transfers, t)
	})
}

// askedOf counts, by currency, the transfers whose request says how much it asks
// for: all of the day's, whether they were picked or not.
func (d *facts) askedOf() map[uint16]int {
	if d.picked {
		return d.asked
	}
	all := map[uint16]int{}
	for i := range d.transfers {
		if t := &d.transfers[i]; d.requests[t.request].asked > 0 {
			all[t.currency]++
		}
	}
	return all
}

// eachPaid gives all transfers of the day with their requests.
func (d *facts) eachPaid(do func(t *transfer, r *request)) error {
	if !d.picked {
		for i := range d.transfers {
			t := &d.transfers[i]
			do(t, &d.requests[t.request])
		}
		return nil
	}
	look := newBySeq(d.log)
	err := d.ledger.each(func(_ int, b *booked) {
		if _, r := look.find(b); r != nil {
			do(&b.transfer, r)
		}
	})
	return cmp.Or(err, look.err)
}

// bySeq finds requests in a log that lies in the order of its seqs. Ledgers are
// mostly written in that order, too, so a few blocks are enough to have at hand.
type bySeq struct {
	log    *spool[request]
	starts []int32 // place of the first row of each block
	held   [8]heldBlock
	next   int // of held, to be replaced
	now    *heldBlock
	read   int // blocks
	err    error
}

type heldBlock struct {
	block int
	rows  []request
	buf   []request
}

func newBySeq(log *spool[request]) *bySeq {
	l := &bySeq{log: log, starts: make([]int32, len(log.blocks)), now: &heldBlock{block: -1}}
	n := int32(0)
	for i := range log.blocks {
		l.starts[i] = n
		n += int32(log.blocks[i].n)
	}
	for i := range l.held {
		l.held[i].block = -1
	}
	return l
}

// find is the request of a transfer and its place, nil where it has none. It is
// nil, too, where the ledger's order has nothing to do with the log's: each
// transfer would then read a block.
func (l *bySeq) find(b *booked) (place int32, r *request) {
	if !b.loose.named || l.err != nil {
		return -1, nil
	}
	if rows := l.now.rows; len(rows) == 0 || b.seq < rows[0].seq || b.seq > rows[len(rows)-1].seq {
		i, exact := slices.BinarySearchFunc(l.log.blocks, b.seq, func(b block[request], seq int64) int { return cmp.Compare(b.first.seq, seq) })
		if !exact {
			i--
		}
		if i < 0 || !l.load(i) {
			return -1, nil
		}
	}
	rows := l.now.rows
	i := len(rows)
	if ahead := uint64(b.seq) - uint64(rows[0].seq); ahead < uint64(len(rows)) { // which int64 may not hold
		i = int(ahead)
	}
	if i == len(rows) || rows[i].seq != b.seq {
		var ok bool
		if i, ok = slices.BinarySearchFunc(rows, b.seq, func(r request, seq int64) int { return cmp.Compare(r.seq, seq) }); !ok {
			return -1, nil
		}
	}
	return l.starts[l.now.block] + int32(i), &rows[i]
}

// load makes a block the one at hand.
func (l *bySeq) load(i int) bool {
	for k := range l.held {
		if l.held[k].block == i {
			l.now = &l.held[k]
			return true
		}
	}
	h := &l.held[l.next]
	l.next = (l.next + 1) % len(l.held)
	if l.log.blocks[i].rows == nil {
		if l.read++; l.read > 4*len(l.log.blocks) {
			return false
		}
	}
	h.block = i
	h.rows, l.err = l.log.read(i, &h.buf)
	l.now = h
	return l.err == nil
}
