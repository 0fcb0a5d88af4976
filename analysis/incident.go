// Package analysis opens an incident, which is an SQLite file that says what a
// payment gateway received and what money really moved, and finds the
// payments that went out twice.
//
// The file is evidence: it is read as it stands and never touched. Bad rows
// are counted and listed, and do not stop the analysis of the others. Nothing
// here reads the clock, the locale or the order of a map, so the same file
// always gives the same answer.
package analysis

import "time"

// Request is one row of req_log: what the gateway received, retries included.
type Request struct {
	N          int64     // position in the day, 1..N, in seq order
	Seq        int64     // req_log.seq
	ReceivedAt time.Time // UTC; the zero time when the column could not be read
	RawTime    string    // received_at as it stands in the file
	ClientID   string
	Endpoint   string
	Key        string // raw, quotes included; "" when NULL
	NullKey    bool   // it is NULL, and not the empty text
	BadKey     string // what stands there, in SQL's notation, where it is neither text nor integer; then the row is unusable
	Body       []byte // JSON text as received; valid until the next row is read
	NullBody   bool   // it is NULL, and not the empty text
	Duration   time.Duration
	HasDur     bool   // duration_ms was present, an integer and not negative
	Status     int    // logged status; 0 when unknown
	Method     string // "" when unknown
	Node       string
	Attempts   int // 0 when unknown
	// Transfers are what the unprotected service moved for this request,
	// ordered by (created_at, transfer_id). Unusable ones are not among them.
	Transfers []TransferV1
	// UnusableTransfers are so many more, whose amount or currency nobody can tell:
	// the request moved money all the same.
	UnusableTransfers int
	// Unusable says why the row cannot be replayed as a payment ("" when it can):
	// no client, no endpoint, a body that is no JSON object, a seq that is no integer.
	// An unreadable time alone does not make it so: the clock then stands still.
	Unusable string
}

// Keyless reports whether the request carries no idempotency key: NULL, empty or
// blank. A BLOB or a REAL is a key that cannot be used, not one that is missing.
func (r *Request) Keyless() bool { return r.BadKey == "" && blank(r.Key) }

// TransferV1 is one row of transfer_v1: what the unprotected service really moved.
type TransferV1 struct {
	ID     string
	Seq    int64 // the request that caused it
	HasSeq bool  // seq is an integer
	// Key, Src and Dst are "" when NULL, and in SQL's notation where they are
	// neither text nor integer: the money has moved all the same.
	Key, Src, Dst string
	Amount        int64 // minor units
	Currency      string
	CreatedAt     time.Time // UTC
}

// Account is one row of account: a balance before the day, in minor units.
type Account struct {
	ID      string // by its text: 7 and "7" are one account
	Integer bool   // stored as an integer
	Holder  string
	Balance int64
}

// Evidence says which input a result was made from.
type Evidence struct {
	File   string // base name, as given
	SHA256 string // lower-case hex of the database file
	Size   int64  // bytes
	// Log is the write-ahead log or hot journal that holds part of the rows,
	// "" where the file is all there is.
	Log       string
	LogSHA256 string
	LogSize   int64
}

// BadRow is one row (or cell) that could not be used, and why.
type BadRow struct {
	Table  string `json:"table"`
	Row    string `json:"row"` // its seq, transfer_id or acct_id; "rowid N" where that is unreadable
	Column string `json:"column"`
	Value  string `json:"value"` // cut to 200 bytes
	Reason string `json:"reason"`
}

// Scope is where a key lives: the same text under another client or endpoint is another key.
type Scope struct {
	ClientID string `json:"client_id"`
	Endpoint string `json:"endpoint"`
	Key      string `json:"idem_key"`
}

// Group is one scoped key with two or more transfers.
type Group struct {
	Scope
	Requests  int64         // rows of req_log under this key
	Kept      string        // transfer_id of the first transfer
	Extra     []string      // transfer_ids of the others, in order
	Paid      Money         // extra amounts by currency
	Transfers int64         // 1 + len(Extra)
	FirstAt   time.Time     // created_at of the kept transfer
	LastAt    time.Time     // created_at of the last extra
	Gap       time.Duration // FirstAt to the second transfer
}

// Duplicates is the duplicate analysis of one incident: what dup_report.json says.
type Duplicates struct {
	Requests       int64 // rows of req_log
	UniqueKeys     int64 // scoped keys in req_log; a client or endpoint that is NULL is the empty one
	DuplicateKeys  int64 // scoped keys with two or more transfers
	ExtraTransfers int64
	DoublePaid     Money // by currency
	Groups         []Group
	Transfers      int64 // rows of transfer_v1 that can be used
	V1Total        Money // sum of their amounts
	// NegativeTransfers have an amount below zero: money that was taken back. The
	// sums hold them as they stand, which makes these the less; NegativeTotal is
	// by how much.
	NegativeTransfers int64
	NegativeTotal     Money
	KeylessRequests   int64        // requests without a key
	KeylessTransfers  int64        // transfers caused by them
	Unmatched         []TransferV1 // transfers whose request is not in req_log
	UnmatchedCount    int64
	UnmatchedTotal    Money
	KeyDiffers        []KeyDifference // transfer_v1.idem_key against the request's
	KeyDiffersCount   int64
	Bad               []BadRow
	BadRequests       int64
	BadTransfers      int64
	BadTotal          Money // of those whose amount and currency can be read; in no other sum
	BadAccounts       int64
	First, Last       time.Time     // received_at range; zero when no time is readable
	LongestGap        time.Duration // longest span between two sends of one key
}

// KeyDifference is a transfer whose idem_key is not its request's. The request's counts.
type KeyDifference struct {
	TransferID string `json:"transfer_id"`
	Seq        int64  `json:"seq"`
	Transfer   string `json:"transfer_key"`
	Request    string `json:"request_key"`
}
