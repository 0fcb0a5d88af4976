package httpidem

import (
	"context"
	"net/http"
)

// pass calls the handler for a method that takes no key.
func (x *exchange) pass() {
	w := &passWriter{ResponseWriter: x.w}
	ctx := context.WithValue(x.r.Context(), contextKey{}, &request{client: x.event.Request.ClientID})
	x.event.Outcome = Passed
	// Also when the handler panics, which is net/http's to deal with here.
	defer func() { x.event.Status = w.status }()
	x.next.ServeHTTP(w, x.r.WithContext(ctx))
	if w.status == 0 {
		w.status = http.StatusOK
	}
}

// passWriter notes the status and keeps the layer's marker to the layer.
type passWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *passWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.Header().Del(replayedHeader)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *passWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, for handlers that stream.
func (w *passWriter) Flush() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *passWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
