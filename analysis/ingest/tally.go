package ingest

import (
	"fmt"
	"maps"
	"slices"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

// tally adds up what is asked of each account and what moved from it, to open
// the accounts that no file gives. It keeps some of them in memory and the rest
// in a table.
type tally struct {
	s     *store
	index map[string]int32 // into sums: a million pointers would be the collector's work
	sums  []sums
	most  int // accounts in memory
	stmt  *sqlfile.Stmt
	open  *sqlfile.Stmt
}

// sums are what one account pays, in minor units of whatever currency: an
// account has one balance.
type sums struct{ asked, moved int64 }

// maxSums bounds the accounts in memory: about 10 MB.
const maxSums = 1 << 17

func newTally(s *store) (*tally, error) {
	t := &tally{s: s, index: map[string]int32{}, most: maxSums}
	const table = "CREATE TEMP TABLE tally (acct_id TEXT PRIMARY KEY, asked INTEGER NOT NULL, moved INTEGER NOT NULL) STRICT, WITHOUT ROWID"
	if err := s.exec(table); err != nil {
		return nil, err
	}
	var err error
	// A sum beyond 64 bits would be a REAL, which a STRICT table refuses.
	if t.stmt, err = s.prepare(`INSERT INTO tally VALUES (?1, ?2, ?3)
	  ON CONFLICT DO UPDATE SET asked = asked + excluded.asked, moved = moved + excluded.moved`); err != nil {
		return nil, err
	}
	t.open, err = s.prepare("INSERT INTO account (acct_id, holder, balance, assumed) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING")
	return t, err
}

// of is the entry of an account, valid until the next call.
func (t *tally) of(id []byte) (*sums, error) {
	if i, ok := t.index[string(id)]; ok {
		return &t.sums[i], nil
	}
	if len(t.sums) >= t.most {
		if err := t.spill(); err != nil {
			return nil, err
		}
	}
	t.index[string(id)] = int32(len(t.sums))
	t.sums = append(t.sums, sums{})
	return &t.sums[len(t.sums)-1], nil
}

func (t *tally) asked(o *order) error {
	if _, err := t.of(o.dst); err != nil {
		return err
	}
	s, err := t.of(o.src)
	if err != nil {
		return err
	}
	s.asked, err = engine.Add(s.asked, o.amount)
	return t.wrap(o.src, err)
}

func (t *tally) moved(m *Transfer) error {
	if _, err := t.of(m.Dst); err != nil {
		return err
	}
	s, err := t.of(m.Src)
	if err != nil {
		return err
	}
	s.moved, err = engine.Add(s.moved, m.Amount)
	return t.wrap(m.Src, err)
}

func (t *tally) wrap(id []byte, err error) error {
	if err != nil {
		return fmt.Errorf("what account %.40q pays on this day does not fit 64 bits: are the amounts right? %w", id, err)
	}
	return nil
}

// given opens an account that a file gives; the first row of an id counts.
func (t *tally) given(a *Account) error {
	t.open.BindText(1, text(a.ID))
	t.open.BindText(2, text(a.Holder))
	t.open.BindInt(3, a.Balance)
	return t.open.Run()
}

// spill adds what is in memory to the table, in the table's order: a B-tree takes
// neighbours much faster than strangers.
func (t *tally) spill() error {
	for _, id := range slices.Sorted(maps.Keys(t.index)) {
		s := &t.sums[t.index[id]]
		t.stmt.BindText(1, id)
		t.stmt.BindInt(2, s.asked)
		t.stmt.BindInt(3, s.moved)
		if err := t.stmt.Run(); err != nil {
			return fmt.Errorf("add up accounts: %w", err)
		}
	}
	clear(t.index)
	t.sums = t.sums[:0]
	return nil
}

// assume opens the accounts that no file gave. The balance covers all that moved
// and all that was asked together: a request without a body asks only through
// the ledger.
func (t *tally) assume() error {
	if err := t.spill(); err != nil {
		return err
	}
	err := t.s.exec(`INSERT INTO account (acct_id, holder, balance, assumed)
	  SELECT acct_id, '', asked + moved, 1 FROM tally WHERE true ORDER BY acct_id ON CONFLICT DO NOTHING`)
	if err != nil {
		return fmt.Errorf("open accounts: %w", err)
	}
	return nil
}
