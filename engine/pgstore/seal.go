package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// Seal continues the chain of hashes over the transfers (see [engine.Seal]) with
// up to limit of those that have been committed since, and returns how many. Who
// pays never waits for it: a transfer is sealed a moment after it was made, in
// the order in which a sealing finds them. It is 0 when there are none, and when
// another server is sealing. [Options] bound how long it may take.
func (s *Store) Seal(ctx context.Context, limit int) (sealed int, err error) {
	ctx, cancel, err := s.steady(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	err = s.retry(ctx, func() error {
		sealed = 0
		waiting, err := s.unsealed(ctx)
		if err != nil || !waiting {
			return err
		}
		return s.transact(ctx, pgx.TxOptions{}, func(pg pgx.Tx) (err error) {
			sealed, err = sealNext(ctx, pg, limit)
			return err
		})
	})
	switch {
	case code(err) == codeLockTimeout:
		return 0, nil // another server has the chain's end
	case err != nil:
		return 0, fmt.Errorf("seal transfers: %w", err)
	}
	return sealed, nil
}

func (s *Store) unsealed(ctx context.Context) (waiting bool, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	err = conn.QueryRow(ctx, sqlUnsealedAny).Scan(&waiting)
	return waiting, err
}

// sealNext seals inside one transaction, which holds the chain's end.
func sealNext(ctx context.Context, pg pgx.Tx, limit int) (sealed int, err error) {
	var n int64
	var hash []byte
	if err := pg.QueryRow(ctx, sqlChainLock).Scan(&n, &hash); err != nil {
		return 0, fmt.Errorf("lock the chain's end: %w", missingIsDamage(err))
	}
	seal, ok := engine.ParseSeal(hash)
	if !ok {
		return 0, fmt.Errorf("%w: hash of chain_head", engine.ErrDamaged)
	}
	links, err := readUnsealed(ctx, pg, limit)
	if err != nil || len(links) == 0 {
		return 0, err
	}
	b := &pgx.Batch{}
	for i, l := range links {
		seal = seal.Next(l.id, l.src, l.dst, l.amount, l.currency, l.createdAt)
		b.Queue(sqlSealSet, l.life, n+int64(i)+1, slices.Clone(seal[:])) // sent later
	}
	b.Queue(sqlChainUpdate, n+int64(len(links)), seal[:], n)
	return len(links), sendSeals(ctx, pg, b)
}

// sendSeals fails when one of them wrote no row: then the chain would have a gap.
func sendSeals(ctx context.Context, pg pgx.Tx, b *pgx.Batch) error {
	sent := pg.SendBatch(ctx, b)
	var err error
	for range b.Len() {
		tag, failed := sent.Exec()
		if failed == nil && tag.RowsAffected() != 1 {
			failed = fmt.Errorf("%w: the chain changed under its lock", engine.ErrDamaged)
		}
		if err == nil {
			err = failed
		}
	}
	return errors.Join(err, sent.Close())
}

func missingIsDamage(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%w: chain_head is empty", engine.ErrDamaged)
	}
	return err
}

// link is a transfer that is to be sealed.
type link struct {
	life                int64
	id, src, dst        string
	amount              int64
	currency, createdAt string
}

func readUnsealed(ctx context.Context, pg pgx.Tx, limit int) (links []link, err error) {
	rows, err := pg.Query(ctx, sqlUnsealed, limit)
	if err != nil {
		return nil, fmt.Errorf("read transfers: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var l link
		if err := rows.Scan(&l.life, &l.id, &l.src, &l.dst, &l.amount, &l.currency, &l.createdAt); err != nil {
			return nil, fmt.Errorf("read transfers: %w", err)
		}
		for _, text := range []*string{&l.id, &l.src, &l.dst, &l.currency} {
			if *text, err = restored(*text); err != nil {
				return nil, err
			}
		}
		links = append(links, l)
	}
	return links, rows.Err()
}
