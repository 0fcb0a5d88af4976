package payments

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
)

// API is the payment API over a store. It is safe for concurrent use.
type API struct {
	store  engine.Store
	now    func() time.Time
	random io.Reader
	due    expiries
}

// New makes the API. now and random may be nil: then they are time.Now and the
// system's random source. random must be safe for concurrent use.
func New(store engine.Store, now func() time.Time, random io.Reader) *API {
	if now == nil {
		now = time.Now
	}
	if random == nil {
		random = rand.Reader
	}
	return &API{store: store, now: now, random: random}
}

// intentsPath is the collection; an intent is below it.
const intentsPath = "/v1/payment_intents"

// ServeHTTP implements http.Handler. The paths are matched as they are: a
// redirect to a tidier one would become the stored result of a key.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, isIntent := strings.CutPrefix(r.URL.Path, intentsPath+"/")
	switch {
	case r.URL.Path == intentsPath:
		only(w, r, http.MethodPost, a.createIntent)
	case r.URL.Path == "/v1/transfers":
		only(w, r, http.MethodPost, a.createTransfer)
	case isIntent:
		only(w, r, http.MethodGet, func(w http.ResponseWriter, r *http.Request) { a.readIntent(w, r, id) })
	default:
		notFound.Write(w)
	}
}

// only serves one method; HEAD goes with GET.
func only(w http.ResponseWriter, r *http.Request, method string, serve http.HandlerFunc) {
	allow := method
	if method == http.MethodGet {
		allow = "GET, HEAD"
	}
	if r.Method != method && (r.Method != http.MethodHead || method != http.MethodGet) {
		w.Header().Set("Allow", allow)
		wrongMethod.Write(w)
		return
	}
	serve(w, r)
}

// The API's errors that do not depend on the request.
var (
	notFound    = httpidem.Problem{Status: 404, Code: "not_found", Detail: "there is nothing at this path"}
	wrongMethod = httpidem.Problem{Status: 405, Code: "method_not_allowed", Detail: "this path takes another method, see Allow"}
	unreadable  = httpidem.Problem{Status: 400, Code: "incomplete_body", Detail: "the body could not be read"}
	broken      = httpidem.Problem{Status: 500, Code: "internal_error", Detail: "the server failed; nothing was changed"}
	storeFailed = httpidem.Problem{Status: 503, Code: "store_unavailable", Detail: "the store could not be read; try again"}
)

// newID is a prefix and 96 random bits: never made from a key or a body.
func (a *API) newID(prefix string) (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(a.random, b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return prefix + hex.EncodeToString(b[:]), nil
}

// PolicyHandler serves the policy that clients may rely on, in the form in which
// a policy file has it. It is public: draft-ietf-httpapi-idempotency-key-header
// wants the expiry of keys published.
func PolicyHandler(p engine.Policy) http.Handler {
	body, tag := p.JSON(), `"`+p.Hash()+`"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		only(w, r, http.MethodGet, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("ETag", tag)
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = w.Write(body)
		})
	})
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that left is nobody's error.
	_, _ = w.Write(body)
}
