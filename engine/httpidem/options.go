package httpidem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"idem/engine"
)

// Defaults of [Options], in bytes.
const (
	DefaultMaxBody   = 1 << 20
	DefaultKeepReply = 1 << 20
	DefaultMaxReply  = 16 << 20
)

// Options of a [Layer]. The zero value is [engine.HTTPPolicy] with each
// credential a client of its own.
type Options struct {
	// Policy is what clients may rely on; the zero Policy means [engine.HTTPPolicy].
	Policy engine.Policy
	// Authenticate gives the client id of a credential. "" refuses it with 401;
	// an error means that it could not be told, and the answer is 503. It is
	// asked on every request, retries included, so that a revoked credential
	// replays nothing. nil takes the credential's SHA-256 (see [HashCredential]).
	Authenticate func(ctx context.Context, credential string) (clientID string, err error)
	// ReplayHeaders are reply headers to keep for replays beside the usual ones.
	// Those that must never be replayed are an error.
	ReplayHeaders []string
	// MaxBody is the longest request body, in bytes.
	MaxBody int
	// KeepReply is the longest reply body that is kept, in bytes; a longer one is
	// sent once.
	KeepReply int
	// MaxReply is the longest reply body, in bytes; a longer one fails the
	// request with 500.
	MaxReply int
	// Now is the clock of claims; nil means time.Now. Contexts and waits go by
	// the runtime's clock.
	Now func() time.Time
	// Observe is told every request's event; may be nil.
	Observe Observer
}

// Layer is the idempotency layer over a store. It is safe for concurrent use.
type Layer struct {
	store  engine.Store
	opt    Options
	policy engine.Policy
	keep   map[string]bool // canonical names of the headers that are replayed
	// endpoint: somebody looks at the endpoints of requests.
	endpoint bool
	watch    watch
}

// New makes a layer. It fails on a policy that is not valid or
// does not keep clients apart (see [engine.ErrPolicy]), on limits that contradict each other, and on
// ReplayHeaders that must not be replayed.
func New(store engine.Store, opt Options) (*Layer, error) {
	if opt.Policy.Scope == nil {
		opt.Policy = engine.HTTPPolicy()
	}
	if err := opt.Policy.Validate(); err != nil {
		return nil, fmt.Errorf("idempotency layer: %w", err)
	}
	if !slices.Contains(opt.Policy.Scope, engine.ScopeClient) {
		return nil, fmt.Errorf("idempotency layer: %w: scope must hold client_id, or one client could get another's replies", engine.ErrPolicy)
	}
	if opt.Authenticate == nil {
		opt.Authenticate = hashedClient
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if err := opt.setLimits(); err != nil {
		return nil, fmt.Errorf("idempotency layer: %w", err)
	}
	keep, err := replayable(opt.ReplayHeaders)
	if err != nil {
		return nil, fmt.Errorf("idempotency layer: %w", err)
	}
	return &Layer{
		store: store, opt: opt, policy: opt.Policy, keep: keep,
		endpoint: opt.Observe != nil || slices.Contains(opt.Policy.Scope, engine.ScopeEndpoint),
	}, nil
}

func (o *Options) setLimits() error {
	if o.MaxBody < 0 || o.KeepReply < 0 || o.MaxReply < 0 {
		return errors.New("a limit is below zero")
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.KeepReply == 0 {
		o.KeepReply = DefaultKeepReply
	}
	if o.MaxReply == 0 {
		o.MaxReply = max(DefaultMaxReply, o.KeepReply)
	}
	if o.KeepReply > o.MaxReply {
		return fmt.Errorf("KeepReply (%d) is above MaxReply (%d)", o.KeepReply, o.MaxReply)
	}
	return nil
}

// Wrap puts the layer around a handler.
func (l *Layer) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{Layer: l, next: next, w: w, r: r}
		x.event.Request.Method = r.Method
		if l.opt.Observe != nil {
			x.event.Received = l.opt.Now()
		}
		if l.endpoint {
			x.event.Request.Endpoint = endpoint(r)
		}
		// Deferred, because a handler of a passed request may panic through here.
		defer x.observe()
		x.serve()
	})
}

// observe tells the observer, once.
func (x *exchange) observe() {
	if x.observed || x.opt.Observe == nil {
		return
	}
	x.observed = true
	x.event.Duration = x.opt.Now().Sub(x.event.Received)
	x.opt.Observe(x.r.Context(), x.event)
}

// TakesKey reports whether requests of this method need a key.
func TakesKey(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}
