package findings_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/findings"
)

// BenchmarkFind compares with the duplicates alone; IDEM_BENCH_DB names the day,
// such as idem gen --requests 1000000 --keys 833334 makes.
func BenchmarkFind(b *testing.B) {
	path := os.Getenv("IDEM_BENCH_DB")
	if path == "" {
		b.Skip("IDEM_BENCH_DB names no database")
	}
	in, err := analysis.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	for b.Loop() {
		start := time.Now()
		if _, err := in.Duplicates(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		alone := time.Since(start)
		runtime.GC()
		start = time.Now()
		r, err := findings.Find(b.Context(), in, nil)
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(start)
		b.ReportMetric(float64(took)/float64(alone), "x")
		b.ReportMetric(float64(alone.Milliseconds()), "ms-duplicates")
		b.ReportMetric(float64(took.Milliseconds()), "ms-find")
		b.ReportMetric(float64(len(r.Findings)), "findings")
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/1e6, "MB-sys")
	}
}
