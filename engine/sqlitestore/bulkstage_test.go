package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/engine"
)

// TestStagesMakeNoDifference: the same operations leave the same rows and give
// the same answers, however many of them a stage holds.
func TestStagesMakeNoDifference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(rapid.IntRange(0, 1<<16), 1, 60).Draw(rt, "operations")
		var want []string
		for _, size := range []int{1, 2, 7, 1 << 14} {
			got := staged(t, size, script)
			if want == nil {
				want = got
			}
			for i := range want {
				if got[i] != want[i] {
					rt.Fatalf("with stages of %d operations, line %d is\n%s\nwith stages of 1\n%s", size, i, got[i], want[i])
				}
			}
		}
	})
}

// staged runs operations that the numbers choose, and returns their answers and
// then the rows that they left.
func staged(t *testing.T, size int, script []int) (lines []string) {
	ctx := context.Background()
	b, err := OpenBulk(ctx, filepath.Join(memory(t), "day.db"), BulkOptions{Stage: size})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Script("CREATE TABLE own (n INTEGER PRIMARY KEY, i INTEGER)"); err != nil {
		t.Fatal(err)
	}
	b.accounts.bound = 2
	for i := range 4 {
		err := b.Update(ctx, func(tx engine.Tx) error {
			return tx.OpenAccount(ctx, engine.Account{ID: fmt.Sprint("A", i), Balance: 3})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	fences := map[string]engine.Fence{}
	for i, n := range script {
		key := fmt.Sprint("k", n/8%5)
		at := now.Add(time.Duration(i) * 10 * time.Second)
		var answer any
		switch n % 8 {
		case 0, 1, 2:
			c := claim(key)
			c.Now = at
			v, err := b.Claim(ctx, c, policy)
			if v.Outcome == engine.Fresh {
				fences[key] = v.Record.Fence
			}
			answer = fmt.Sprintf("%v %+v %v", v.Outcome, v.Record, err)
		case 3, 4, 5:
			fails := n/64%4 == 0
			tr := engine.Transfer{ID: fmt.Sprint("T", n/64%9), Src: fmt.Sprint("A", n/64%4), Dst: fmt.Sprint("A", n/128%4), Amount: 1, Currency: "KRW", CreatedAt: at}
			r, settled, err := b.Complete(ctx, engine.Completion{Key: engine.ScopedKey{Key: key}, Fence: fences[key], Now: at}, policy,
				func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
					err := errors.Join(tx.PutDocument(ctx, "d", key, []byte{byte(i)}), tx.Post(ctx, tr))
					if fails {
						err = errors.Join(err, errors.New("failed"))
					}
					return engine.Reply{Status: 201 + 299*(n/256%2), Body: []byte(key)}, err
				})
			answer = fmt.Sprintf("%+v %v %v", r, settled, err != nil)
		case 6:
			answer = b.Exec("INSERT INTO own VALUES (?, ?)", nil, i)
		case 7:
			n, err := b.Purge(ctx, at.Add(-time.Minute), at, n/64%3)
			answer = fmt.Sprint(n, err)
		}
		lines = append(lines, fmt.Sprint(i, " ", answer))
	}
	for _, query := range []string{
		"SELECT client_id, endpoint, idem_key, state, life, fence, attempt, claimed_at, lease_until, completed_at, status, body FROM idempotency_key ORDER BY 1, 2, 3",
		"SELECT * FROM transfer ORDER BY 1", "SELECT * FROM transfer_claim ORDER BY 1", "SELECT * FROM account ORDER BY 1",
		"SELECT * FROM document ORDER BY 1, 2", "SELECT * FROM own ORDER BY 1", "SELECT * FROM fence_counter", "SELECT * FROM chain_head",
	} {
		err := b.Query(ctx, query, nil, func(r Row) error {
			lines = append(lines, fmt.Sprintf("%s: %v", query, r.values))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// TestBulkGoesOn: a file that has records and transfers is not taken for an empty
// one.
func TestBulkGoesOn(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "day.db")
	for round := range 2 {
		b, err := OpenBulk(ctx, path, BulkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"A", "B"} {
			if round == 0 {
				if err := b.Update(ctx, func(tx engine.Tx) error { return tx.OpenAccount(ctx, engine.Account{ID: id, Balance: 9}) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		v, err := b.Claim(ctx, claim("once"), policy)
		if want := []engine.Outcome{engine.Fresh, engine.InFlight}[round]; err != nil || v.Outcome != want {
			t.Errorf("round %d: %v, %v; want %v", round, v.Outcome, err, want)
		}
		err = b.Update(ctx, func(tx engine.Tx) error {
			return tx.Post(ctx, engine.Transfer{ID: "T", Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: now})
		})
		if (err != nil) != (round == 1) {
			t.Errorf("round %d: the transfer T: %v", round, err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBulkReadsWhileItWrites: keys, transfers and accounts of before are found
// while a stage is being written.
func TestBulkReadsWhileItWrites(t *testing.T) {
	ctx := context.Background()
	b, err := OpenBulk(ctx, filepath.Join(t.TempDir(), "day.db"), BulkOptions{Stage: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.accounts.bound = 8
	account := func(i int) string { return fmt.Sprint("A", i%100) }
	for i := range 100 {
		if err := b.Update(ctx, func(tx engine.Tx) error { return tx.OpenAccount(ctx, engine.Account{ID: account(i), Balance: 1 << 20}) }); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3000 {
		old := claim(fmt.Sprint(i / 2))
		v, err := b.Claim(ctx, old, policy)
		if fresh := i%2 == 0; err != nil || fresh != (v.Outcome == engine.Fresh) {
			t.Fatalf("claim %d is %v, %v", i, v.Outcome, err)
		}
		for _, old := range []int{i / 2, max(0, i-4), max(0, i-12)} { // long written, and perhaps not yet
			if v, err = b.Claim(ctx, claim(fmt.Sprint(old/2)), policy); err != nil || v.Outcome == engine.Fresh {
				t.Fatalf("the claim of %d after %d is %v, %v", old, i, v.Outcome, err)
			}
		}
		if i%2 == 1 {
			continue
		}
		_, _, err = b.Complete(ctx, engine.Completion{Key: old.Key, Fence: b.last, Now: now}, policy, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			tr := engine.Transfer{ID: fmt.Sprint("T", i), Src: account(i), Dst: account(7*i + 1), Amount: 1, Currency: "KRW", CreatedAt: now}
			if before, err := tx.Transfer(ctx, fmt.Sprint("T", i/4*2)); err != nil || before == nil && i > 2 {
				return engine.Reply{}, fmt.Errorf("an old transfer is %v, %w", before, err)
			}
			return engine.Reply{Status: 201}, tx.Post(ctx, tr)
		})
		if err != nil {
			t.Fatal(i, err)
		}
	}
	var sum int64
	if err := b.QueryRow("SELECT sum(balance) FROM account").Scan(&sum); err != nil || sum != 100<<20 {
		t.Errorf("the balances sum up to %d, %v", sum, err)
	}
}

// TestBulkHandsOver: a stage that waits to be written is still looked into.
func TestBulkHandsOver(t *testing.T) {
	ctx := context.Background()
	b, err := OpenBulk(ctx, filepath.Join(t.TempDir(), "day.db"), BulkOptions{Stage: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.file.Lock() // the writer cannot begin
	for _, key := range []string{"k1", "k2", "k3"} {
		if _, err := b.Claim(ctx, claim(key), policy); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for _, st := range b.stages() {
		found += len(st.records)
	}
	b.file.Unlock()
	if found != 3 {
		t.Errorf("%d of 3 staged records can be found before they are written", found)
	}
}

// TestFilter: what was added is never denied, and most of what was not is.
func TestFilter(t *testing.T) {
	var f filter
	if f.has(idHash("x")) {
		t.Error("an empty filter has x")
	}
	for i := range 10_000 {
		f.add(idHash(fmt.Sprint(i)))
	}
	wrong := 0
	for i := range 10_000 {
		if !f.has(idHash(fmt.Sprint(i))) {
			t.Fatalf("%d is missing", i)
		}
		if f.has(idHash(fmt.Sprint("not ", i))) {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("%d of 10000 that were not added are not denied", wrong)
	}
	all := filter{everything: true}
	if !all.has(idHash("x")) {
		t.Error("x is denied of a file that had rows before")
	}
}

// memory is a folder in memory where there is one.
func memory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "bulk")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
