package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// tokens are fence tokens that this server has drawn and not given out. A block
// is drawn at a time, so that a claim seldom waits for it, and a claim has its
// token before it is sent: when its answer is lost, the token tells whether it
// had arrived. What is left when a server stops is never used.
type tokens struct {
	turn chan struct{} // held by whoever takes, gives back or draws
	free []engine.Fence
}

// blockSize is how many tokens are drawn at once.
const blockSize = 32

func newTokens() tokens { return tokens{turn: make(chan struct{}, 1)} }

// token takes the least token that is free.
func (s *Store) token(ctx context.Context) (engine.Fence, error) {
	ts := &s.tokens
	select {
	case ts.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, fmt.Errorf("%w: no fence token in time", engine.ErrBusy)
	}
	defer func() { <-ts.turn }()
	if len(ts.free) == 0 {
		last, err := s.drawTokens(ctx)
		if err != nil {
			return 0, fmt.Errorf("draw fence tokens: %w", err)
		}
		for i := range engine.Fence(blockSize) {
			ts.free = append(ts.free, last-blockSize+1+i)
		}
	}
	fence := ts.free[0]
	ts.free = ts.free[1:]
	return fence, nil
}

// giveBack returns a token that no statement wrote. Losers write nothing, and so
// they do not use up tokens either.
func (s *Store) giveBack(fence engine.Fence) {
	s.tokens.turn <- struct{}{}
	s.tokens.free = append([]engine.Fence{fence}, s.tokens.free...)
	<-s.tokens.turn
}

func (s *Store) drawTokens(ctx context.Context) (last engine.Fence, err error) {
	err = s.retry(ctx, func() error {
		conn, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		err = conn.QueryRow(ctx, sqlFenceDraw, blockSize).Scan(&last)
		if errors.Is(err, pgx.ErrNoRows) {
			err = fmt.Errorf("%w: fence_counter is empty", engine.ErrDamaged)
		}
		return err
	})
	return last, err
}
