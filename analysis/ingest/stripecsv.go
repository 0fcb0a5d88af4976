package ingest

import (
	"slices"
	"strings"
)

// Exports of Stripe's dashboard and reports in CSV: amounts in whole units, with a
// decimal comma in some locales, currencies in lower case, times in UTC and often
// without seconds. A row may be repeated in one file, which the import folds by
// its id.

// stripeBalanceFormat is the balance: the export "Balance history" and the
// itemised report of balance changes. Fees, payouts and transfers between own
// accounts are no transfers of a payment.
var stripeBalanceFormat = (&csvLedger{
	ledger: ledger{
		name: "stripe-balance", about: "balance history of Stripe in CSV",
		fixed: Mapping{Zone: "UTC", AmountUnit: "major", Columns: map[string]Places{
			"time": {"Created (UTC)", "created_utc", "created"}, "id": {"id", "balance_transaction_id"}, "reference": {"order_id (metadata)", "Transfer Group", "Source", "source_id"},
			"key": {"idempotency_key (metadata)"}, "src": {"Customer ID", "customer_id"}, "amount": {"Amount", "gross"}, "currency": {"Currency", "currency"},
			"note": {"Description", "description"},
		}, Fixed: parties("merchant")},
		extra: []string{"Type", "reporting_category"},
		fix: func(t *Transfer, more [][]byte, _ *rules) error {
			kind := strings.ToLower(string(slices.Concat(more[0], more[1])))
			switch kind {
			case "charge", "payment", "refund", "payment_refund", "partial_capture_reversal":
				reversed(t)
				return nil
			}
			return aside("a row of the kind " + kind)
		},
	},
	marks: [][]string{
		{"id", "Type", "Source", "Amount", "Fee", "Net", "Currency"},
		{"balance_transaction_id", "reporting_category", "gross", "fee", "net", "currency"},
	},
	detect: settleMinutes,
}).format()

// stripePaymentsFormat is the export of payments.
var stripePaymentsFormat = (&csvLedger{
	ledger: ledger{
		name: "stripe-payments", about: "payments of Stripe in CSV",
		fixed: Mapping{Zone: "UTC", AmountUnit: "major", Columns: map[string]Places{
			"time": {"Created date (UTC)", "Created (UTC)"}, "id": {"id"}, "reference": {"order_id (metadata)", "Transfer Group", "PaymentIntent ID"},
			"key": {"idempotency_key (metadata)"}, "src": {"Customer ID", "Card ID"}, "dst": {"Destination"}, "amount": {"Amount"}, "currency": {"Currency"},
			"note": {"Description"},
		}, Fixed: parties("merchant")},
		extra: []string{"Status", "Captured"},
		fix: func(_ *Transfer, more [][]byte, _ *rules) error {
			switch {
			case !oneOf(more[0], "Paid", "Refunded", "Partial Refund", "Partially refunded", "Disputed", "succeeded"):
				return aside("a payment that is " + string(more[0]))
			case oneOf(more[1], "false"):
				return aside("a payment that was not captured")
			}
			return nil
		},
	},
	marks:  [][]string{{"id", "Amount", "Amount Refunded", "Currency", "Status"}},
	detect: settleMinutes,
}).format()
