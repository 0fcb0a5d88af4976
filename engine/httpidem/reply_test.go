package httpidem_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/httpidem"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// twiceSame sends one request twice and asserts that the second is the first
// again: status, body and length, byte for byte.
func twiceSame(t *testing.T, handler http.HandlerFunc) (first, second *httptest.ResponseRecorder) {
	t.Helper()
	r := newRig(t, httpidem.Options{}, handler)
	first, second = r.post("k", "x"), r.post("k", "x")
	isReplay(t, first, false)
	isReplay(t, second, true)
	if first.Code != second.Code || !bytes.Equal(first.Body.Bytes(), second.Body.Bytes()) {
		t.Errorf("first %d %q, second %d %q", first.Code, first.Body, second.Code, second.Body)
	}
	for name, w := range map[string]*httptest.ResponseRecorder{"first": first, "second": second} {
		length := w.Header().Get("Content-Length")
		if bodiless := w.Code == 204 || w.Code == 304; bodiless != (length == "") || (!bodiless && length != strconv.Itoa(w.Body.Len())) {
			t.Errorf("%s: Content-Length %q of %d bytes", name, length, w.Body.Len())
		}
	}
	if got := second.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("a replay may be cached: %q", got)
	}
	r.ran(1)
	return first, second
}

func TestEveryStatusIsReplayed(t *testing.T) {
	for _, status := range []int{200, 201, 202, 203, 204, 206, 303, 304, 400, 401, 402, 403, 404, 406, 409, 410, 413, 422, 429, 500, 502, 503, 504, 599} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			first, _ := twiceSame(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, err := io.WriteString(w, `{"n":1}`)
				if bodiless := status == 204 || status == 304; bodiless != errors.Is(err, http.ErrBodyNotAllowed) {
					t.Errorf("write: %v", err)
				}
			})
			if first.Code != status {
				t.Errorf("status %d", first.Code)
			}
		})
	}
}

func TestEveryBodyIsReplayed(t *testing.T) {
	for name, body := range map[string]string{
		"none": "", "null": "null", "newline": "{}\n", "binary": "\x00\x01\xff\x00", "html": "<html>", "long": strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			first, second := twiceSame(t, func(w http.ResponseWriter, _ *http.Request) {
				if body != "" {
					_, _ = io.WriteString(w, body)
				}
			})
			if first.Body.String() != body {
				t.Errorf("body %q", first.Body)
			}
			if a, b := first.Header()["Content-Type"], second.Header()["Content-Type"]; cmp.Diff(a, b) != "" || (len(a) > 0) != (body != "") {
				t.Errorf("types %q and %q", a, b)
			}
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 50), 0, 5).Draw(rt, "parts")
		twiceSame(t, func(w http.ResponseWriter, _ *http.Request) {
			for _, part := range parts {
				_, _ = w.Write(part)
			}
		})
	})
}

func TestUntypedReplyStaysUntyped(t *testing.T) {
	first, second := twiceSame(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = io.WriteString(w, "<html>")
	})
	if first.Header().Get("Content-Type") != "" || second.Header().Get("Content-Type") != "" {
		t.Errorf("types %q and %q", first.Header(), second.Header())
	}
}

