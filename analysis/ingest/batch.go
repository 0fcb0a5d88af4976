package ingest

// batch carries rows from the reader of a file to the writer of the database.
type batch struct {
	source    int64
	requests  []requestRow
	transfers []Transfer
	accounts  []Account
	rejects   []reject
	arena     arena
}

// reject is a row that became no row of the incident.
type reject struct {
	line   int64
	aside  bool // it is sound, but tells of no request or transfer of its own
	reason string
	text   []byte
}

// Sizes at which a batch is handed on.
const (
	batchRows  = 512
	batchBytes = 1 << 20
)

func (b *batch) full() bool {
	return len(b.requests)+len(b.transfers)+len(b.accounts)+len(b.rejects) >= batchRows || b.arena.size >= batchBytes
}

func (b *batch) reset() {
	b.requests, b.transfers, b.accounts, b.rejects = b.requests[:0], b.transfers[:0], b.accounts[:0], b.rejects[:0]
	b.arena.reset()
}

// arena keeps copies of texts, close together and without an allocation each.
type arena struct {
	chunk []byte
	size  int
}

const chunkSize = 64 << 10

// keep copies b. What is empty becomes nil.
func (a *arena) keep(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(a.chunk)+len(b) > cap(a.chunk) {
		// The old chunk lives on in the texts that were cut from it.
		a.chunk = make([]byte, 0, max(chunkSize, len(b)))
	}
	from := len(a.chunk)
	a.chunk = append(a.chunk, b...)
	a.size += len(b)
	return a.chunk[from:len(a.chunk):len(a.chunk)]
}

func (a *arena) reset() {
	if cap(a.chunk) > chunkSize {
		a.chunk = nil
	}
	a.chunk, a.size = a.chunk[:0], 0
}
