package fleet

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"idem/analysis/verify"
)

// settle sends every key until it has its result, and again to another server,
// which must replay it. No key is stuck for longer than its lease and the time
// that a dead transaction holds its locks.
func (f *fleet) settle() {
	deadline := time.Now().Add(lease + 5*time.Second)
	addrs := f.addrs()
	for i, key := range f.clients.keys() {
		first, other := addrs[i%3], addrs[(i+1)%3]
		for {
			if result, _ := f.clients.send(first, key); result {
				break
			}
			if time.Now().After(deadline) {
				f.clients.problem("%s is stuck", key)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if result, replayed := f.clients.send(other, key); !result || !replayed {
			f.clients.problem("%s is not replayed by another server", key)
		}
	}
}

// check asks the database, and gives what is wrong there and what clients saw.
func (f *fleet) check() []string {
	conn, err := pgx.Connect(context.Background(), f.db.DSN("postgres"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	number := func(query string) (n int64) {
		if err := conn.QueryRow(context.Background(), query).Scan(&n); err != nil {
			f.t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	// Servers that were stopped may have a transaction open still.
	for number("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'") > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	c := f.clients
	transfers, completed := number("SELECT count(*) FROM transfer"), number("SELECT count(*) FROM idempotency_key WHERE idem_key LIKE 't-%' AND state = 'completed'")
	if transfers != completed {
		c.problem("%d transfers for %d completed keys", transfers, completed)
	}
	intents, wanted := number("SELECT count(*) FROM document"), number("SELECT count(*) FROM idempotency_key WHERE idem_key LIKE 'i-%' AND state = 'completed'")
	if intents != wanted {
		c.problem("%d intents for %d completed keys", intents, wanted)
	}
	if n := number("SELECT count(*) FROM transfer AS t WHERE NOT EXISTS (SELECT 1 FROM transfer_claim AS c JOIN idempotency_key AS k ON k.life = c.life WHERE c.transfer_id = t.transfer_id)"); n != 0 {
		c.problem("%d transfers belong to no key", n)
	}
	a, b := number("SELECT balance FROM account WHERE acct_id = 'a'"), number("SELECT balance FROM account WHERE acct_id = 'b'")
	if a != startBalance-transfers || b != startBalance+transfers {
		c.problem("balances are %d and %d after %d transfers of 1", a, b, transfers)
	}
	f.checkTold(conn)
	return c.problems
}

// audit is what idem verify finds.
func (f *fleet) audit() (problems []string) {
	r, err := verify.Database(context.Background(), f.db.DSN("postgres"), verify.Options{Now: time.Now()})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, c := range r.Checks {
		for _, v := range c.Violations {
			problems = append(problems, c.Name+": "+v.Row+": "+v.Why)
		}
	}
	return problems
}

// checkTold: what a client was told with 201 stands in the database, to the byte.
func (f *fleet) checkTold(conn *pgx.Conn) {
	for key, body := range f.clients.told {
		if body == nil {
			continue
		}
		var kept []byte
		err := conn.QueryRow(context.Background(), "SELECT body FROM idempotency_key WHERE idem_key = $1 AND state = 'completed'", key).Scan(&kept)
		if err != nil || string(kept) != string(body) {
			f.clients.problem("%s was told as %s and is kept as %s, %v", key, body, kept, err)
		}
	}
}
