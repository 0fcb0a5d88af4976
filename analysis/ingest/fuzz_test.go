package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// fuzzFormat reads any text in one format, whether it was taken for it or not.
// Whatever stands there, nothing panics, every row is counted once, and a row that
// is accepted has a time.
func fuzzFormat(f *testing.F, format *Format) {
	paths, err := filepath.Glob(filepath.Join("testdata", format.Name, "*.sample"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	role := format.Roles[0]
	f.Fuzz(func(t *testing.T, text []byte) {
		format.Sniff(text)
		m, err := format.Map(text, role, Mapping{Zone: "UTC", TimeIs: "start", DurationUnit: "ms"})
		if err != nil {
			return
		}
		var rows int64
		out, err := (&job{key: []byte("k")}).sink(context.Background(), &file{role: role}, func(x *batch) (*batch, error) {
			rows += int64(len(x.requests) + len(x.transfers) + len(x.rejects))
			for i := range x.requests {
				if x.requests[i].At == 0 {
					t.Error("a request without a time")
				}
			}
			for i := range x.transfers {
				if x.transfers[i].Amount <= 0 || len(x.transfers[i].Currency) == 0 {
					t.Errorf("a transfer of %d %s", x.transfers[i].Amount, x.transfers[i].Currency)
				}
			}
			x.reset()
			return x, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if format.Read(&Input{bytes.NewReader(text)}, &m, out) != nil {
			return
		}
		out.flush()
		if c := out.counts; c.Read != c.Accepted+c.Rejected || c.Read != rows {
			t.Errorf("%+v, %d rows", c, rows)
		}
	})
}

func FuzzNginx(f *testing.F)           { fuzzFormat(f, nginxFormat) }
func FuzzEnvoy(f *testing.F)           { fuzzFormat(f, envoyFormat) }
func FuzzCaddy(f *testing.F)           { fuzzFormat(f, caddyFormat) }
func FuzzTraefik(f *testing.F)         { fuzzFormat(f, traefikFormat) }
func FuzzKong(f *testing.F)            { fuzzFormat(f, kongFormat) }
func FuzzHAProxy(f *testing.F)         { fuzzFormat(f, haproxyFormat) }
func FuzzALB(f *testing.F)             { fuzzFormat(f, albFormat) }
func FuzzAPIGateway(f *testing.F)      { fuzzFormat(f, apiGatewayFormat) }
func FuzzCloudflare(f *testing.F)      { fuzzFormat(f, cloudflareFormat) }
func FuzzHAR(f *testing.F)             { fuzzFormat(f, harFormat) }
func FuzzGoReplay(f *testing.F)        { fuzzFormat(f, goreplayFormat) }
func FuzzOTLP(f *testing.F)            { fuzzFormat(f, otlpFormat) }
func FuzzStripeEvents(f *testing.F)    { fuzzFormat(f, stripeEventsFormat) }
func FuzzStripeCharges(f *testing.F)   { fuzzFormat(f, stripeChargesFormat) }
func FuzzStripeBalance(f *testing.F)   { fuzzFormat(f, stripeBalanceFormat) }
func FuzzStripePayments(f *testing.F)  { fuzzFormat(f, stripePaymentsFormat) }
func FuzzAdyenSettlement(f *testing.F) { fuzzFormat(f, adyenSettlementFormat) }
func FuzzAdyenAccounting(f *testing.F) { fuzzFormat(f, adyenAccountingFormat) }
func FuzzPayPalActivity(f *testing.F)  { fuzzFormat(f, paypalActivityFormat) }
func FuzzPayPalReport(f *testing.F)    { fuzzFormat(f, paypalReportFormat) }
func FuzzSquare(f *testing.F)          { fuzzFormat(f, squareFormat) }
func FuzzSquareCSV(f *testing.F)       { fuzzFormat(f, squareCSVFormat) }
func FuzzShopify(f *testing.F)         { fuzzFormat(f, shopifyFormat) }
func FuzzShopifyCSV(f *testing.F)      { fuzzFormat(f, shopifyCSVFormat) }
func FuzzModernTreasury(f *testing.F)  { fuzzFormat(f, modernTreasuryFormat) }
func FuzzCamt(f *testing.F)            { fuzzFormat(f, camtFormat) }
func FuzzMT940(f *testing.F)           { fuzzFormat(f, mt940Format) }
func FuzzOFX(f *testing.F)             { fuzzFormat(f, ofxFormat) }
