package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idem/engine"
)

// names are the ids a test has used: what a dump through View asks for.
type names struct {
	keys                []engine.ScopedKey
	accounts, transfers []string
	documents           [][2]string
}

func (n *names) key(k engine.ScopedKey) {
	if !slices.Contains(n.keys, k) {
		n.keys = append(n.keys, k)
	}
}

func (n *names) transfer(id string) {
	if !slices.Contains(n.transfers, id) {
		n.transfers = append(n.transfers, id)
	}
}

func (n *names) document(kind, id string) {
	if d := [2]string{kind, id}; !slices.Contains(n.documents, d) {
		n.documents = append(n.documents, d)
	}
}

// dump is all that the store is known to hold, as text.
func (b *bundle) dump() string {
	b.Helper()
	text, err := dumpOf(b.store, &b.names, func(f engine.Fence) engine.Fence { return f })
	if err != nil {
		b.Fatalf("dump: %v", err)
	}
	if b.f.Dump != nil {
		text += b.f.Dump(b, b.store)
	}
	return text
}

// dumpOf reads the named things through View; fences are written as named.
func dumpOf(s engine.Store, n *names, named func(engine.Fence) engine.Fence) (string, error) {
	var out strings.Builder
	ctx := context.Background()
	err := s.View(ctx, func(tx engine.Tx) error {
		for _, k := range n.keys {
			r, err := tx.Record(ctx, k)
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, "%q %s\n", k, recordText(r, named))
		}
		for _, id := range n.accounts {
			a, err := tx.Account(ctx, id)
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, "account %q %+v\n", id, a)
		}
		return dumpWritten(ctx, &out, tx, n)
	})
	return out.String(), err
}

// dumpWritten is what effects wrote.
func dumpWritten(ctx context.Context, out *strings.Builder, tx engine.Tx, n *names) error {
	for _, id := range n.transfers {
		t, err := tx.Transfer(ctx, id)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "transfer %q %+v\n", id, t)
	}
	for _, d := range n.documents {
		doc, err := tx.Document(ctx, d[0], d[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "document %q %q nil=%v\n", d, doc, doc == nil)
	}
	return nil
}

// recordText is every field of a record, nil and empty bytes apart.
func recordText(r *engine.Record, named func(engine.Fence) engine.Fence) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%v %s life=%d fence=%d attempt=%d claimed=%v lease=%v completed=%v %d %q header=%q body=%q nil=%v notkept=%v",
		r.State, r.Fingerprint, named(r.Life), named(r.Fence), r.Attempt, r.ClaimedAt, r.LeaseUntil, r.CompletedAt,
		r.Reply.Status, r.Reply.Reason, r.Reply.Header, r.Reply.Body, r.Reply.Body == nil, r.Reply.NotKept)
}
