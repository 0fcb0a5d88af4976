package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"idem/engine"
)

// Claim is [engine.Store.Claim]. Once begun it does not look at ctx: a claim
// that is under way must be known to have happened or not.
func (s *Store) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	v, err := s.claim(ctx, c, p)
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("claim key: %w", err)
	}
	return v, nil
}

func (s *Store) claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	ctx, cancel, err := s.steady(ctx)
	if err != nil {
		return engine.Verdict{}, err
	}
	defer cancel()
	c.Now = engine.UTC(c.Now)
	fence, err := s.token(ctx)
	if err != nil {
		return engine.Verdict{}, err
	}
	g := claiming{s: s, claim: c, policy: p, fence: fence}
	err = s.retry(ctx, func() error { return g.try(ctx) })
	if g.tries == 1 && err == nil && g.verdict.Outcome != engine.Fresh {
		s.giveBack(fence)
	}
	return g.verdict, err
}

// claiming is a claim on its way. All its tries carry one token, so that a
// record which has it is this claim's, by whichever try.
type claiming struct {
	s       *Store
	claim   engine.Claim
	policy  engine.Policy
	fence   engine.Fence
	tries   int
	verdict engine.Verdict
	// replaced is the verdict of the last replacement that was sent.
	replaced *engine.Verdict
}

// try inserts first. Only the conflict leads to the record and the rules.
func (g *claiming) try(ctx context.Context) (err error) {
	g.tries++
	conn, err := g.s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if g.verdict, err = engine.Decide(nil, g.claim, g.fence, g.policy); err != nil {
		return err
	}
	inserted, err := g.write(ctx, conn, sqlClaimInsert)
	if err != nil {
		return fmt.Errorf("insert record: %w", err)
	}
	if inserted {
		return nil
	}
	return g.contest(ctx, conn)
}

// contest decides on a claim of a key that has a record.
func (g *claiming) contest(ctx context.Context, conn *pgxpool.Conn) error {
	existing, err := scanRecord(conn.QueryRow(ctx, sqlRecord, keyColumns(g.claim.Key)...), g.claim.Key)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	if existing == nil {
		return errConflict // purged or released since the INSERT
	}
	if existing.Fence == g.fence {
		g.recognise(*existing)
		return nil
	}
	if g.verdict, err = engine.Decide(existing, g.claim, g.fence, g.policy); err != nil || g.verdict.Outcome != engine.Fresh {
		return err
	}
	sent := g.verdict
	g.replaced = &sent
	replaced, err := g.write(ctx, conn, sqlClaimReplace, int64(existing.Fence), existing.State.String())
	if err == nil && !replaced {
		err = errConflict
	}
	if err != nil {
		return fmt.Errorf("replace record: %w", err)
	}
	return nil
}

// recognise takes the record that an earlier try wrote whose answer was lost.
func (g *claiming) recognise(r engine.Record) {
	if g.replaced != nil {
		g.verdict = *g.replaced
	}
	g.verdict.Record = r
}

// write sends the record of the verdict; more are the columns that only the
// replacement has.
func (g *claiming) write(ctx context.Context, conn *pgxpool.Conn, text string, more ...any) (written bool, err error) {
	columns, err := claimColumns(&g.verdict.Record)
	if err != nil {
		return false, err
	}
	tag, err := conn.Exec(ctx, text, append(columns, more...)...)
	return tag.RowsAffected() == 1, err
}
