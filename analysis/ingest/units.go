package ingest

import (
	"fmt"

	"idem/analysis/ingest/money"
	"idem/engine/sqlitestore/sqlfile"
)

// evidence is how many joined transfers one currency has whose amount is that of
// the body, times a power of ten.
type evidence struct {
	currency string
	times    [4]int64 // 1, 10, 100, 1000
}

// settleUnits lets the ledger say whether amounts in bodies are minor units,
// where neither flag nor mapping did.
func (im *importer) settleUnits() error {
	if !im.openUnits {
		return nil
	}
	var all []evidence
	err := im.store.each(amountsSQL, func(row *sqlfile.Stmt) {
		e := evidence{currency: row.String(0)}
		for i := range e.times {
			e.times[i] = row.Int(i + 1)
		}
		all = append(all, e)
	})
	if err != nil {
		return fmt.Errorf("compare amounts: %w", err)
	}
	return judgeUnits(all, im.body.Exponents)
}

// judgeUnits: currencies without decimals say nothing. A few amounts that are
// off do not outweigh the rest; they are what an investigation looks for.
func judgeUnits(all []evidence, exponents money.Exceptions) error {
	var minor, major int64
	for _, e := range all {
		exponent, err := exponents.Exponent(e.currency)
		if err != nil || exponent == 0 || exponent >= len(e.times) {
			continue
		}
		minor += e.times[0]
		major += e.times[exponent]
	}
	switch {
	case minor > 0 && major <= minor/10:
		return nil
	case major > 0:
		return unsettled("--body-amount-unit", "amounts in bodies could be major units: %d transfers moved that many whole units, %d that many minor units", major, minor)
	}
	return unsettled("--body-amount-unit", "amounts in bodies could be minor or major units, and no joined transfer shows which")
}

// completeBodies gives requests that moved money, though their body shows no
// payment or is not in the log, what the ledger shows, and the same to every
// other send of their key: only so can an access log be replayed.
func (im *importer) completeBodies() error {
	if im.books.payments == im.books.requests {
		return nil
	}
	im.changed = true
	if err := im.store.exec(completeBodiesSQL); err != nil {
		return fmt.Errorf("complete bodies: %w", err)
	}
	return nil
}
