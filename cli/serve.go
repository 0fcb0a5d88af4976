package cli

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idem/engine"
	"idem/engine/memstore"
	"idem/engine/payments/server"
	"idem/engine/pgstore"
	"idem/engine/sqlitestore"
)

type serveOptions struct {
	addr, store, clients, accounts, record string
	jsonLog                                bool
	policy                                 policyFlag
}

func newServe(s streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the payment API behind the idempotency layer",
		Long: `serve runs the payment API: POST /v1/payment_intents, GET
/v1/payment_intents/{id}, POST /v1/transfers, GET /v1/idempotency_policy, and
/healthz, /readyz and /metrics. Every POST needs "Authorization: Bearer ..." and
an Idempotency-Key. SIGTERM finishes what runs and ends with exit code 0.

A policy that was proven in the workbench can be served as it is. Without a
clients file every credential is a client of its own, on a loopback address only.`,
		Example: `  idem serve
  idem serve --store sqlite:payments.db --clients clients.json --addr :8080
  idem serve --policy idem-report/policy.json --accounts day.db --record today.db`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runServe(cmd.Context(), s, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", server.DefaultAddr, "address to serve on, host:port")
	f.StringVar(&o.store, "store", "memory", "where keys and money are kept: memory, sqlite:FILE or postgres://...")
	f.StringVar(&o.clients, "clients", "", `clients file: {"client_id": ["sha256 of a credential in hex", ...]}`)
	f.StringVar(&o.accounts, "accounts", "", `accounts to open: a database with an account table, or JSON: [{"acct_id": ..., "holder": ..., "balance": ...}]`)
	f.StringVar(&o.record, "record", "", "write requests and transfers to this file, as an incident database")
	f.BoolVar(&o.jsonLog, "log-json", false, "write the log as JSON lines")
	o.policy.register(f)
	return cmd
}

func runServe(ctx context.Context, s streams, o serveOptions) (err error) {
	cfg, err := o.config(ctx, s)
	if err != nil {
		return err
	}
	if cfg.Store, err = openStore(ctx, o.store, cfg.Policy); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cfg.Store.Close()) }()
	if o.store == "memory" {
		cfg.Logger.Warn("the store is in memory: keys, results and balances end with this process")
	}
	return usageOr(server.Run(ctx, cfg))
}

func (o serveOptions) config(ctx context.Context, s streams) (cfg server.Config, err error) {
	cfg = server.Config{Addr: o.addr, Record: o.record, Logger: slog.New(slog.NewTextHandler(s.err, nil))}
	if o.jsonLog {
		cfg.Logger = slog.New(slog.NewJSONHandler(s.err, nil))
	}
	if cfg.Policy, err = o.policy.load(engine.HTTPPolicy()); err != nil {
		return cfg, err
	}
	if o.clients != "" {
		if cfg.Clients, err = parseFile(o.clients, server.ParseClients); err != nil {
			return cfg, err
		}
	}
	if o.accounts != "" {
		cfg.Accounts, err = readAccounts(ctx, o.accounts)
	}
	return cfg, err
}

// parseFile reads a small file: one that cannot be read is an unreadable input,
// one that says what cannot be is wrong usage.
func parseFile[T any](path string, parse func([]byte) (T, error)) (parsed T, err error) {
	text, err := readLimited(path, maxRequest)
	if err != nil {
		return parsed, unreadable("%w", err)
	}
	parsed, err = parse(text)
	return parsed, usageOr(err)
}

// usageOr gives the server's usage errors their exit code.
func usageOr(err error) error {
	if errors.As(err, new(*server.UsageError)) {
		return &coded{exitUsage, err}
	}
	return err
}

// openStore opens the store that a URL names, for keys of the policy's scope.
func openStore(ctx context.Context, url string, policy engine.Policy) (engine.Store, error) {
	file, isFile := strings.CutPrefix(url, "sqlite:")
	switch {
	case url == "memory":
		return memstore.New(), nil
	case isFile && file != "":
		store, err := sqlitestore.Open(ctx, file, sqlitestore.Options{})
		return ofScope(ctx, store, err, policy, time.Now())
	case isPostgres(url):
		store, err := pgstore.Open(ctx, url, pgstore.Options{})
		return ofScope(ctx, store, err, policy, time.Now())
	}
	// What was given may hold a password and is not repeated.
	return nil, usageError("--store must be memory, sqlite:FILE or postgres://...")
}

// lasting is a store that may hold keys of an earlier process.
type lasting interface {
	engine.Store
	Newest(context.Context) (*engine.Record, error)
}

// ofScope is a store that was opened, unless its keys are of another scope than
// the policy's; then it is closed again.
func ofScope[S lasting](ctx context.Context, store S, opened error, policy engine.Policy, now time.Time) (engine.Store, error) {
	if opened != nil {
		return nil, opened
	}
	newest, err := store.Newest(ctx)
	if err == nil {
		err = policy.CheckScope(newest, now)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// isPostgres reports whether a store or database is named by a connection string.
func isPostgres(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}
