package whatif

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
)

// tag is what a row is, whatever the policy: numbers of its key (client,
// endpoint and key) and of its identity (key and canonical body), from 1. The
// zero tag is that of a row whose key nobody looks at.
type tag struct {
	key, identity uint32
	other         bool // its body is not that of its key's first request
}

// digest stands for a key or an identity, so that memory does not depend on how
// long they are. With 128 bits of SHA-256 two of a billion never fall together.
type digest [16]byte

// truth tells rows apart and keeps what is known of their keys.
type truth struct {
	keys       map[digest]uint32
	identities map[digest]uint32 // of bodies that differ from their key's first
	states     []keyState        // by number of the key - 1
	last       uint32            // identity given out
	v1         Payments          // transfers of rows whose key is looked at
	extra      Payments          // those beyond the first of their key
	gap        time.Duration     // longest between two sends of one key
}

// keyState is what is known of a key.
type keyState struct {
	body        digest // of the first request
	first, last int64  // send, in Unix nanoseconds; valid where timed
	amount      int64  // of the first transfer, where paid
	currency    string
	identity    uint32
	timed, paid bool // paid: the unprotected service moved money under it
}

func newTruth() *truth {
	return &truth{keys: map[digest]uint32{}, identities: map[digest]uint32{}}
}

// classify tags the next row of the day.
func (t *truth) classify(r *replay.Row) (tag, error) {
	print, ok := r.Fingerprint(engine.RuleCanonical)
	if !ok || !r.Usable() {
		return tag{}, nil
	}
	key := keyDigest(r.Request())
	body := digest(print[1 : 1+len(digest{})])
	n, known := t.keys[key]
	if !known {
		t.last++
		t.states = append(t.states, keyState{body: body, identity: t.last})
		n = uint32(len(t.states))
		t.keys[key] = n
	}
	s := &t.states[n-1]
	out := tag{key: n, identity: s.identity}
	if s.body != body {
		out.identity, out.other = t.identityOf(n, body), true
	}
	if gap := s.seen(r.ReceivedAt()); gap > t.gap {
		t.gap = gap
	}
	return out, t.note(s, r)
}

// keyDigest hashes the columns with their lengths, so that ("ab", "c") is not
// ("a", "bc").
func keyDigest(r engine.Request) (d digest) {
	b := make([]byte, 0, 128)
	for _, part := range []string{r.ClientID, r.Endpoint, r.Key} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	sum := sha256.Sum256(b)
	copy(d[:], sum[:])
	return d
}

func (t *truth) identityOf(key uint32, body digest) uint32 {
	sum := sha256.Sum256(binary.BigEndian.AppendUint32(body[:], key))
	d := digest(sum[:len(digest{})])
	n, known := t.identities[d]
	if !known {
		t.last++
		n = t.last
		t.identities[d] = n
	}
	return n
}

// seen notes a send at a time, and gives the span of the key's sends so far.
func (s *keyState) seen(at time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	ns := at.UnixNano()
	if !s.timed {
		s.first, s.last, s.timed = ns, ns, true
	}
	s.first, s.last = min(s.first, ns), max(s.last, ns)
	return time.Duration(s.last - s.first)
}

// note sums up what the unprotected service moved for a row. A negative amount
// was taken back, so it is no payment, and none that a policy could stop.
func (t *truth) note(s *keyState, r *replay.Row) error {
	for i := range r.V1Count() {
		amount, currency := r.V1(i)
		if amount < 0 {
			continue
		}
		if err := t.v1.add(currency, amount); err != nil {
			return err
		}
		if s.paid {
			if err := t.extra.add(currency, amount); err != nil {
				return err
			}
			continue
		}
		s.paid, s.amount, s.currency = true, amount, currency
	}
	return nil
}

// Payments are a number of transfers and their amounts.
type Payments struct {
	Count      int64          `json:"count"`
	ByCurrency analysis.Money `json:"by_currency"` // minor units
}

func (p *Payments) add(currency string, amount int64) error {
	p.Count++
	return p.ByCurrency.Add(currency, amount)
}
