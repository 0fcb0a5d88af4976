package ingest

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/money"
)

// modernTreasuryFormat is payment orders and ledger transactions of Modern
// Treasury in JSON: one a line or an array. Amounts are minor units. A credit
// pushes money from the originating account, a debit pulls it from the receiving
// one. A ledger transaction of one credit and one debit entry moves from the
// credited account to the debited one; one with more entries is no single
// transfer.
var modernTreasuryFormat = (&jsonLedger{
	ledger: ledger{
		name: "modern-treasury", about: "payment orders and ledger transactions of Modern Treasury in JSON",
		fixed: Mapping{AmountUnit: "minor", Columns: map[string]Places{
			"time": {"$.effective_at", "$.created_at"}, "id": {"$.id"}, "reference": {"$.external_id", "$.metadata.order_id", "$.statement_descriptor", "$.ledgerable_id"},
			"key": {"$.metadata.idempotency_key"}, "src": {"$.originating_account_id"}, "dst": {"$.receiving_account_id"},
			"amount": {"$.amount"}, "currency": {"$.currency"}, "note": {"$.description"},
		}},
		extra: []string{"$.object", "$.status", "$.direction", "$.ledger_entries"},
		fix: func(t *Transfer, more [][]byte, r *rules) error {
			switch object, status := string(more[0]), string(more[1]); object {
			case "payment_order":
				if !oneOf(more[1], "completed", "sent", "reconciled") {
					return aside("a payment order that is " + status)
				}
				if string(more[2]) == "debit" {
					t.Src, t.Dst = t.Dst, t.Src
				}
				return nil
			case "ledger_transaction":
				if status != "posted" {
					return aside("a ledger transaction that is " + status)
				}
				return twoEntries(t, more[3], r)
			default:
				return aside("an object of the kind " + object)
			}
		},
	},
	knows: func(first jsontext.Value) bool {
		return isText(first, "object", "payment_order") && member(first, "originating_account_id") != nil ||
			isText(first, "object", "ledger_transaction") && member(first, "ledger_entries") != nil
	},
}).format()

// twoEntries makes a transfer of a pair of entries.
func twoEntries(t *Transfer, list []byte, r *rules) error {
	var amounts []int64
	var failed error
	err := elements(list, func(entry jsontext.Value) {
		text := func(at string) []byte { return valueAt(entry, at) }
		currency := text("ledger_account_currency")
		amount, err := r.amount(text("amount"), currency)
		failed = errors.Join(failed, err)
		amounts = append(amounts, amount)
		t.Amount, t.Currency = amount, money.Code(currency)
		switch string(text("direction")) {
		case "credit":
			t.Src = text("ledger_account_id")
		case "debit":
			t.Dst = text("ledger_account_id")
		}
	})
	switch {
	case err != nil || failed != nil:
		return errors.Join(err, failed)
	case len(amounts) != 2:
		return aside(fmt.Sprintf("a ledger transaction of %d entries", len(amounts)))
	case amounts[0] != amounts[1]:
		return errors.New("the two entries differ in amount")
	}
	return nil
}
