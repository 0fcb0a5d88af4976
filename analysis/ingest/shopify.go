package ingest

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// shopifyMoves reports whether a transaction of an order moves money: one way, or
// back. The kinds are those of Shopify's Admin API; an authorization moves nothing
// until it is captured.
func shopifyMoves(t *Transfer, kind, status []byte) error {
	switch {
	case !oneOf(status, "success"):
		return aside("a transaction with the status " + string(status))
	case oneOf(kind, "refund"):
		t.Src, t.Dst, t.Amount = t.Dst, t.Src, max(t.Amount, -t.Amount)
	case !oneOf(kind, "sale", "capture"):
		return aside("a transaction of the kind " + string(kind))
	}
	return nil
}

// shopifyFormat is transactions of Shopify's Admin API in JSON: one a line, an
// array, or lists as an order's transactions answer. Amounts are whole units in
// texts.
var shopifyFormat = (&jsonLedger{
	ledger: ledger{
		name: "shopify", about: "transactions of Shopify's Admin API in JSON",
		fixed: Mapping{AmountUnit: "major", Decimal: "point", Columns: map[string]Places{
			"time": {"$.processed_at", "$.created_at"}, "id": {"$.id"}, "reference": {"$.order_id", "$.payment_id"}, "key": {"$.unique_token"},
			"amount": {"$.amount"}, "currency": {"$.currency"}, "note": {"$.gateway"},
		}, Fixed: parties("shop")},
		extra: []string{"$.kind", "$.status", "$.test"},
		fix: func(t *Transfer, more [][]byte, _ *rules) error {
			if string(more[2]) == "true" {
				return aside("a test transaction")
			}
			return shopifyMoves(t, more[0], more[1])
		},
	},
	lists: []string{"transactions"},
	knows: func(first jsontext.Value) bool {
		return isText(first, "kind", "sale", "capture", "refund", "authorization", "void") && member(first, "gateway") != nil && member(first, "order_id") != nil
	},
}).format()

// shopifyCSVFormat is the export of an order's transactions. It has no ids: a row
// is called by its order and line, so two exports that overlap are two ledgers.
var shopifyCSVFormat = (&csvLedger{
	ledger: ledger{
		name: "shopify-csv", about: "order transactions of Shopify in CSV",
		fixed: Mapping{AmountUnit: "major", Columns: map[string]Places{
			"time": {"Created At"}, "id": {"Order"}, "reference": {"Name", "Order"}, "amount": {"Amount"}, "currency": {"Currency"}, "note": {"Gateway"},
		}, Fixed: parties("shop")},
		extra: []string{"Kind", "Status"},
		fix: func(t *Transfer, more [][]byte, _ *rules) error {
			t.ID = append(append(append([]byte{}, t.ID...), ':'), strconv.FormatInt(t.Line, 10)...)
			return shopifyMoves(t, more[0], more[1])
		},
	},
	marks: [][]string{{"Order", "Name", "Kind", "Gateway", "Created At", "Status", "Amount", "Currency"}},
}).format()
