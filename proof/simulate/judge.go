//go:build faults

package simulate

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/anishathalye/porcupine"

	"idem/analysis"
	"idem/analysis/verify"
	"idem/engine"
	"idem/proof/linear"
)

func keyOf(key string) engine.ScopedKey {
	return engine.ScopedKey{ClientID: "shop", Endpoint: "/t", Key: key}
}

func recordOf(s engine.Store, key engine.ScopedKey) (r *engine.Record, err error) {
	err = s.View(context.Background(), func(tx engine.Tx) error {
		r, err = tx.Record(context.Background(), key)
		return err
	})
	return r, err
}

// held is all that a store has, but for transfers that nobody asked for.
type held struct {
	Records  []*engine.Record
	Accounts []*engine.Account
}

func (w *world) heldBy(s engine.Store) (h held, err error) {
	ctx := context.Background()
	err = s.View(ctx, func(tx engine.Tx) error {
		for _, key := range w.keys {
			r, err := tx.Record(ctx, keyOf(key))
			if err != nil {
				return err
			}
			h.Records = append(h.Records, r)
		}
		for _, a := range w.accounts() {
			a, err := tx.Account(ctx, a.ID)
			if err != nil {
				return err
			}
			h.Accounts = append(h.Accounts, a)
		}
		return nil
	})
	return h, err
}

// look compares the file with the reference, whatever is going on. A reader sees
// what is committed and nothing in between.
func (w *world) look() {
	w.Counters.Looks++
	got, err := w.heldBy(w.up[w.random.IntN(len(w.up))].file)
	want, wrong := w.heldBy(w.model)
	switch {
	case err != nil || wrong != nil:
		w.fail("a reader is refused: %v, %v", err, wrong)
	case !reflect.DeepEqual(got, want):
		w.fail("the file holds\n%s\nand the reference\n%s", jsonOf(got), jsonOf(want))
	}
}

// stuck reports whether a key has a claim in progress.
func (w *world) stuck(key string) bool {
	r, err := recordOf(w.model, keyOf(key))
	return err != nil || r != nil && r.State != engine.Completed
}

// audit is idem verify on the file at rest.
func (w *world) audit() {
	if w.broken != "" {
		return
	}
	w.Counters.Audits++
	ctx := context.Background()
	f, err := analysis.OpenFile(ctx, w.path)
	if err != nil {
		w.fail("the file is not opened: %v", err)
		return
	}
	defer f.Close()
	report, err := verify.Ledger(ctx, f, verify.Options{Now: w.latest})
	if err != nil {
		w.fail("the audit fails: %v", err)
		return
	}
	for _, c := range report.Checks {
		if !c.Holds() {
			w.fail("%s: %+v", c.Name, c.Violations)
		}
	}
	if report.Head.N != w.made {
		w.fail("the file has %d transfers, the reference %d", report.Head.N, w.made)
	}
}

// transfers counts what the reference made in this schedule. What clients were
// told of must be among it, and in the file.
func (w *world) transfers() {
	var ids []string
	for worker := range w.workers + 1 {
		for tries := 1; tries <= 3; tries++ {
			ids = append(ids, w.transferID(worker, tries))
		}
	}
	for _, t := range w.madeBy(w.model, ids) {
		if t != nil {
			w.made++
		}
	}
	ids = ids[:0]
	for _, a := range w.history.told {
		var said struct {
			ID string `json:"transfer_id"`
		}
		if err := json.Unmarshal(a.Body, &said); err != nil {
			w.fail("an answer is not read: %s", a.Body)
		}
		ids = append(ids, said.ID)
	}
	want, got := w.madeBy(w.model, ids), w.madeBy(w.up[0].file, ids)
	for i, id := range ids {
		w.Counters.Acknowledged++
		if want[i] == nil || !reflect.DeepEqual(got[i], want[i]) {
			w.fail("a client was told of %s; there is %+v, the reference has %+v", id, got[i], want[i])
		}
	}
}

// madeBy reads transfers; nil for each that is not there.
func (w *world) madeBy(s engine.Store, ids []string) []*engine.Transfer {
	list := make([]*engine.Transfer, len(ids))
	err := s.View(context.Background(), func(tx engine.Tx) (err error) {
		for i, id := range ids {
			if list[i], err = tx.Transfer(context.Background(), id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.fail("transfers are not read: %v", err)
	}
	return list
}

// judge: what the clients saw could be one server's doing, where each key had one
// life and one meaning.
func (w *world) judge() {
	h := &w.history
	if w.broken != "" || h.renewed || w.policy.Stored != engine.StoreAll || w.policy.OnMismatch != 422 {
		return
	}
	w.Counters.Linearized++
	if !porcupine.CheckOperations(linear.Model(), h.seen) {
		var out strings.Builder
		for _, op := range h.seen {
			out.WriteString("\n")
			out.WriteString(strings.TrimSpace(jsonOf(op)))
		}
		w.fail("what the clients saw is not linearizable:%s", out.String())
	}
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
