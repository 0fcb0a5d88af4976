package analysis

import (
	"fmt"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// Values of a damaged day, as SQL. Many are drawn often, so that they meet.
var (
	someSeq      = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "-3", "'07'", "'5'", "' 6'", "'x'", "NULL", "2.5", "x'31'", "'--1'", "'-'", "''", "9223372036854775807", "'9223372036854775808'", "'-9223372036854775808'", "'000000000000000000000012'", "'1e1'"}
	someClient   = []string{"'c1'", "'c1'", "'c2'", "NULL", "''", "7", "'7'", "1.5"}
	someEndpoint = []string{"'/a'", "'/a'", "'/a'", "'/b'", "NULL", "x'2f'"}
	someKey      = []string{"'k1'", "'k1'", "'k2'", "'k3'", `'"k1"'`, "''", "'  '", "NULL", "x'6b31'", "7", "'7'", "'NULL'", "2.5", "'" + strings.Repeat("long", 50) + "'"}
	someBody     = []string{"'{}'", `'{"a":1}'`, `' {"amount": 12, "src":"x"} '`, "'[]'", "'x'", "NULL", "'null'", "5", "x'7b7d'", `'{"twice":1,"twice":1}'`}
	someTime     = []string{"'2026-03-10T09:00:00Z'", "'2026-03-10T18:00:00+09:00'", "'2026-03-10T09:00:00.000Z'", "'2026-03-10t09:00:00.5z'", "'2026-03-10 09:00:00.25Z'", "'2026-03-10T04:00:00.1-05:00'", "'2026-03-09T23:59:59.999999999Z'", "'2026-03-11T00:00:00Z'", "'2026-02-29T00:00:00Z'", "NULL", "'soon'", "1773133200"}
	someID       = []string{"'T1'", "'T2'", "'T3'", "'T4'", "'T5'", "'t'", "'T10'", "11", "NULL", "''", "x'54'", "1.5"}
	someAmount   = []string{"1", "100", "250", "-5", "0", "'12'", "'1.5'", "1.5", "NULL", "x'31'", "'x'"}
	someCurrency = []string{"'KRW'", "'KRW'", "'KRW'", "'USD'", "NULL", "''"}
	someAccount  = []string{"'a'", "'b'", "7", "NULL", "x'00'"}
)

// damagedDay is SQL that makes an incident of any schema with any damage.
func damagedDay(t *rapid.T) string {
	var b strings.Builder
	unique := rapid.SampledFrom([]string{"seq INTEGER PRIMARY KEY", "seq INTEGER", "seq", "seq TEXT", "seq BIGINT PRIMARY KEY", "seq TEXT PRIMARY KEY"}).Draw(t, "seq")
	fmt.Fprintf(&b, "CREATE TABLE account (acct_id, holder, balance);\nCREATE TABLE req_log (%s, received_at, client_id, endpoint, idem_key, body);\n", unique)
	seq := rapid.SampledFrom([]string{"seq INTEGER", "seq", "seq TEXT"}).Draw(t, "transfer seq")
	fmt.Fprintf(&b, "CREATE TABLE transfer_v1 (transfer_id, %s, idem_key, src, dst, amount, currency, created_at DATETIME);\n", seq)
	if rapid.Bool().Draw(t, "index") {
		b.WriteString("CREATE INDEX i ON transfer_v1(seq); CREATE INDEX j ON req_log(idem_key);\n")
	}
	insert := func(table string, rows int, columns ...[]string) {
		for range rapid.IntRange(0, rows).Draw(t, table) {
			var values []string
			for i, c := range columns {
				// The first values of each list are the sound ones.
				sound := rapid.IntRange(0, 9).Draw(t, "sound") > 0
				if sound && len(c) > 6 {
					c = c[:len(c)/2]
				}
				values = append(values, rapid.SampledFrom(c).Draw(t, strconv.Itoa(i)))
			}
			fmt.Fprintf(&b, "INSERT OR IGNORE INTO %s VALUES (%s);\n", table, strings.Join(values, ", "))
		}
	}
	seqs := someSeq
	if unique == "seq INTEGER PRIMARY KEY" {
		seqs = append(someSeq[:13:13], "9223372036854775807", "-9223372036854775808") // it takes nothing else
	}
	insert("req_log", 14, seqs, someTime, someClient, someEndpoint, someKey, someBody)
	insert("transfer_v1", 20, someID, someSeq, someKey, someAccount, someAccount, someAmount, someCurrency, someTime)
	return b.String()
}
