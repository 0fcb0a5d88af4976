package sqlitestore

import (
	"context"
	"errors"
	"testing"

	"idem/crash"
	"idem/engine"
)

// fallen is the panic that a function ends with; nil for none.
func fallen(f func()) (p *crash.Panic) {
	defer crash.Catch(func(caught *crash.Panic) { p = caught })
	f()
	return nil
}

// A defect of the writer itself is a panic of whoever waits for it, and what
// comes after it is refused, not hung and not half written.
func TestPanicOfTheWriter(t *testing.T) {
	store, _ := opened(t)
	fine := func() error { return nil }
	commitOnce(store, func() error { panic("defect") })
	if fallen(func() { _ = put(context.Background(), store, 1, 1, fine) }) == nil {
		t.Error("the panic is lost")
	}
	if err := put(context.Background(), store, 2, 1, fine); err == nil {
		t.Error("written into the transaction that the panic left open")
	}
}

func TestPanicOfTheBulkWriter(t *testing.T) {
	b := openedBulk(t)
	ctx := context.Background()
	write := func(id string) error {
		return b.Update(ctx, func(tx engine.Tx) error { return tx.OpenAccount(ctx, engine.Account{ID: id}) })
	}
	if err := write("A"); err != nil {
		t.Fatal(err)
	}
	c := b.s.c
	b.s.c = nil
	if fallen(func() { _ = b.drain() }) == nil {
		t.Error("the panic is lost")
	}
	b.s.c = c
	if err := write("B"); !errors.As(err, new(*crash.Panic)) {
		t.Errorf("then: %v", err)
	}
}
