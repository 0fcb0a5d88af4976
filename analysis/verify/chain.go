package verify

import (
	"context"
	"fmt"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

// walk follows the chain from its beginning.
type walk struct {
	check *Check
	kept  *Head
	n     int64
	seal  engine.Seal
	// broken: the seal before the next row is not known, after a row that is lost.
	broken bool
}

// chain: the hashes over the transfers, computed anew.
func (a *audit) chain(ctx context.Context, c *Check) error {
	if !a.tables["chain_head"] {
		c.Note = "the transfers have no chain: an older version made them. It is made when the database is used again"
		if a.o.Kept != nil {
			c.fail("", "a head of %d transfers was kept, and there is no chain", a.o.Kept.N)
		}
		return nil
	}
	end, err := a.end(ctx)
	if err != nil {
		return err
	}
	w := &walk{check: c, kept: a.o.Kept}
	if err := a.rows(ctx, "chain", w.step); err != nil {
		return err
	}
	c.Rows = w.n
	w.finish(end)
	a.report.Head = end
	return a.unsealed(ctx, c)
}

// unsealed notes the transfers that were made since the last sealing.
func (a *audit) unsealed(ctx context.Context, c *Check) error {
	if !a.copied {
		return nil
	}
	return a.query(ctx, "SELECT count(*) FROM transfer_claim WHERE n IS NULL", func(s *sqlfile.Stmt) {
		if n := s.Int(0); n > 0 {
			c.Note = fmt.Sprintf("%d transfers are not sealed yet: a server seals them within seconds, and when it stops", n)
		}
	})
}

// end is the chain's end by the file's own account; nil when it has none.
func (a *audit) end(ctx context.Context) (end *Head, err error) {
	err = a.query(ctx, "SELECT n, hash FROM chain_head WHERE one = 1", func(s *sqlfile.Stmt) {
		seal, _ := engine.ParseSeal(s.Bytes(1))
		end = &Head{N: s.Int(0), Seal: seal}
	})
	return end, err
}

// step judges one row of the chain. It goes on from what the row says, so that
// one edit is told once.
func (w *walk) step(s *sqlfile.Stmt) {
	n, id := s.Int(0), s.String(2)
	stored, whole := engine.ParseSeal(s.Bytes(1))
	place := fmt.Sprintf("transfer %q, place %d", id, n)
	switch {
	case n <= w.n:
		w.check.fail(place, "its place in the chain is taken by another")
		return
	case n > w.n+1:
		w.check.fail(fmt.Sprintf("place %d", w.n+1), "%d transfers are missing before %s", n-w.n-1, place)
		w.broken = true
	}
	switch {
	case !whole:
		w.check.fail(place, "its hash is damaged")
	case null(s, 3):
		w.check.fail(place, "it was deleted")
	case !w.broken && sealOf(w.seal, s) != stored:
		w.check.fail(place, "it is not what was sealed: edited, inserted, or after one that was")
	}
	w.n, w.seal, w.broken = n, stored, !whole
	if w.kept != nil && w.kept.N == n && w.kept.Seal != stored {
		w.check.fail(place, "when the head was kept, the chain up to here had another hash: it was rewritten")
	}
}

func sealOf(before engine.Seal, s *sqlfile.Stmt) engine.Seal {
	amount, ok := integer(s, 6)
	if !ok {
		return engine.Seal{} // no amount has this seal
	}
	return before.Next(s.String(3), s.String(4), s.String(5), amount, s.String(7), s.String(8))
}

// finish judges the chain's end.
func (w *walk) finish(end *Head) {
	switch {
	case end == nil:
		w.check.fail("chain_head", "it is empty: where the chain ended is not known")
	case end.N > w.n:
		w.check.fail(fmt.Sprintf("place %d", w.n+1), "the last %d transfers are missing", end.N-w.n)
	case end.N < w.n:
		w.check.fail(fmt.Sprintf("place %d", end.N+1), "%d transfers stand after the chain's end", w.n-end.N)
	case end.Seal != w.seal:
		w.check.fail(fmt.Sprintf("place %d", w.n), "the chain's end has another hash")
	}
	if w.kept != nil && w.kept.N > w.n {
		w.check.fail(fmt.Sprintf("place %d", w.n+1), "the last %d transfers of when the head was kept are missing: an older state was put back", w.kept.N-w.n)
	}
}
