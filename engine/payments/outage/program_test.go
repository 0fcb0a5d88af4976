package outage

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/sqlitestore"
)

// The environment of a test binary that is to be a server: the path of its
// database, and the lease of its claims.
const (
	pathEnv  = "OUTAGE_DB"
	leaseEnv = "OUTAGE_LEASE"
)

// patience is how long a server waits for the lock on its file.
const patience = 200 * time.Millisecond

// program is a server whose handler says that it runs, and can be told to wait.
// Every payment is 1 from A to B.
type program struct{ told chan struct{} }

// serve is the server. It tells its parent on stdout what happens, a line each,
// and takes orders on stdin: any line lets one waiting handler go on, and the end
// of them ends it.
func serve(path string) error {
	lease, err := time.ParseDuration(os.Getenv(leaseEnv))
	if err != nil {
		return err
	}
	store, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{BusyTimeout: patience})
	if err != nil {
		return err
	}
	if err := openAccounts(store); err != nil {
		return err
	}
	policy := engine.HTTPPolicy()
	policy.Lease = lease
	layer, err := httpidem.New(store, httpidem.Options{Policy: policy, Observe: tell})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p := &program{told: make(chan struct{})}
	srv := &http.Server{Handler: layer.Wrap(http.HandlerFunc(p.pay))}
	go p.listen(srv)
	fmt.Println("serving", ln.Addr())
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return store.Close()
}

func openAccounts(store engine.Store) error {
	ctx := context.Background()
	return store.Update(ctx, func(tx engine.Tx) error {
		if a, err := tx.Account(ctx, "A"); err != nil || a != nil {
			return err
		}
		if err := tx.OpenAccount(ctx, engine.Account{ID: "A", Balance: 1_000_000}); err != nil {
			return err
		}
		return tx.OpenAccount(ctx, engine.Account{ID: "B"})
	})
}

func tell(_ context.Context, e httpidem.Event) {
	fmt.Println("told", e.Request.Key, e.Status, e.Outcome, e.Attempt)
}

// listen ends the server when the orders end.
func (p *program) listen(srv *http.Server) {
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		p.told <- struct{}{}
	}
	_ = srv.Close()
}

// pay waits where the request says so, in a header that is not part of what makes
// two requests the same.
func (p *program) pay(w http.ResponseWriter, r *http.Request) {
	fmt.Println("run", r.Header.Get("Idempotency-Key"))
	if r.Header.Get("Wait") != "" {
		<-p.told
	}
	id, now := rand.Text(), time.Now()
	httpidem.OnComplete(r.Context(), func(ctx context.Context, tx engine.Tx, _ http.ResponseWriter) error {
		return tx.Post(ctx, engine.Transfer{ID: id, Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: now})
	})
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%q}`, id)
}
