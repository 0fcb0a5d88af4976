package httpidem

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"idem/engine"
)

const replayedHeader = "Idempotent-Replayed"

// replayHeaders describe the result itself and are kept with it.
var replayHeaders = []string{
	"Accept-Ranges", "Allow", "Content-Digest", "Content-Disposition", "Content-Encoding",
	"Content-Language", "Content-Location", "Content-Range", "Content-Type", "Etag", "Expires",
	"Last-Modified", "Link", "Location", "Repr-Digest", "Vary",
}

// neverReplayed belong to one client's session, to one instant, to one
// connection or to the layer.
var neverReplayed = []string{
	"Set-Cookie", "Set-Cookie2", "Www-Authenticate", "Authentication-Info", "Proxy-Authenticate",
	"Proxy-Authentication-Info", "Authorization", "Date", "Age", "Cache-Control", "Retry-After",
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "X-Request-Id", "X-Correlation-Id", "Request-Id", "Traceparent", "Tracestate",
	replayedHeader,
}

// replayable is the set of headers to keep: the usual ones and extra.
func replayable(extra []string) (map[string]bool, error) {
	keep := make(map[string]bool, len(replayHeaders)+len(extra))
	for _, name := range replayHeaders {
		keep[name] = true
	}
	for _, name := range extra {
		name = http.CanonicalHeaderKey(name)
		if slices.Contains(neverReplayed, name) {
			return nil, fmt.Errorf("header %s must not be replayed", name)
		}
		keep[name] = true
	}
	return keep, nil
}

// stored is the closed reply as it is kept; body and headers are not copied.
func (c *capture) stored(l *Layer) engine.Reply {
	reply := engine.Reply{Status: c.status, Header: keptFields(c.sent, l.keep), Body: c.body}
	if len(c.body) > l.opt.KeepReply {
		reply.Body, reply.NotKept = nil, true
	}
	return reply
}

// keptFields picks the headers to keep, sorted by name, the lines of one name in
// their order.
func keptFields(h http.Header, keep map[string]bool) []engine.Field {
	var fields []engine.Field
	for name, values := range h {
		canonical := http.CanonicalHeaderKey(name)
		if !keep[canonical] {
			continue
		}
		for _, value := range values {
			fields = append(fields, engine.Field{Name: canonical, Value: value})
		}
	}
	slices.SortStableFunc(fields, func(a, b engine.Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// send sends the first reply, with all headers that the handler set, but for
// those that only the sender can know.
func (c *capture) send(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range c.sent {
		if !strings.HasPrefix(name, http.TrailerPrefix) {
			h[name] = values
		}
	}
	for name := range h {
		switch http.CanonicalHeaderKey(name) {
		case replayedHeader, "Trailer", "Transfer-Encoding":
			delete(h, name)
		}
	}
	sendBody(w, c.status, c.body)
}

// replay sends a stored reply again.
func replay(w http.ResponseWriter, reply engine.Reply) {
	h := w.Header()
	for _, f := range reply.Header {
		delete(h, f.Name)
	}
	for _, f := range reply.Header {
		h[f.Name] = append(h[f.Name], f.Value)
	}
	h.Set(replayedHeader, "true")
	h.Set("Cache-Control", "no-store")
	sendBody(w, reply.Status, reply.Body)
}

// sendBody sends status and body with the right length, and keeps net/http from
// sniffing a type that the stored reply does not have.
func sendBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Del("Content-Length")
	if bodyAllowed(status) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if _, typed := h["Content-Type"]; !typed {
		h["Content-Type"] = nil
	}
	w.WriteHeader(status)
	if len(body) > 0 {
		// The reply is stored; a client that left gets it with its retry.
		_, _ = w.Write(body)
	}
}
