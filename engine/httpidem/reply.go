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

// lines are the header of a reply that will not change any more.
type lines struct {
	fields []engine.Field // sorted by name, the lines of one name in their order
	// mute are names that the handler set to nothing, which keeps the server from
	// setting them.
	mute []string
	// typed: nobody is to guess the content type.
	typed bool
}

// freeze copies a header, without what only the sender or the layer can know.
func freeze(h http.Header) lines {
	l := lines{fields: make([]engine.Field, 0, len(h)+1)}
	for name, values := range h {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			continue
		}
		switch http.CanonicalHeaderKey(name) {
		case replayedHeader, "Trailer", "Transfer-Encoding", "Content-Length":
			continue
		}
		if len(values) == 0 {
			l.mute = append(l.mute, name)
		}
		for _, value := range values {
			l.fields = append(l.fields, engine.Field{Name: name, Value: value})
		}
	}
	sortFields(l.fields)
	_, l.typed = h["Content-Type"]
	l.typed = l.typed || h.Get("Content-Encoding") != ""
	return l
}

func sortFields(fields []engine.Field) {
	slices.SortStableFunc(fields, func(a, b engine.Field) int { return strings.Compare(a.Name, b.Name) })
}

func (l *lines) add(name, value string) {
	l.fields = append(l.fields, engine.Field{Name: name, Value: value})
	sortFields(l.fields)
}

// clip is l for one of several that go on from here.
func (l lines) clip() lines {
	l.fields = slices.Clone(l.fields)
	return l
}

// stored is the closed reply as it is kept; its body is not copied.
func (c *capture) stored(l *Layer) engine.Reply {
	reply := engine.Reply{Status: c.status, Header: keptFields(c.sent.fields, l.keep), Body: c.body}
	if len(c.body) > l.opt.KeepReply {
		reply.Body, reply.NotKept = nil, true
	}
	return reply
}

// keptFields picks the headers to keep, sorted by their canonical names. Where
// that is all of them, it is sent itself.
func keptFields(sent []engine.Field, keep map[string]bool) []engine.Field {
	if !slices.ContainsFunc(sent, func(f engine.Field) bool { return !keep[f.Name] }) {
		return sent
	}
	kept := make([]engine.Field, 0, len(sent))
	for _, f := range sent {
		f.Name = http.CanonicalHeaderKey(f.Name)
		if keep[f.Name] {
			kept = append(kept, f)
		}
	}
	sortFields(kept)
	return kept
}

// send sends the first reply, with all headers that the handler set.
func (c *capture) send(w http.ResponseWriter) {
	h := w.Header()
	delete(h, replayedHeader)
	for _, name := range c.sent.mute {
		h[name] = nil
	}
	sendReply(w, c.status, c.sent.fields, c.body)
}

// Values of headers are shared by all replies; nobody writes to them.
var (
	yes     = []string{"true"}
	noStore = []string{"no-store"}
)

// replay sends a stored reply again.
func replay(w http.ResponseWriter, reply engine.Reply) {
	h := w.Header()
	h[replayedHeader] = yes
	h["Cache-Control"] = noStore
	sendReply(w, reply.Status, reply.Header, reply.Body)
}

// sendReply sends a reply with sorted fields and the right length, and keeps
// net/http from sniffing a type that the stored reply does not have.
func sendReply(w http.ResponseWriter, status int, fields []engine.Field, body []byte) {
	h := w.Header()
	values := make([]string, len(fields)+1)
	setFields(h, fields, values)
	delete(h, "Content-Length")
	if bodyAllowed(status) {
		values[len(fields)] = strconv.Itoa(len(body))
		h["Content-Length"] = values[len(fields):]
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

// setFields puts fields in the place of those of the same names. values is where
// their values go.
func setFields(h http.Header, fields []engine.Field, values []string) {
	for i := 0; i < len(fields); {
		begun := i
		for ; i < len(fields) && fields[i].Name == fields[begun].Name; i++ {
			values[i] = fields[i].Value
		}
		h[fields[begun].Name] = values[begun:i:i]
	}
}
