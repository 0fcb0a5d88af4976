package sqlitestore

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"idem/engine"
)

// stage is what operations wrote and the file does not have yet.
type stage struct {
	operations, weight int // weight: bytes of the large values

	opened    []*account
	transfers []stagedTransfer
	byID      map[string]int                      // transfers by their id
	records   map[engine.ScopedKey]*engine.Record // nil for one that was released
	documents map[document][]byte
	calls     []call
	args      []any
	// Set when the stage is full.
	balances []account
	last     engine.Fence

	replaced []replacedDocument // by the running operation
}

// stagedTransfer is a transfer with the ids of its accounts as they are stored,
// and the claim it was made under, nil for none.
type stagedTransfer struct {
	engine.Transfer
	src, dst any
	claim    *engine.Record
}

type document struct{ kind, id string }

type replacedDocument struct {
	document
	doc    []byte
	staged bool
}

// call is a statement of the user's own; its arguments end at args.
type call struct {
	query string
	args  int
}

func newStage() *stage {
	return &stage{byID: make(map[string]int), records: make(map[engine.ScopedKey]*engine.Record), documents: make(map[document][]byte)}
}

func (st *stage) reset() {
	clear(st.byID)
	clear(st.records)
	clear(st.documents)
	clear(st.args)
	clear(st.transfers)
	*st = stage{byID: st.byID, records: st.records, documents: st.documents,
		transfers: st.transfers[:0], calls: st.calls[:0], args: st.args[:0], balances: st.balances[:0], opened: st.opened[:0], replaced: st.replaced[:0]}
}

// mostWeight bounds the bytes of the large values of a stage.
const mostWeight = 8 << 20

func (st *stage) full(operations int) bool {
	return st.operations >= operations || st.weight >= mostWeight
}

// mark is how much of a stage was there before an operation. A record is staged
// when nothing can fail any more, and needs no undoing.
type mark struct{ opened, transfers, calls, args int }

func (st *stage) mark() mark {
	st.replaced = st.replaced[:0]
	return mark{len(st.opened), len(st.transfers), len(st.calls), len(st.args)}
}

func (st *stage) undo(m mark) {
	for _, t := range st.transfers[m.transfers:] {
		delete(st.byID, t.ID)
	}
	for _, r := range slices.Backward(st.replaced) {
		if r.staged {
			st.documents[r.document] = r.doc
		} else {
			delete(st.documents, r.document)
		}
	}
	st.opened, st.transfers = st.opened[:m.opened], st.transfers[:m.transfers]
	st.calls, st.args = st.calls[:m.calls], st.args[:m.args]
}

func (st *stage) putDocument(key document, doc []byte) {
	old, staged := st.documents[key]
	st.replaced = append(st.replaced, replacedDocument{key, old, staged})
	st.documents[key] = doc
	st.weight += len(doc)
}

// rows are the writes of the stage in an order that only depends on what was
// asked for.
func (st *stage) rows() iter.Seq[func(*session) error] {
	return func(yield func(func(*session) error) bool) {
		for _, a := range st.opened {
			if !yield(func(s *session) error { return wrapped("open account", s.c.open(a)) }) {
				return
			}
		}
		for i := range st.transfers {
			if !yield(st.transfers[i].write) {
				return
			}
		}
		for _, key := range slices.SortedFunc(maps.Keys(st.records), byKey) {
			if !yield(func(s *session) error { return wrapped("write record", s.c.putRecord(key, st.records[key])) }) {
				return
			}
		}
		for _, key := range slices.SortedFunc(maps.Keys(st.documents), byName) {
			if !yield(func(s *session) error {
				return wrapped("put document", s.c.putDocument(key.kind, key.id, st.documents[key]))
			}) {
				return
			}
		}
		for _, a := range st.balances {
			if !yield(func(s *session) error { return wrapped("write balance", s.c.setBalance(&a)) }) {
				return
			}
		}
		from := 0
		for _, c := range st.calls {
			args := st.args[from:c.args]
			from = c.args
			if !yield(func(s *session) error { _, err := s.c.exec(c.query, args...); return wrapped("execute", err) }) {
				return
			}
		}
	}
}

func byKey(a, b engine.ScopedKey) int {
	return cmp.Or(cmp.Compare(a.ClientID, b.ClientID), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Key, b.Key))
}

func byName(a, b document) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id))
}

func (t *stagedTransfer) write(s *session) error {
	at := engine.FormatInstant(t.CreatedAt)
	if _, err := s.c.exec(sqlTransferInsert, t.ID, t.src, t.dst, t.Amount, t.Currency, at); err != nil {
		return fmt.Errorf("write transfer: %w", err)
	}
	return wrapped("tie transfer to its claim", (&tx{s: s, claim: t.claim}).tie(t.Transfer, at))
}

// putRecord makes the record of a key what it is in the stage.
func (c *conn) putRecord(key engine.ScopedKey, r *engine.Record) error {
	if r == nil {
		_, err := c.exec(sqlRecordDelete, key.ClientID, key.Endpoint, key.Key)
		return err
	}
	at, err := r.Instants()
	if err != nil {
		return err
	}
	var completed, status, reason, header, body, notKept any
	if r.State == engine.Completed {
		completed, status, reason, header, body, notKept = at.Completed, r.Reply.Status, r.Reply.Reason, headerText(r.Reply.Header), r.Reply.Body, r.Reply.NotKept
	}
	_, err = c.exec(sqlRecordPut, key.ClientID, key.Endpoint, key.Key, r.State.String(), r.Fingerprint[:], int64(r.Life), int64(r.Fence), r.Attempt,
		at.Claimed, at.Lease, c.checksum(r), completed, status, reason, header, body, notKept)
	return err
}
