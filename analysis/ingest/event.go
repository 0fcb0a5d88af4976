package ingest

// Request is one request as a log tells it. Its texts are only read while it is
// handed over, so a format may use one Request and one buffer for every row.
// A text that is nil or empty is unknown.
type Request struct {
	Line int64 // where the row begins in its file, from 1

	At       int64 // when the request began, in nanoseconds since 1970 UTC; 0 is unknown
	Duration int64 // nanoseconds until the reply was sent; -1 is unknown
	AtEnd    bool  // At is when the request ended: Duration is taken off

	Ref      []byte // the id of the request, as the ledger may know it
	Client   []byte // who sent it; a credential is replaced by a pseudonym
	Method   []byte
	Endpoint []byte // path; a query behind it is split off
	Key      []byte // idempotency key of the header, as received
	Body     []byte // as received
	Status   int64  // of the reply; 0 is unknown
	Attempts int64  // how often it was executed; 0 is unknown
	Node     []byte

	Upstreams []byte // every execution, one text each, parted by ", "
	Retry     []byte // what marks it as a retry: the header's text
	Replayed  []byte // what marks the reply as a stored one: the header's text
	Trace     []byte // id that several requests of one operation share
	Note      []byte // what else the row shows
}

// Transfer is one movement of money as a ledger tells it; see Request for whose
// its texts are.
type Transfer struct {
	Line int64

	At       int64 // when it was booked, in nanoseconds since 1970 UTC; 0 is unknown
	ID       []byte
	Request  []byte // id of the request that caused it
	Key      []byte // idempotency key, where the ledger keeps it
	Ref      []byte // business reference: an order, an invoice
	Src, Dst []byte
	Amount   int64 // minor units
	Currency []byte
	Seq      int64 // position in the ledger; 0 is unknown
	Note     []byte
}

// Account is an opening balance in minor units.
type Account struct {
	Line    int64
	ID      []byte
	Holder  []byte
	Balance int64
}

// Role is what a file tells of.
type Role string

// The roles.
const (
	Requests  Role = "requests"
	Transfers Role = "transfers"
	Accounts  Role = "accounts"
)

var roles = []Role{Requests, Transfers, Accounts}
