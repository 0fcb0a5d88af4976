package httpidem

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
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
	body, err := readAll(r.Body, r.ContentLength, limit)
	switch {
	case len(body) > limit:
		return nil, &bodyTooLarge
	case err != nil:
		return nil, unread(err)
	case r.ContentLength >= 0 && int64(len(body)) != r.ContentLength:
		// The server's own reader gives an error when a client sends less than
		// it said. Without one, somebody before us has read the body.
		return nil, &bodyConsumed
	}
	return body, nil
}

// unread says why a body could not be read.
func unread(err error) *Problem {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return &bodyTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &bodyTooSlow
	}
	return &bodyCutShort
}

// maxReserve is what is reserved for a body on its announcement alone: memory
// goes to those who send, not to those who promise.
const maxReserve = 64 << 10

// readAll reads until the end or beyond limit.
func readAll(from io.Reader, announced int64, limit int) ([]byte, error) {
	body := make([]byte, 0, min(max(announced, 0), maxReserve)+1)
	for len(body) <= limit {
		if len(body) == cap(body) {
			body = slices.Grow(body, max(len(body), 512))
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
	return body, nil
}

// target is path and query as they were sent.
func target(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	// Absolute form, or a request that no server read.
	return r.URL.RequestURI()
}

// endpoint is method and path, where a policy has the endpoint in its scope. It
// is made from the decoded path, escaped in one way: two spellings that a router
// takes for one path, be it only %2F for a slash, must not be two scopes, or a
// retry could pay again.
func endpoint(r *http.Request) string {
	plain := url.URL{Path: r.URL.Path}
	return r.Method + " " + plain.EscapedPath()
}