func TestHeadersOfAReplay(t *testing.T) {
	personal := map[string]string{
		"Set-Cookie": "a=b", "WWW-Authenticate": "Basic", "Date": "Mon, 02 Jan 2006 15:04:05 GMT",
		"Connection": "close", "Keep-Alive": "timeout=5", "X-Request-Id": "1", "Traceparent": "00-1", "Retry-After": "7",
		"Cache-Control": "max-age=60", "Age": "3", "Authentication-Info": "n=1", "Request-Id": "2", "X-Own": "3",
	}
	descriptive := map[string]string{
		"Location": "/pay/1", "Etag": `"v1"`, "Content-Language": "ko", "Content-Type": "text/x", "Last-Modified": "Mon, 02 Jan 2006 15:04:05 GMT",
	}
	first, second := twiceSame(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range personal {
			w.Header().Set(name, value)
		}
		for name, value := range descriptive {
			w.Header().Set(name, value)
		}
		w.Header().Add("Link", "</a>")
		w.Header().Add("Link", "</b>")
		w.Header().Set("Idempotent-Replayed", "true")
		w.Header().Set("Content-Length", "99999")
		w.Header().Set("Trailer", "X-T")
		w.Header().Set(http.TrailerPrefix+"X-T", "1")
	})
	for name, value := range personal {
		if got := first.Header().Get(name); got != value {
			t.Errorf("first: %s is %q", name, got)
		}
		if got := second.Header().Get(name); got != "" && name != "Cache-Control" {
			t.Errorf("replay: %s is %q", name, got)
		}
	}
	for name, value := range descriptive {
		if got := second.Header().Get(name); got != value {
			t.Errorf("replay: %s is %q, want %q", name, got, value)
		}
	}
	for _, w := range []*httptest.ResponseRecorder{first, second} {
		if got := w.Header()["Link"]; fmt.Sprint(got) != "[</a> </b>]" {
			t.Errorf("Link %q", got)
		}
		if w.Header().Get("Trailer") != "" || w.Header().Get(http.TrailerPrefix+"X-T") != "" {
			t.Errorf("trailers %v", w.Header())
		}
	}
}

func TestReplayHeadersCanBeExtended(t *testing.T) {
	r := newRig(t, httpidem.Options{ReplayHeaders: []string{"x-own"}}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Own", "1")
		w.Header()["x-OWN"] = []string{"2"} // a handler may write the map itself
	})
	r.post("k", "x")
	if got := r.post("k", "x").Header()["X-Own"]; len(got) != 2 {
		t.Errorf("X-Own %q", got)
	}
}

func TestHeadersOfOuterHandlersStay(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Link", "</a>") })
	for range 2 {
		w := httptest.NewRecorder()
		w.Header().Set("X-Request-Id", "outer")
		r.handler.ServeHTTP(w, request("k", "x"))
		if w.Header().Get("X-Request-Id") != "outer" || w.Header().Get("Link") != "</a>" {
			t.Errorf("headers %v", w.Header())
		}
	}
}

func TestCodedBodyKeepsItsLabel(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, "hello")
	_ = z.Close()
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zipped.Bytes())
	})
	r.post("k", "x", func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") })
	w := r.post("k", "x", func(r *http.Request) { r.Header.Set("Accept-Encoding", "identity") })
	if w.Header().Get("Content-Encoding") != "gzip" || !bytes.Equal(w.Body.Bytes(), zipped.Bytes()) || w.Header().Get("Content-Type") != "" {
		t.Errorf("headers %v, %d bytes", w.Header(), w.Body.Len())
	}
}

func TestReplyTooLargeToKeepIsSentOnce(t *testing.T) {
	for size, kept := range map[int]bool{1 << 20: true, 1<<20 + 1: false, 16 << 20: false} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				httpidem.OnComplete(r.Context(), put("a"))
				w.WriteHeader(201)
				_, _ = w.Write(make([]byte, size))
			})
			first := r.post("k", "x")
			if first.Code != 201 || first.Body.Len() != size || first.Header().Get("Content-Length") != strconv.Itoa(size) {
				t.Fatalf("first: %d, %d bytes", first.Code, first.Body.Len())
			}
			second := r.post("k", "x")
			if isReplay(t, second, kept); !kept {
				want(t, second, 409, "result_not_kept")
				if second.Header().Get("Retry-After") != "" {
					t.Error("waiting cannot help")
				}
			}
			r.ran(1)
			if r.documents("a") != "a" {
				t.Error("the effect is missing")
			}
		})
	}
}

func TestReplyTooLargeToSendIsAStored500(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		httpidem.OnComplete(r.Context(), put("a"))
		w.WriteHeader(201)
		var err error
		for range 17 {
			_, err = w.Write(make([]byte, 1<<20))
		}
		if err == nil {
			t.Error("the handler is not told")
		}
	})
	for replay := range 2 {
		w := r.post("k", "x")
		want(t, w, 500, "reply_too_large")
		isReplay(t, w, replay == 1)
	}
	r.ran(1)
	if r.documents("a") != "" {
		t.Error("the effect was committed")
	}
}

