package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"idem/crash"
	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/payments"
	"idem/engine/payments/recorder"

	"golang.org/x/net/netutil"
)

// Server is a payment API that is ready to be served.
type Server struct {
	cfg      Config
	api      *payments.API
	layer    *httpidem.Layer
	metrics  *metrics
	recorder *recorder.Recorder // nil without a record
	stopping atomic.Bool
}

// Run serves until ctx ends, then finishes what runs and returns nil. It fails
// with a *UsageError where the configuration cannot be served. The store stays
// open: it is the caller's.
func Run(ctx context.Context, cfg Config) error {
	s, err := New(ctx, cfg)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // stopped before it began
	case err != nil:
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.Addr)
	if err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), s.Close())
	}
	return s.Serve(ctx, ln)
}

// New makes a server: it opens the accounts and the record. A server that is not
// given to Serve must be closed.
func New(ctx context.Context, cfg Config) (*Server, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, metrics: newMetrics(), api: payments.New(cfg.Store, cfg.Now, cfg.Random)}
	opt := httpidem.Options{Policy: cfg.Policy, Now: cfg.Now, Observe: s.observe}
	if cfg.Clients != nil {
		opt.Authenticate = cfg.Clients.authenticate
	}
	var err error
	if s.layer, err = httpidem.New(cfg.Store, opt); err != nil {
		return nil, usage("%v", err)
	}
	accounts, err := payments.OpenAccounts(ctx, cfg.Store, cfg.Accounts)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if cfg.Record != "" {
		if s.recorder, err = recorder.Open(ctx, cfg.Record, accounts, s.unrecorded); err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
	}
	return s, nil
}

// Close ends the record. Serve does it as well.
func (s *Server) Close() error {
	if s.recorder == nil {
		return nil
	}
	return s.recorder.Close()
}

func (s *Server) unrecorded(entries int, err error) {
	s.metrics.unrecorded.Add(float64(entries))
	s.cfg.Logger.Warn("requests are missing in the record", "requests", entries, "error", err)
}

// Serve serves on ln until ctx ends, then finishes what runs and returns nil. A
// panic outside a request ends it in the same way, and is its error.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := s.httpServer()
	jobs, stopJobs := context.WithCancel(context.WithoutCancel(ctx))
	failed, fell := make(chan error, 1), make(chan error, 2)
	caught := func(p *crash.Panic) { fell <- p }
	var running sync.WaitGroup
	running.Go(func() {
		defer crash.Catch(caught)
		s.lookAfter(jobs)
	})
	s.announce(ln.Addr())
	go func() {
		defer crash.Catch(caught)
		failed <- srv.Serve(netutil.LimitListener(ln, s.cfg.MaxConns))
	}()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case err = <-fell:
		err = errors.Join(err, s.shutdown(srv))
	case <-ctx.Done():
		err = s.shutdown(srv)
	}
	stopJobs()
	running.Wait()
	select {
	case late := <-fell:
		err = errors.Join(err, late)
	default:
	}
	return errors.Join(err, s.Close())
}

func (s *Server) announce(addr net.Addr) {
	s.cfg.Logger.Info("serving", "addr", addr.String(), "policy", s.cfg.Policy.Hash()[:16], "record", s.cfg.Record)
	if s.cfg.Clients == nil {
		s.cfg.Logger.Warn("no clients file: every credential is accepted as a client of its own")
	}
}

// grace is how long a stop waits beyond the lease for replies to be sent.
const grace = 5 * time.Second

// shutdown takes no more requests and waits for those that run. Their contexts end
// before their leases do.
func (s *Server) shutdown(srv *http.Server) error {
	s.stopping.Store(true)
	s.cfg.Logger.Info("stopping: finishing what runs")
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Policy.Lease+grace)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("stop: %w", err), srv.Close())
	}
	return nil
}

// Bounds of what one connection can take. A header must hold a key of 64 KiB,
// so that its sender is told what is wrong with it.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 20 * time.Second // header and body
	idleTimeout   = time.Minute
	writeTimeout  = 30 * time.Second // beyond reading and the lease
	maxHeader     = 128 << 10
)

func (s *Server) httpServer() *http.Server {
	return &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      readTimeout + s.cfg.Policy.Lease + writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelWarn),
	}
}

// Handler is everything that is served.
func (s *Server) Handler() http.Handler {
	public := map[string]http.Handler{
		"/v1/idempotency_policy": payments.PolicyHandler(s.cfg.Policy),
		"/healthz":               http.HandlerFunc(healthz),
		"/readyz":                http.HandlerFunc(s.readyz),
		"/metrics":               s.metrics.handler(),
	}
	api := s.arrive(s.layer.Wrap(s.api))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := public[r.URL.Path]; ok {
			h.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

func healthz(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") }

// readyTimeout bounds how long a store may take to be called ready.
const readyTimeout = 2 * time.Second

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	err := s.cfg.Store.View(ctx, func(tx engine.Tx) error {
		_, err := tx.Record(ctx, engine.ScopedKey{})
		return err
	})
	switch {
	case s.stopping.Load():
		plain(w, http.StatusServiceUnavailable, "stopping\n")
	case err != nil:
		// The cause is in the log and nobody else's business.
		s.cfg.Logger.WarnContext(r.Context(), "not ready", "error", err)
		plain(w, http.StatusServiceUnavailable, "store is unavailable\n")
	default:
		plain(w, http.StatusOK, "ready\n")
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
