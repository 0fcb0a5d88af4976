package findings

import "time"

// mark is something that the second of two sends has in common with the first,
// or that tells it from an honest repeat.
type mark uint32

const (
	sameRef       mark = 1 << iota // both are for one order
	otherRef                       // each is for an order of its own
	namesOrder                     // the reference can name one order only
	sameBody                       // equal but for keys and times
	sameKey                        // one key, as it stands in the header or the body
	keyed                          // both have a key
	keyless                        // neither has one
	halfKeyed                      // one has, the other has not
	otherBodyKey                   // each has a key of its own in the body
	otherEndpoint                  //
	otherClient                    //
	unanswered                     // the first one's caller got no success: 5xx, 408, 499, nothing
	overlap                        // the second came while the first still ran
	again                          // the second says that it is a retry
	common                         // such payments are usual between the two accounts
	noTime                         // a time is unknown
)

// link is two transfers of the same payment, or of one key, in their order.
type link struct {
	marks mark
	gap   time.Duration // from the first request's arrival to the second's
	pause time.Duration // from the first request's answer to the second's arrival
	a, b  *request
}

func (l *link) is(m mark) bool  { return l.marks&m == m }
func (l *link) any(m mark) bool { return l.marks&m != 0 }

// link compares two transfers.
func (d *facts) link(first, second *transfer) link {
	a, b := &d.requests[first.request], &d.requests[second.request]
	l := link{a: a, b: b, gap: time.Duration(second.created - first.created)}
	if a.is(timed) && b.is(timed) {
		l.gap = time.Duration(b.at - a.at)
		l.pause = time.Duration(b.at - a.end())
	} else {
		l.marks |= noTime
	}
	l.set(sameRef, a.ref != 0 && a.ref == b.ref)
	l.set(otherRef, a.ref != 0 && b.ref != 0 && a.ref != b.ref)
	l.set(namesOrder, a.ref != 0 && a.ref == b.ref && a.is(digits) && !d.shared[a.ref])
	l.set(sameBody, a.body != 0 && a.body == b.body)
	l.set(sameKey, a.key != 0 && a.key == b.key)
	l.set(keyed, a.key != 0 && b.key != 0)
	l.set(keyless, a.key == 0 && b.key == 0)
	l.set(halfKeyed, (a.key == 0) != (b.key == 0))
	l.set(otherBodyKey, a.bodyKey != 0 && b.bodyKey != 0 && a.bodyKey != b.bodyKey)
	l.set(otherEndpoint, a.endpoint != b.endpoint)
	l.set(otherClient, a.client != b.client)
	l.set(unanswered, d.unanswered(a))
	l.set(overlap, a != b && !l.is(noTime) && a.duration > 0 && l.gap >= 0 && l.pause < 0)
	l.set(again, b.is(retried))
	return l
}

func (l *link) set(m mark, yes bool) {
	if yes {
		l.marks |= m
	}
}

// unanswered reports whether the caller of a request cannot know that it moved
// money: a gateway's error, a timeout, or no answer where the log shows those
// of others.
func (d *facts) unanswered(r *request) bool {
	return noAnswer(int(r.status)) || r.status == 0 && d.statuses && r.place != none
}

func noAnswer(status int) bool { return status >= 500 || status == 408 || status == 499 }
