package ingest

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// squareFormat is payments and refunds of Square's API in JSON: one a line, an
// array, or lists as GET /v2/payments and /v2/refunds answer. Amounts are minor
// units. A refund has the id of its payment.
var squareFormat = (&jsonLedger{
	ledger: ledger{
		name: "square", about: "payments and refunds of Square's API in JSON",
		fixed: Mapping{AmountUnit: "minor", Columns: map[string]Places{
			"time": {"$.created_at"}, "id": {"$.id"}, "reference": {"$.reference_id", "$.order_id"}, "src": {"$.customer_id"}, "dst": {"$.location_id"},
			"amount": {"$.amount_money.amount"}, "currency": {"$.amount_money.currency"}, "note": {"$.note", "$.reason"},
		}, Fixed: parties("merchant")},
		extra: []string{"$.status", "$.payment_id"},
		fix: func(t *Transfer, more [][]byte, _ *rules) error {
			if string(more[0]) != "COMPLETED" {
				return aside("a payment that is " + string(more[0]))
			}
			if len(more[1]) > 0 {
				t.Src, t.Dst = t.Dst, t.Src
			}
			return nil
		},
	},
	lists: []string{"payments", "refunds"},
	knows: func(first jsontext.Value) bool {
		return len(valueAt(first, "amount_money.amount")) > 0 && len(valueAt(first, "created_at")) > 0 && len(valueAt(first, "status")) > 0
	},
}).format()

// squareCSVFormat is the export of transactions of Square's dashboard. Date and
// time are local, in a zone named in words, so that --zone is needed; amounts
// have the sign of a currency that many countries share, so that --currency is.
var squareCSVFormat = (&csvLedger{
	ledger: ledger{
		name: "square-csv", about: "transactions of Square's dashboard in CSV",
		fixed: Mapping{AmountUnit: "major", Columns: map[string]Places{
			"id": {"Payment ID", "Transaction ID"}, "reference": {"Transaction ID"}, "src": {"Customer ID"}, "dst": {"Location"}, "note": {"Event Type"},
		}, Fixed: parties("merchant")},
		reads: map[string]Places{"time": {"Date", "Time"}, "amount": {"Total Collected"}},
		extra: []string{"Date", "Time", "Time Zone", "Total Collected"},
		fix: func(t *Transfer, more [][]byte, r *rules) (err error) {
			if t.At, err = r.zonedTime(slices.Concat(more[0], []byte{' '}, more[1]), more[2]); err != nil {
				return err
			}
			if len(t.Currency) == 0 {
				return unsettled("--currency", "the amount %.20q has a sign that many currencies share", more[3])
			}
			if t.Amount, err = r.amount(unsigned(more[3]), t.Currency); err != nil {
				return settle("amount", err)
			}
			reversed(t)
			return nil
		},
	},
	marks: [][]string{{"Date", "Time", "Time Zone", "Total Collected", "Transaction ID", "Payment ID"}},
}).format()

// unsigned is an amount without the sign of its currency: -$12.00, $-12.00 and
// ($12.00) are all below zero.
func unsigned(b []byte) []byte {
	negative := bytes.ContainsAny(b, "-(")
	b = bytes.Trim(b, "-()$€£¥ \u00a0")
	if negative {
		return append([]byte{'-'}, b...)
	}
	return b
}
