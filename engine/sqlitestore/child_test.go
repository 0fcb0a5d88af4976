package sqlitestore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"idem/engine"
	"idem/engine/sqlitestore"
)

// childEnv holds the orders of a test binary that was started to be another
// process on the same file.
const childEnv = "SQLITESTORE_TEST_CHILD"

// orders is what a child does: it opens Path, claims Key at Now and completes
// the claim with transfer ID from A to B. Kill names where it kills itself.
type orders struct {
	Path, Key, ID, Kill string
	Now                 time.Time
}

// The points of [orders.Kill].
const (
	killAfterClaim    = "after the claim"
	killInEffect      = "in the effect"
	killAfterComplete = "after the completion"
)

func TestMain(m *testing.M) {
	text, isChild := os.LookupEnv(childEnv)
	if !isChild {
		code := m.Run()
		if err := goleak.Find(); code == 0 && err != nil {
			fmt.Println("a store left something running:", err)
			code = 1
		}
		os.Exit(code)
	}
	var o orders
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = o.carryOut(os.Stdout)
	}
	if err != nil {
		fmt.Println("error", errors.Is(err, engine.ErrBusy), err)
		os.Exit(1)
	}
}

func (o orders) killAt(point string) {
	if o.Kill == point {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until it arrives
	}
}

func (o orders) carryOut(out io.Writer) error {
	// All children wait here for the end of their input, so that they start at once.
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, o.Path, sqlitestore.Options{BusyTimeout: time.Minute})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := openTwo(store); err != nil {
		return err
	}
	p := engine.DefaultPolicy()
	c, err := claimOf(p, o.Key, o.Now)
	if err != nil {
		return err
	}
	v, err := store.Claim(ctx, c, p)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, v.Outcome)
	if v.Outcome != engine.Fresh {
		return nil
	}
	o.killAt(killAfterClaim)
	done := engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: o.Now}
	_, settled, err := store.Complete(ctx, done, p, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		t := engine.Transfer{ID: o.ID, Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: o.Now}
		err := tx.Post(ctx, t)
		o.killAt(killInEffect)
		return engine.Reply{Status: 201, Body: []byte(o.ID)}, err
	})
	if err != nil {
		return err
	}
	o.killAt(killAfterComplete)
	fmt.Fprintln(out, settled)
	return nil
}

func claimOf(p engine.Policy, key string, now time.Time) (engine.Claim, error) {
	return p.Claim(engine.Request{ClientID: "shop", Endpoint: "POST /v1/transfers", Key: key, Body: []byte(`{"a":1}`)}, now)
}

// openTwo opens A with 100 and B with nothing, unless others moved money already.
func openTwo(store engine.Store) error {
	ctx := context.Background()
	return store.Update(ctx, func(tx engine.Tx) error {
		if a, err := tx.Account(ctx, "A"); err != nil || a != nil {
			return err
		}
		if err := tx.OpenAccount(ctx, engine.Account{ID: "A", Balance: 100}); err != nil {
			return err
		}
		return tx.OpenAccount(ctx, engine.Account{ID: "B"})
	})
}

// runChildren starts a process for each order, lets them go at once and returns
// the lines each printed.
func runChildren(t *testing.T, all ...orders) [][]string {
	t.Helper()
	outs := make([]bytes.Buffer, len(all))
	cmds := make([]*exec.Cmd, len(all))
	gates := make([]io.Closer, len(all))
	for i, o := range all {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+string(text))
		cmd.Stdout, cmd.Stderr = &outs[i], os.Stderr
		gate, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds[i], gates[i] = cmd, gate
	}
	for _, gate := range gates {
		gate.Close()
	}
	lines := make([][]string, len(all))
	for i, cmd := range cmds {
		err := cmd.Wait()
		if all[i].Kill == "" && err != nil {
			t.Errorf("child %d: %v: %s", i, err, outs[i].String())
		}
		lines[i] = strings.Fields(outs[i].String())
	}
	return lines
}
