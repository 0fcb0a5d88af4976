package report

import (
	"fmt"
	"strings"

	"idem/analysis/printable"
)

// Exponents of ISO 4217: how many decimal digits the minor unit stands for. A
// currency that is in none of the lists has none that is known here.
var exponents = iso4217()

func iso4217() map[string]int {
	all := make(map[string]int)
	for exponent, codes := range []string{
		0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
		2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
			"CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD " +
			"HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU " +
			"MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK " +
			"SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VES WST XCD YER ZAR ZMW",
		3: "BHD IQD JOD KWD LYD OMR TND",
		4: "CLF UYW",
	} {
		for _, code := range strings.Fields(codes) {
			all[code] = exponent
		}
	}
	return all
}

// Exponent is the number of decimal digits of a currency's minor unit by ISO
// 4217; known is false for a currency that is not in it.
func Exponent(currency string) (digits int, known bool) {
	digits, known = exponents[currency]
	return digits, known
}

// Major is an amount of minor units in the currency's major unit, with thousands
// separators: 4999 USD is "49.99". known is false where the exponent is not
// known; the text is then the minor units.
func Major(minor int64, currency string) (text string, known bool) {
	exponent, known := Exponent(currency)
	if exponent == 0 {
		return printable.Digits(minor), known
	}
	sign, size, unit := "", uint64(minor), uint64(1)
	if minor < 0 {
		sign, size = "-", -size
	}
	for range exponent {
		unit *= 10
	}
	return fmt.Sprintf("%s%s.%0*d", sign, printable.Digits(int64(size/unit)), exponent, size%unit), known
}
