package httpidem

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"idem/engine"
)

// readBody reads the whole body, at most limit bytes and a little more.
func readBody(r *http.Request, limit int) ([]byte, *Problem) {
	if r.ContentLength > int64(limit) {
		return nil, &bodyTooLarge
	}
	if r.PostForm != nil || r.MultipartForm != nil {
		return nil, &bodyConsumed
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	var buf bytes.Buffer
	// What a client announces is reserved only up to a modest size: memory goes
	// to those who send, not to those who promise.
	buf.Grow(int(min(max(r.ContentLength+bytes.MinRead, bytes.MinRead), 64<<10)))
	n, err := buf.ReadFrom(io.LimitReader(r.Body, int64(limit)+1))
	switch {
	case n > int64(limit):
		return nil, &bodyTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &bodyTooSlow
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, &bodyTooLarge
	case err != nil:
		return nil, &bodyCutShort
	case r.ContentLength >= 0 && n != r.ContentLength:
		// The server's own reader gives an error when a client sends less than
		// it said. Without one, somebody before us has read the body.
		return nil, &bodyConsumed
	}
	return buf.Bytes(), nil
}

// target is path and query as they were sent.
func target(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	// Absolute form, or a request that no server read.
	return r.URL.RequestURI()
}

// endpoint is method and path, where a policy has the endpoint in its scope. The
// path is escaped in one way only: two spellings of a path that a router takes
// for one must not be two scopes, or a retry could pay again; and %2F stays what
// it is, as a router does not take it for a slash.
func endpoint(r *http.Request) string {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, segment := range segments {
		if text, err := url.PathUnescape(segment); err == nil {
			segments[i] = url.PathEscape(text)
		}
	}
	return r.Method + " " + strings.Join(segments, "/")
}

// claimOf makes the claim of a request that was read whole.
func (l *Layer) claimOf(r engine.Request) (engine.Claim, *Problem) {
	claim, err := l.policy.Claim(r, l.opt.Now())
	if err != nil {
		return engine.Claim{}, &bodyInvalid
	}
	claim.Under = func(rule engine.FingerprintRule) (engine.Fingerprint, error) {
		f, err := r.Fingerprint(rule)
		if errors.Is(err, engine.ErrAmbiguous) {
			// The stored request had a body that this rule could read. This
			// one has not, so it is another request: version byte 0 over
			// a hash equals nothing that the rule made.
			return engine.Fingerprint{}, nil
		}
		return f, err
	}
	return claim, nil
}
