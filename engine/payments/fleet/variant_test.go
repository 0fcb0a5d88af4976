package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"idem/engine"
	"idem/engine/payments/server"
	"idem/engine/pgstore"
)

// variantEnv names the store that the test binary, run as a server, has: one
// that is wrong on purpose.
const variantEnv = "IDEM_FLEET_VARIANT"

const (
	noFence       = "no fence"
	noFenceAndTie = "no fence and no tie"
)

// unfenced is a store that does not look at the token: the effect of a worker
// whose claim was taken over happens as well.
type unfenced struct {
	*pgstore.Store
	tie bool // the tie between the life of a key and its transfer is left
}

// Complete implements engine.Store.
func (s unfenced) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	r, settled, err := s.Store.Complete(ctx, c, p, effect)
	if err != nil || settled != engine.Lost {
		return r, settled, err
	}
	err = s.Update(ctx, func(tx engine.Tx) error {
		reply, err := effect(ctx, tx)
		if err != nil {
			return err
		}
		r = engine.Record{Key: c.Key, State: engine.Completed, Reply: reply}
		if s.tie {
			return tieLate(ctx, tx, c.Key)
		}
		return nil
	})
	return r, engine.Kept, err
}

// tieRefused is what a variant logs when UNIQUE kept a second transfer out.
const tieRefused = "the tie refused a second transfer"

// tieLate ties what this transaction transferred to the life of the key.
func tieLate(ctx context.Context, tx engine.Tx, key engine.ScopedKey) error {
	pg, _ := pgstore.PgxTx(tx)
	_, err := pg.Exec(ctx, `INSERT INTO transfer_claim (life, fence, transfer_id)
		SELECT k.life, k.fence, t.transfer_id FROM idempotency_key AS k, transfer AS t
		WHERE k.idem_key = $1 AND NOT EXISTS (SELECT 1 FROM transfer_claim AS tied WHERE tied.transfer_id = t.transfer_id)`, key.Key)
	if unique := (&pgconn.PgError{}); errors.As(err, &unique) && unique.Code == "23505" {
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Warn(tieRefused)
	}
	return err
}

// serveVariant is the program's serve with such a store.
func serveVariant(variant string) int {
	if err := runVariant(variant); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func runVariant(variant string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	flags := map[string]string{}
	for i := 2; i+1 < len(os.Args); i++ {
		flags[os.Args[i]] = os.Args[i+1]
	}
	store, err := pgstore.Open(ctx, flags["--store"], pgstore.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	policy := engine.HTTPPolicy()
	policy.Lease = lease
	text, err := os.ReadFile(flags["--accounts"])
	if err != nil {
		return err
	}
	accounts, err := server.ParseAccounts(text)
	if err != nil {
		return err
	}
	return server.Run(ctx, server.Config{
		Addr: flags["--addr"], Store: unfenced{store, variant == noFence}, Policy: policy, Accounts: accounts,
		Logger: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	})
}
