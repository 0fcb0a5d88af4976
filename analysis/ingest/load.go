package ingest

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// batches is how many batches are under way between reader and writer.
const batches = 4

// load reads one file and writes what it holds: reading and writing go side by
// side.
func (im *importer) load(ctx context.Context, f *file) error {
	group, ctx := errgroup.WithContext(ctx)
	full, empty := make(chan *batch, batches), make(chan *batch, batches+1)
	for range batches {
		empty <- &batch{source: f.id}
	}
	out, err := im.sink(ctx, f, exchange(ctx, full, empty))
	if err != nil {
		return err
	}
	group.Go(func() error {
		defer close(full)
		err := f.format.Read(&Input{f.src}, &f.mapping, out)
		if err == nil {
			out.flush()
			err = out.Err()
		}
		return err
	})
	group.Go(func() error {
		for b := range full {
			if err := im.write(b); err != nil {
				return err
			}
			im.progress(f)
			b.reset()
			empty <- b
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return fmt.Errorf("import %s: %w", f.src.Path, err)
	}
	return im.loaded(f, out)
}

// exchange gives a full batch away for an empty one.
func exchange(ctx context.Context, full chan<- *batch, empty <-chan *batch) func(*batch) (*batch, error) {
	return func(b *batch) (*batch, error) {
		select {
		case full <- b:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		select {
		case next := <-empty:
			return next, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// write puts a batch into the database.
func (im *importer) write(b *batch) error {
	for i := range b.requests {
		r := &b.requests[i]
		if err := im.store.addRequest(b.source, r); err != nil {
			return err
		}
		im.books.request(im.store.seq, r)
		if r.kind == payment {
			if err := im.tally.asked(&r.order); err != nil {
				return err
			}
			im.openUnits = im.openUnits || r.order.open
		}
	}
	for i := range b.transfers {
		if err := im.transfer(b.source, &b.transfers[i]); err != nil {
			return err
		}
	}
	for i := range b.accounts {
		if err := im.tally.given(&b.accounts[i]); err != nil {
			return err
		}
	}
	for i := range b.rejects {
		if err := im.store.addReject(b.source, &b.rejects[i]); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) transfer(source int64, t *Transfer) error {
	if err := im.byID.find(t, &im.join); err != nil {
		return err
	}
	if err := im.books.transfer(string(t.Currency), t.Amount, 1, &im.join); err != nil {
		return err
	}
	if err := im.tally.moved(t); err != nil {
		return err
	}
	return im.store.addTransfer(source, t, &im.join)
}
