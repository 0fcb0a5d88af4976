package ingest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"idem/analysis/ingest/money"
)

// paypalActivityFormat is the download of PayPal's activity in CSV, English
// column names. Date and time are local, in the zone of a column; a date with
// slashes has day and month in the order of the account's locale, which one above
// 12 tells. A payment that a card or bank funded has further rows for the money
// that came in: these, conversions, holds and withdrawals are set aside.
var paypalActivityFormat = (&csvLedger{
	ledger: ledger{
		name: "paypal", about: "activity download of PayPal in CSV",
		fixed: Mapping{AmountUnit: "major", Columns: map[string]Places{
			"id": {"Transaction ID"}, "reference": {"Invoice Number", "Custom Number", "Reference Txn ID"}, "src": {"From Email Address"}, "dst": {"To Email Address"},
			"amount": {"Gross"}, "currency": {"Currency"}, "note": {"Type"},
		}, Fixed: parties("merchant")},
		reads: map[string]Places{"time": {"Date", "Time"}},
		extra: []string{"Date", "Time", "TimeZone", "Time Zone", "Type", "Status", "Balance Impact"},
		fix: func(t *Transfer, more [][]byte, r *rules) (err error) {
			if why := paypalAside(more[4], more[5], more[6]); why != "" {
				return aside(why)
			}
			t.Amount = max(t.Amount, -t.Amount) // from and to tell the direction
			t.At, err = r.zonedTime(slices.Concat(more[0], []byte{' '}, more[1]), slices.Concat(more[2], more[3]))
			return err
		},
	},
	marks:  [][]string{{"Date", "Time", "Type", "Status", "Currency", "Gross", "Transaction ID"}},
	detect: dateOrder,
}).format()

// paypalAside is why a row is no payment.
func paypalAside(kind, status, impact []byte) string {
	for _, word := range []string{"Deposit", "Conversion", "Withdrawal", "Hold", "Authorization", "Release", "Fee"} {
		if bytes.Contains(kind, []byte(word)) {
			return "a row of the kind " + string(kind)
		}
	}
	switch {
	case oneOf(impact, "Memo"):
		return "a row that moves nothing"
	case !oneOf(status, "Completed", "Refunded", "Partially Refunded", "Reversed"):
		return "a payment that is " + string(status)
	}
	return ""
}

// dateOrder settles whether dates such as 03/10/2026 begin with the day.
func dateOrder(table *csvHead, m *Mapping) error {
	if m.TimeLayout != "" {
		return nil
	}
	var dayFirst, monthFirst bool
	example, separator := "", ""
	for _, v := range table.values("Date") {
		separator = strings.Trim(v, "0123456789")
		if separator = separator[:min(1, len(separator))]; separator == "-" {
			return nil // years come first
		}
		parts := strings.Split(v, separator)
		if len(parts) != 3 {
			continue
		}
		first, err1 := strconv.Atoi(parts[0])
		second, err2 := strconv.Atoi(parts[1])
		if err1 == nil && err2 == nil {
			dayFirst, monthFirst, example = dayFirst || first > 12, monthFirst || second > 12, v
		}
	}
	switch {
	case separator == ".": // no locale begins with the month
		m.TimeLayout = "2.1.2006 15:04:05"
	case dayFirst && !monthFirst:
		m.TimeLayout = "2/1/2006 15:04:05"
	case monthFirst && !dayFirst:
		m.TimeLayout = "1/2/2006 15:04:05"
	case example != "":
		return unsettled(`--map with time_layout = "1/2/2006 15:04:05" (or "2/1/2006 15:04:05") under [transfers]`,
			"the date %q could begin with the month or the day", example)
	}
	return nil
}

// paypalReportFormat is PayPal's transaction detail report (TRR): rows that begin
// with their kind, of which SB are transactions. Amounts are without a sign and
// in hundredths of every currency, yen too; a column tells debit from credit.
// Event codes T00 are payments and T11 go back; the money that funds them, fees,
// conversions and holds have codes of their own.
var paypalReportFormat = (&csvLedger{
	ledger: ledger{
		name: "paypal-trr", about: "transaction detail report of PayPal (TRR)",
		fixed: Mapping{AmountUnit: "minor", TimeLayout: "2006/01/02 15:04:05 -0700", Exponents: money.Provider("paypal"), Columns: map[string]Places{
			"time": {"Transaction Completion Date", "Transaction Initiation Date"}, "id": {"Transaction ID"}, "reference": {"Invoice ID", "Custom Field", "PayPal Reference ID"},
			"src": {"Payer's Account ID"}, "amount": {"Gross Transaction Amount"}, "currency": {"Gross Transaction Currency"}, "note": {"Transaction Event Code"},
		}, Fixed: parties("merchant")},
		extra: []string{"Transaction Event Code", "Transactional Status", "Transaction Debit or Credit"},
		fix: func(t *Transfer, more [][]byte, _ *rules) error {
			switch code, status := more[0], string(more[1]); {
			case !bytes.HasPrefix(code, []byte("T00")) && !bytes.HasPrefix(code, []byte("T11")):
				return aside("an event of the code " + string(code))
			case status != "S" && status != "V": // V went through and was reversed later
				return aside("a transaction of the status " + status)
			}
			if string(more[2]) == "DR" {
				t.Src, t.Dst = t.Dst, t.Src
			}
			return nil
		},
	},
	begins: &[2]string{"CH", "SB"},
	marks:  [][]string{{"Transaction Event Code", "Gross Transaction Amount", "Transaction Debit or Credit"}},
}).format()