func TestFirstWriteHeaderCounts(t *testing.T) {
	first, second := twiceSame(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints) // cannot be sent ahead
		w.WriteHeader(201)
		w.WriteHeader(500)
		w.Header().Set("Location", "/late")
	})
	if first.Code != 201 || second.Code != 201 || first.Header().Get("Location") != "" || second.Header().Get("Location") != "" {
		t.Errorf("%d %v, %d %v", first.Code, first.Header(), second.Code, second.Header())
	}
}

func TestWhatAHeldBackReplyCannotDo(t *testing.T) {
	deadlines := &connection{ResponseRecorder: httptest.NewRecorder()}
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		rc := http.NewResponseController(w)
		if err := rc.Flush(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Flush: %v", err)
		}
		if _, _, err := rc.Hijack(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Hijack: %v", err)
		}
		if err := rc.EnableFullDuplex(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("EnableFullDuplex: %v", err)
		}
		if err := errors.Join(rc.SetReadDeadline(time.Time{}), rc.SetWriteDeadline(time.Time{})); err != nil {
			t.Errorf("deadlines: %v", err)
		}
		if _, ok := w.(http.Flusher); ok {
			t.Error("a handler that looks for a Flusher finds one")
		}
		unwrapped := w.(interface{ Unwrap() http.ResponseWriter }).Unwrap()
		_, _ = io.WriteString(unwrapped, "through the capture")
	})
	r.handler.ServeHTTP(deadlines, request("k", "x"))
	if deadlines.set != 2 {
		t.Errorf("%d deadlines were set", deadlines.set)
	}
	if got := r.post("k", "x").Body.String(); got != "through the capture" {
		t.Errorf("stored %q", got)
	}
}

type connection struct {
	*httptest.ResponseRecorder
	set int
}

func (c *connection) SetReadDeadline(time.Time) error  { c.set++; return nil }
func (c *connection) SetWriteDeadline(time.Time) error { c.set++; return nil }
func (c *connection) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	panic("hijacked")
}

// The first byte goes out after the record is durable: a process that is killed
// in between has a reply to replay, never a client that knows more than it.
func TestSavedBeforeSent(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	sent := false
	w := &watched{ResponseWriter: httptest.NewRecorder(), onHeader: func() {
		sent = true
		if rec := r.record("k"); rec == nil || rec.State != engine.Completed {
			t.Errorf("sent while the record is %+v", rec)
		}
	}}
	r.handler.ServeHTTP(w, request("k", "x"))
	if !sent {
		t.Error("nothing was sent")
	}
}

type watched struct {
	http.ResponseWriter
	onHeader func()
}

func (w *watched) WriteHeader(status int) {
	w.onHeader()
	w.ResponseWriter.WriteHeader(status)
}

// A handler's own timeouts and limits are its replies; the layer's are not.
func TestLayersOwnAnswersAreNotStored(t *testing.T) {
	r := newRig(t, httpidem.Options{MaxBody: 3}, created)
	want(t, r.post("k", "long"), 413, "body_too_large")
	want(t, r.post("k", "x"), 201, "")
	want(t, r.post("k", "y"), 422, "")
	w := r.post("k", "x")
	want(t, w, 201, "")
	isReplay(t, w, true)
	r.ran(1)
}

func TestEventTellsWithoutTellingTooMuch(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	r.post("a-very-long-key", "x", func(r *http.Request) { r.URL.Path = "/a\nb" })
	e := r.last()
	if e.ShortKey() != "a-very-l..." || e.Path() != "/a%0Ab" || len(e.ClientHash()) != 16 {
		t.Errorf("key %q, path %q, client %q", e.ShortKey(), e.Path(), e.ClientHash())
	}
	if e.Request.Method != "POST" || string(e.Request.Body) != "x" || string(e.Body) != "x" || e.Attempt != 1 {
		t.Errorf("event %+v", e)
	}
	if ctx := context.Background(); httpidem.Client(ctx) != "" {
		t.Error("a client outside the layer")
	}
}
