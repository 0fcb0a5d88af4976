package analysis

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"idem/engine/sqlitestore/sqlfile"
)

// A SumError is a sum that does not fit 64 bits. It is an [ErrOverflow].
type SumError struct {
	Sum      int64 // what there was, in minor units
	Amount   int64 // what was to be added to it
	Currency string
	// Largest is the transfer of that currency whose amount is furthest from
	// zero: one amount is nearly always what a sum breaks at, and not the last one
	// added. It is nil until [Incident.ExplainSum] has looked for it.
	Largest *TransferV1
}

func (e *SumError) Error() string {
	return fmt.Sprintf("a sum in %s does not fit 64 bits: %d and %d more", strconv.Quote(e.Currency), e.Sum, e.Amount)
}

// Unwrap makes errors.Is find ErrOverflow.
func (e *SumError) Unwrap() error { return ErrOverflow }

// origin says where a transfer comes from.
func (t *TransferV1) origin() string {
	text := "no request"
	if t.HasSeq {
		text = fmt.Sprintf("request %d", t.Seq)
	}
	return text + ", key " + strconv.Quote(t.Key)
}

// ExplainSum completes an error that holds a [SumError] of this incident with
// the transfer that it most likely comes from, which takes a reading of
// transfer_v1, and with what to do. Any other error stays as it is.
func (in *Incident) ExplainSum(ctx context.Context, err error) error {
	var e *SumError
	if !errors.As(err, &e) || e.Largest != nil {
		return err
	}
	largest, found := TransferV1{}, false
	var names interner
	t := &in.tables[transferTable]
	look := in.each(ctx, "SELECT "+t.transferSelect()+" FROM "+t.name, func(s *sqlfile.Stmt) {
		var row transferRow
		if row.read(s); row.why != "" || names.text(s, tCurrency) != e.Currency {
			return
		}
		if !found || magnitude(row.amount) > magnitude(largest.Amount) {
			largest, found = row.transfer(s, &names), true
		}
	})
	const wayOut = "correct a wrong amount in a copy of the database, or divide the day into several"
	if look != nil || !found {
		return fmt.Errorf("%w; %s", err, wayOut)
	}
	e.Largest = &largest
	return fmt.Errorf("%w; the largest amount is %d, of transfer %s (%s): %s", err, largest.Amount, strconv.Quote(largest.ID), largest.origin(), wayOut)
}

// magnitude is how far n is from zero; the least integer has no positive twin.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
