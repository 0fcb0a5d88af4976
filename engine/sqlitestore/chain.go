package sqlitestore

import (
	"database/sql/driver"

	"idem/engine"
)

// chain is the end of the hash chain over the transfers (see [engine.Seal]): how
// many it holds, its last hash, and how many transfers stand outside of it.
//
// The links are columns of transfer_claim, which has a row for each transfer
// anyway. Their order is n and not the row's: lives are numbered by their
// claims, and a transfer comes with the completion.
type chain struct {
	n      int64
	seal   engine.Seal
	untied int64
}

func chainOf(c *columns) chain {
	ch := chain{n: c.integer()}
	seal, ok := engine.ParseSeal(c.blob())
	if !ok {
		c.fail("a hash")
	}
	ch.seal, ch.untied = seal, c.integer()
	return ch
}

// tie writes what ties a transfer to the life of the key it was made in. Outside
// of a completion there is none, and the transfer is only counted.
func (t *tx) tie(tr engine.Transfer, createdAt string) error {
	ch := &t.s.chain
	if t.claim == nil {
		ch.untied++
		return nil
	}
	ch.n++
	ch.seal = ch.seal.Next(tr.ID, tr.Src, tr.Dst, tr.Amount, tr.Currency, createdAt)
	_, err := t.s.c.exec(sqlTransferClaimInsert, int64(t.claim.Life), int64(t.claim.Fence), tr.ID, ch.n, ch.seal[:])
	return err
}

// seal writes the chain's end when it has moved.
func (s *session) seal() error {
	if s.chain == s.sealed {
		return nil
	}
	if _, err := s.c.exec(sqlChainUpdate, s.chain.n, s.chain.seal[:], s.chain.untied); err != nil {
		return err
	}
	s.sealed = s.chain
	return nil
}

// beginChain begins the chain of a file that has none. The transfers that an
// older version made come first, in the order of their claims, as that of their
// completions is not known any more.
func beginChain(c *conn) error {
	begun, err := c.row(sqlChainBegun)
	if err != nil || begun != nil {
		return err
	}
	var ch chain
	type link struct {
		life int64
		chain
	}
	var links []link
	err = c.query(sqlChainUnlinked, nil, func(row []driver.Value) error {
		cols := columns{row: row}
		life := cols.integer()
		ch.n++
		ch.seal = ch.seal.Next(cols.text(), cols.text(), cols.text(), cols.integer(), cols.text(), cols.text())
		links = append(links, link{life, ch})
		return cols.damaged("transfer")
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		if err := exactlyOne(c.exec(sqlChainLink, l.n, l.seal[:], l.life)); err != nil {
			return err
		}
	}
	_, err = c.exec(sqlChainBegin, ch.n, ch.seal[:])
	return err
}
