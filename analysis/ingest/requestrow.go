package ingest

import "bytes"

// requestRow is a request as it goes into the database.
type requestRow struct {
	Request
	query    []byte
	keyRaw   []byte // the key as received, where Key is not
	bodyKey  []byte // a key that stands in the body
	ref      []byte // business reference
	kind     kind
	received []byte // the body as received, where Body is another
	order    order
}

// kind says what a request asks for.
type kind string

const (
	payment kind = "payment" // moves money
	other   kind = "other"   // a request that is no payment
	unknown kind = "unknown" // its body is not in the log, or cannot be read
)

// from copies what r tells.
func (row *requestRow) from(r *Request, a *arena) {
	row.Request = *r
	if r.AtEnd {
		row.At -= max(r.Duration, 0)
	}
	path, query, _ := bytes.Cut(r.Endpoint, []byte{'?'})
	row.Endpoint, row.query = a.keep(path), a.keep(query)
	bare := bareKey(r.Key)
	row.Key = a.keep(bare)
	if len(bare) != len(r.Key) {
		row.keyRaw = a.keep(r.Key)
	}
	row.Body = nil
	for _, text := range []*[]byte{&row.Ref, &row.Client, &row.Method, &row.Node, &row.Upstreams, &row.Retry, &row.Replayed, &row.Trace, &row.Note} {
		*text = a.keep(*text)
	}
}

// bareKey is a key without blanks around it and without the quotes of a
// structured field (RFC 9651), under which the draft of the Idempotency-Key
// header sends it. A dash alone is how logs write that there is none.
func bareKey(key []byte) []byte {
	key = bytes.TrimSpace(key)
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		if inner := key[1 : len(key)-1]; bytes.IndexByte(inner, '"') < 0 && bytes.IndexByte(inner, '\\') < 0 {
			return inner
		}
	}
	if len(key) == 1 && key[0] == '-' {
		return nil
	}
	return key
}
