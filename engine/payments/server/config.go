package server

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"idem/engine"
)

// Config says what to serve. Store is required; the zero value of anything else
// is its default.
type Config struct {
	Addr  string // host:port; DefaultAddr when empty
	Store engine.Store
	// Policy is what clients may rely on; the zero Policy means [engine.HTTPPolicy].
	Policy engine.Policy
	// Clients are those who may ask. nil takes each credential as a client of
	// its own, which is for trying things out on a loopback address only.
	Clients *Clients
	// Accounts are opened where the store does not have them.
	Accounts []engine.Account
	// Record is the path of an incident database to write requests to; "" for none.
	Record string
	Logger *slog.Logger // slog.Default() when nil
	Now    func() time.Time
	Random io.Reader // of ids; must be safe for concurrent use
	// MaxConns bounds the connections open at a time; more wait to be accepted.
	MaxConns int
	// PurgeEvery is the time between two purges of expired keys and two sweeps of
	// expired intents.
	PurgeEvery time.Duration
}

// Defaults of [Config].
const (
	DefaultAddr       = "127.0.0.1:8080"
	DefaultMaxConns   = 4096
	DefaultPurgeEvery = time.Minute
)

// UsageError is a configuration that cannot be served; its text says what to
// change.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

func usage(format string, args ...any) error {
	return &UsageError{Reason: fmt.Sprintf(format, args...)}
}

func (c *Config) setDefaults() {
	if c.Addr == "" {
		c.Addr = DefaultAddr
	}
	if c.Policy.Scope == nil {
		c.Policy = engine.HTTPPolicy()
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxConns <= 0 {
		c.MaxConns = DefaultMaxConns
	}
	if c.PurgeEvery <= 0 {
		c.PurgeEvery = DefaultPurgeEvery
	}
}

// check refuses an address that others can reach while anybody who makes up a
// credential is a client.
func (c *Config) check() error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return usage("address %q is not host:port", c.Addr)
	}
	if c.Clients == nil && !isLoopback(host) {
		return usage("address %s can be reached from other machines: name the clients with --clients FILE, or serve on %s", c.Addr, DefaultAddr)
	}
	return nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && ip.Unmap().IsLoopback())
}
