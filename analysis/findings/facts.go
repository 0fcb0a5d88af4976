package findings

import (
	"hash/maphash"
	"math"
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
	node             uint32
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
	weakKey                   // ownKey, of a member that may be no key
	retried                   // a header marks it as a retry
	resent                    // a proxy has sent it several times
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
	id       uint64 // the first eight bytes of the id: their order is that of ids, as a rule
	request  int32
	currency uint16
	cap      Confidence // no finding about it is surer than the tie to its request
	join     join       // how it was tied, where the ledger does not name its request
}

// join is a place in joins.
type join uint8

const (
	byKey join = iota + 1
	byReference
	byCircumstances
)

var joins = [...]string{"", "key", "reference", "circumstances"}

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

// booked is a transfer as it is read, with what finds its request.
type booked struct {
	transfer
	seq   int64
	loose looseTransfer
}

// facts is the day: all of it put aside, and in memory what a rule may look at.
type facts struct {
	in        *analysis.Incident
	seed      maphash.Seed
	log       *spool[request]
	ledger    *spool[booked]
	hints                    // while rows are read
	picked    bool           // not all rows are in memory
	asked     map[uint16]int // see askedOf
	requests  []request      // those of the log by seq, then those without one
	logged    int            // requests with a seq
	transfers []transfer
	loose     []looseTransfer // transfers without their request
	names     names           // of clients, endpoints and nodes
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
	named    bool // it names a request, which the log does not have
}
