package httpidem_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"idem/engine/httpidem"
	"idem/engine/memstore"
)

// sink is a client that wants nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(int)             {}

// What one request costs in the layer and the store in memory, without a socket:
// a claim with its run and completion, a replay of a 1 KiB reply, a mismatch.
func BenchmarkLayer(b *testing.B) {
	reply := make([]byte, 1<<10)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(reply)
	})
	body := bytes.Repeat([]byte("x"), 200)
	for _, bench := range []struct {
		name    string
		wrapped bool
		key     func(i int) string
		body    []byte
	}{
		{"bare", false, strconv.Itoa, body},
		{"claim", true, strconv.Itoa, body},
		{"replay", true, func(int) string { return "0" }, body},
		{"mismatch", true, func(int) string { return "0" }, body[1:]},
	} {
		b.Run(bench.name, func(b *testing.B) {
			layer, err := httpidem.New(memstore.New(), httpidem.Options{})
			if err != nil {
				b.Fatal(err)
			}
			var h http.Handler = handler
			if bench.wrapped {
				h = layer.Wrap(handler)
			}
			send := func(key string, body []byte) {
				r := &http.Request{
					Method: "POST", URL: &url.URL{Path: "/pay"}, RequestURI: "/pay", ContentLength: int64(len(body)),
					Header: http.Header{"Authorization": {"Bearer alice"}, "Idempotency-Key": {key}},
					Body:   io.NopCloser(bytes.NewReader(body)),
				}
				h.ServeHTTP(&sink{make(http.Header)}, r)
			}
			send("0", body)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				send(bench.key(i), bench.body)
			}
		})
	}
}
