package ingest

import (
	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/money"
)

// stripeChargesFormat is charges of Stripe's API: one a line, an array, or lists
// as GET /v1/charges answers. Amounts are in Stripe's smallest units. A charge
// that failed, or was never captured, moved nothing.
var stripeChargesFormat = (&jsonLedger{
	ledger: ledger{
		name: "stripe-charges", about: "charges of Stripe's API in JSON",
		fixed: Mapping{TimeUnit: "s", AmountUnit: "minor", Exponents: money.Provider("stripe"), Columns: map[string]Places{
			"time": {"$.created"}, "id": {"$.id"}, "reference": {"$.metadata.order_id", "$.transfer_group"}, "key": {"$.metadata.idempotency_key"},
			"src": {"$.customer"}, "dst": {"$.transfer_data.destination", "$.destination", "$.on_behalf_of"},
			"amount": {"$.amount_captured", "$.amount"}, "currency": {"$.currency"}, "note": {"$.description"},
		}, Fixed: parties("merchant")},
		extra: []string{"$.object", "$.status", "$.captured", "$.paid"},
		fix: func(_ *Transfer, more [][]byte, _ *rules) error {
			switch object, status := string(more[0]), string(more[1]); {
			case object != "charge":
				return aside("an object that is no charge")
			case status != "succeeded":
				return aside("a charge that is " + status)
			case string(more[2]) == "false":
				return aside("a charge that was not captured")
			}
			return nil
		},
	},
	lists: stripeLists,
	knows: func(first jsontext.Value) bool {
		return isText(first, "object", "charge") && member(first, "amount") != nil && member(first, "created") != nil
	},
}).format()
