package report

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"idem/analysis"
	"idem/engine"
)

// lookWindow is how near in time equal payments must be to be told: a client
// that makes a new key for its retry retries within a day.
const lookWindow = 24 * time.Hour

// lookAlikes are payments that the engine made although an equal one (client,
// source, target, amount, currency) had been made within the window under
// another key. No key can tell an honest repeat from a retry with a new key, so
// they accuse nobody; they are what a person may want to look at.
type lookAlikes struct {
	Count    int64
	Paid     analysis.Money // amounts of the later ones
	Examples []lookAlike

	last  map[digest]sighting
	swept int
}

// lookAlike is one such pair.
type lookAlike struct {
	FirstN, N     int64
	FirstKey, Key string
	Gap           time.Duration
	Amount        amount
	Src, Dst      string
}

// digest stands for a payment. It is 128 bits of SHA-256, so that two that differ
// are never taken for one, and memory stays small.
type digest [16]byte

// sighting is the last payment with the same content. A long day has one of nearly
// every payment, so it holds no pointer and little more than it must: its key is
// compared with one other, for which 64 bits are enough.
type sighting struct {
	n   int64
	at  int64 // nanoseconds since 1970
	key uint64
}

// until is how long after it another payment was made, which never came before it.
func (s *sighting) until(o *sighting) uint64 { return uint64(o.at) - uint64(s.at) }

// see takes in a payment that the engine made. Payments come in the order of
// their requests.
func (l *lookAlikes) see(req *analysis.Request, s *step) error {
	what := digestOf(req.ClientID, s.src, s.dst, fmt.Sprint(s.moved), s.currency)
	key := digestOf(req.ClientID, req.Endpoint, req.Key)
	now := sighting{n: s.n, at: s.at.UnixNano(), key: binary.BigEndian.Uint64(key[:])}
	before, seen := l.last[what]
	l.keep(what, now)
	if !seen || before.key == now.key || before.until(&now) > uint64(lookWindow) {
		return nil
	}
	l.Count++
	if len(l.Examples) < listed {
		l.Examples = append(l.Examples, lookAlike{
			FirstN: before.n, N: s.n, Key: req.Key, Gap: time.Duration(before.until(&now)),
			Amount: amount{s.moved, s.currency}, Src: s.src, Dst: s.dst,
		})
	}
	return l.Paid.Add(s.currency, s.moved)
}

// keep remembers a payment, and forgets those that no later one can match each
// time the memory has doubled.
func (l *lookAlikes) keep(what digest, now sighting) {
	if l.last == nil {
		l.last = map[digest]sighting{}
	}
	if len(l.last) >= max(2*l.swept, 4096) {
		for k, old := range l.last {
			if old.until(&now) > uint64(lookWindow) {
				delete(l.last, k)
			}
		}
		l.swept = len(l.last)
	}
	l.last[what] = now
}

// nameFirsts looks up the keys of the earlier payments of the examples, which
// were not kept, and drops the memory.
func (l *lookAlikes) nameFirsts(ctx context.Context, in *analysis.Incident) error {
	l.last = nil
	for i := range l.Examples {
		for req, err := range in.Requests(ctx, l.Examples[i].FirstN) {
			if err != nil {
				return fmt.Errorf("read requests: %w", err)
			}
			l.Examples[i].FirstKey = req.Key
			break
		}
	}
	return nil
}

// digestOf hashes parts with their lengths, so that "a","bc" is not "ab","c".
func digestOf(parts ...string) digest {
	buf := make([]byte, 0, 256)
	for _, p := range parts {
		buf = binary.AppendUvarint(buf, uint64(len(p)))
		buf = append(buf, p...)
	}
	sum := sha256.Sum256(buf)
	return digest(sum[:16])
}

// sum is checked addition of minor units.
func sum(a, b int64) (int64, error) { return engine.Add(a, b) }
