package pgstore

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options are the settings of a [Store]; the zero value is good. Session
// settings that the connection string names stand as they are there.
type Options struct {
	// MaxConns is the size of the pool; if zero, pool_max_conns of the
	// connection string, or 16.
	MaxConns int
	// Wait is how long to wait for a connection of the pool, and for a lock
	// (lock_timeout), before ErrBusy; 3 s if zero.
	Wait time.Duration
	// Statement is statement_timeout; 5 s if zero.
	Statement time.Duration
	// Idle is idle_in_transaction_session_timeout, 5 s if zero: how long a
	// server that was stopped inside a transaction may hold its locks.
	Idle time.Duration
	// Limit is how long an operation that has begun may take, with all that is
	// run again; 10 s if zero. It ends what a broken network would not.
	Limit time.Duration
	// Settle is how long to look for the outcome of a commit that gave no
	// answer, before ErrUnknownCommit; 5 s if zero.
	Settle time.Duration
	// Tries is how often a transaction is run that the database refuses
	// because of others, before ErrBusy; 12 if zero.
	Tries int
	// Random gives numbers in [0, 1) for the pauses between tries; nil means
	// the runtime's. It must be safe for concurrent use.
	Random func() float64
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&o.Wait, 3 * time.Second}, {&o.Statement, 5 * time.Second}, {&o.Idle, 5 * time.Second},
		{&o.Limit, 10 * time.Second}, {&o.Settle, 5 * time.Second},
	} {
		if *d.value == 0 {
			*d.value = d.fallback
		}
	}
	if o.Tries == 0 {
		o.Tries = 12
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

// defaultMaxConns is above what the driver takes (4, or the number of cores):
// connections wait for the disk, and those that wait together commit together.
const defaultMaxConns = 16

// poolConfig is the connection string with the options filled in.
func poolConfig(dsn string, o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	if !namesPoolSize(dsn) {
		config.MaxConns = defaultMaxConns
	}
	if o.MaxConns > 0 {
		config.MaxConns = int32(min(o.MaxConns, 1<<15))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = o.Limit
	}
	session := config.ConnConfig.RuntimeParams
	if off := session["synchronous_commit"]; off == "off" || off == "false" || off == "0" || off == "no" {
		return nil, fmt.Errorf("%w: synchronous_commit is off, so a crash would lose acknowledged completions; leave it out", ErrSettings)
	}
	for name, value := range map[string]string{
		"application_name":                    "idem",
		"synchronous_commit":                  "on",
		"default_transaction_isolation":       "read committed",
		"lock_timeout":                        milliseconds(o.Wait),
		"statement_timeout":                   milliseconds(o.Statement),
		"idle_in_transaction_session_timeout": milliseconds(o.Idle),
	} {
		if session[name] == "" {
			session[name] = value
		}
	}
	return config, nil
}

// namesPoolSize reports whether the connection string sets pool_max_conns, which
// the pool's own parser takes out.
func namesPoolSize(dsn string) bool {
	config, err := pgx.ParseConfig(dsn)
	return err == nil && config.RuntimeParams["pool_max_conns"] != ""
}

// milliseconds is at least one: zero would mean no end.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(1, d.Milliseconds()), 10)
}
