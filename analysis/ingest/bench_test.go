package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"idem/analysis/ingest/moment"
)

// day makes the two files of a day of n payments, as CSV or JSON lines.
func day(n int, json bool) (requests, transfers []byte) {
	var r, t bytes.Buffer
	if !json {
		r.WriteString("seq,received_at,client_id,endpoint,idem_key,body,duration_ms,status,method,node,attempts\n")
		t.WriteString("transfer_id,seq,idem_key,src,dst,amount_minor,currency,created_at\n")
	}
	for i := range n {
		at := moment.Append(nil, int64(1_773_133_200_000+i*37)*1_000_000)
		done := moment.Append(nil, int64(1_773_133_200_000+i*37+150)*1_000_000)
		src, dst, amount, key := i%997, (i*7+1)%991, 100*(i%9000+1), fmt.Sprintf("0f6f859f-4738-4c93-bd57-%012x", i-i%10/9)
		if json {
			fmt.Fprintf(&r, `{"seq":%d,"received_at":"%s","client_id":"shop-%d","endpoint":"/v1/transfers","idem_key":"%s","body":{"src":"acc-%d","dst":"acc-m%d","amount":%d,"currency":"KRW"},"duration_ms":150,"status":201,"method":"POST","node":"gw-1","attempts":1}`+"\n", i+1, at, i%4, key, src, dst, amount)
			fmt.Fprintf(&t, `{"transfer_id":"T%07d","seq":%d,"idem_key":"%s","src":"acc-%d","dst":"acc-m%d","amount_minor":%d,"currency":"KRW","created_at":"%s"}`+"\n", i+1, i+1, key, src, dst, amount, done)
			continue
		}
		fmt.Fprintf(&r, `%d,%s,shop-%d,/v1/transfers,%s,"{""src"":""acc-%d"",""dst"":""acc-m%d"",""amount"":%d,""currency"":""KRW""}",150,201,POST,gw-1,1`+"\n", i+1, at, i%4, key, src, dst, amount)
		fmt.Fprintf(&t, "T%07d,%d,%s,acc-%d,acc-m%d,%d,KRW,%s\n", i+1, i+1, key, src, dst, amount, done)
	}
	return r.Bytes(), t.Bytes()
}

// BenchmarkParse reads a day's files on one core and writes nothing: format,
// mapping, secrets, bodies.
func BenchmarkParse(b *testing.B) {
	for _, json := range []bool{false, true} {
		requests, transfers := day(20_000, json)
		for role, text := range map[Role][]byte{Requests: requests, Transfers: transfers} {
			format := csvFormat
			if json {
				format = jsonLinesFormat
			}
			b.Run(fmt.Sprintf("%s/%s", format.Name, role), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				m, err := format.Map(text[:100<<10], role, Mapping{})
				if err != nil {
					b.Fatal(err)
				}
				j := &job{key: []byte("key")}
				defer reportCPU(b, int64(len(text)))()
				for b.Loop() {
					out, err := j.sink(context.Background(), &file{role: role}, func(x *batch) (*batch, error) { x.reset(); return x, nil })
					if err != nil {
						b.Fatal(err)
					}
					if err := format.Read(&Input{bytes.NewReader(text)}, &m, out); err != nil || out.counts.Rejected > 0 {
						b.Fatal(err, out.counts)
					}
				}
			})
		}
	}
}

// reportCPU gives megabytes a second of processor time, which other work on the
// machine disturbs less than the clock.
func reportCPU(b *testing.B, bytes int64) func() {
	start := cpuTime(b)
	return func() {
		if spent := cpuTime(b) - start; spent > 0 {
			b.ReportMetric(float64(bytes)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
		}
	}
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkImport makes an incident of 100,000 requests and as many transfers.
func BenchmarkImport(b *testing.B) {
	dir := b.TempDir()
	requests, transfers := day(100_000, false)
	o := Options{Requests: []string{filepath.Join(dir, "r.csv")}, Transfers: []string{filepath.Join(dir, "t.csv")}, Out: filepath.Join(dir, "x.db"), Force: true}
	for path, text := range map[string][]byte{o.Requests[0]: requests, o.Transfers[0]: transfers} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(requests) + len(transfers)))
	defer reportCPU(b, int64(len(requests)+len(transfers)))()
	for b.Loop() {
		r, err := Import(context.Background(), o)
		if err != nil || r.Transfers != 100_000 || r.Unmatched != 0 {
			b.Fatal(err, r)
		}
	}
}

// BenchmarkFormats reads one sample of each format, over and over, on one core.
func BenchmarkFormats(b *testing.B) {
	for _, format := range formats {
		paths, err := filepath.Glob(filepath.Join("testdata", format.Name, "*.sample"))
		if err != nil || len(paths) == 0 {
			b.Fatal(format.Name, err)
		}
		text, err := os.ReadFile(paths[len(paths)-1])
		if err != nil {
			b.Fatal(err)
		}
		text = bytes.Repeat(text, 1+(1<<20)/len(text))
		role := Role(filepath.Base(paths[len(paths)-1])[:len(Requests)])
		if role != Requests {
			role = Transfers
		}
		b.Run(format.Name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			m, err := format.Map(text[:min(len(text), 100<<10)], role, Mapping{Zone: "UTC", TimeIs: "start", Currency: "USD", Columns: map[string]Places{}})
			if u := new(Unsettled); err != nil && !errors.As(err, &u) {
				b.Fatal(err)
			}
			j := &job{key: []byte("key")}
			defer reportCPU(b, int64(len(text)))()
			for b.Loop() {
				out, err := j.sink(context.Background(), &file{role: role}, func(x *batch) (*batch, error) { x.reset(); return x, nil })
				if err != nil {
					b.Fatal(err)
				}
				_ = format.Read(&Input{bytes.NewReader(text)}, &m, out)
			}
		})
	}
}
