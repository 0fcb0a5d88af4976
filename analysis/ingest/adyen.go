package ingest

import "idem/analysis/ingest/money"

// Reports of Adyen in CSV. Amounts are in whole units with a point; times are
// local, and a column names their zone by an abbreviation. Of these UTC and GMT are
// taken at their word; CET and CEST only while both readings of them, the clock of
// Amsterdam and the fixed offset, agree; any other needs --zone.

// adyenSettlementFormat is the settlement details report: a row for each amount
// that went to a batch. Fees, payouts and corrections are no payments.
var adyenSettlementFormat = (&csvLedger{
	ledger: ledger{
		name: "adyen-settlement", about: "settlement details report of Adyen",
		fixed: Mapping{AmountUnit: "major", Decimal: "point", Exponents: money.Provider("adyen"), Columns: map[string]Places{
			"id": {"Modification Reference", "Psp Reference"}, "reference": {"Merchant Reference"}, "dst": {"Merchant Account"},
			"amount": {"Gross Credit (GC)", "Gross Debit (GC)"}, "currency": {"Gross Currency"}, "note": {"Type"},
		}, Fixed: map[string]string{"src": "shopper"}},
		reads: map[string]Places{"time": {"Creation Date"}},
		extra: []string{"Type", "Gross Debit (GC)", "Creation Date", "TimeZone"},
		fix: func(t *Transfer, more [][]byte, r *rules) (err error) {
			switch string(more[0]) {
			case "Settled", "SettledReversed":
			case "Refunded", "RefundedReversed":
			default:
				return aside("a row of the type " + string(more[0]))
			}
			if len(more[1]) > 0 && !zero(more[1]) {
				t.Src, t.Dst = t.Dst, t.Src
			}
			t.At, err = r.zonedTime(more[2], more[3])
			return err
		},
	},
	marks: [][]string{{"Psp Reference", "Merchant Reference", "Creation Date", "TimeZone", "Type", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)"}},
}).format()

// adyenAccountingFormat is the payments accounting report, in which one payment
// is a row for each state that it went through: Received, Authorised,
// SentForSettle, Settled. Money moves with the capture, SentForSettle, and back
// with SentForRefund; the others are set aside.
var adyenAccountingFormat = (&csvLedger{
	ledger: ledger{
		name: "adyen-accounting", about: "payments accounting report of Adyen",
		fixed: Mapping{AmountUnit: "major", Decimal: "point", Exponents: money.Provider("adyen"), Columns: map[string]Places{
			"id": {"Modification Psp Reference", "Psp Reference"}, "reference": {"Merchant Reference"}, "src": {"Shopper Reference"}, "dst": {"Merchant Account"},
			"amount": {"Main Amount"}, "currency": {"Main Currency"}, "note": {"Record Type"},
		}, Fixed: map[string]string{"src": "shopper"}},
		reads: map[string]Places{"time": {"Booking Date"}},
		extra: []string{"Record Type", "Booking Date", "Booking Date TimeZone", "Booking Date Timezone", "TimeZone"},
		fix: func(t *Transfer, more [][]byte, r *rules) (err error) {
			switch string(more[0]) {
			case "SentForSettle":
				t.Amount = max(t.Amount, -t.Amount)
			case "SentForRefund":
				t.Src, t.Dst, t.Amount = t.Dst, t.Src, max(t.Amount, -t.Amount)
			default:
				return aside("a row of the state " + string(more[0]) + ", beside that of the capture")
			}
			zone := more[4]
			for _, own := range more[2:4] {
				if len(own) > 0 {
					zone = own
				}
			}
			t.At, err = r.zonedTime(more[1], zone)
			return err
		},
	},
	marks: [][]string{{"Psp Reference", "Merchant Reference", "Booking Date", "Record Type", "Main Currency", "Main Amount"}},
}).format()

// zero: digits that are all naught.
func zero(b []byte) bool {
	for _, c := range b {
		if c != '0' && c != '.' {
			return false
		}
	}
	return true
}
