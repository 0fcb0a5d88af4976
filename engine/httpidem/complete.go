package httpidem

import (
	"context"
	"errors"

	"idem/engine"
)

// complete commits the effects and the reply. An effect that fails is the
// request's failure, and that is what is committed then.
func (r *run) complete(handled *capture) (engine.Settlement, error) {
	settled, err := r.settle(handled)
	if err == nil || storeFailed(err) {
		return settled, err
	}
	var failed *effectError
	if !errors.As(err, &failed) {
		return settled, err
	}
	r.x.event.Err = failed.err
	problem := handlerFailed
	if errors.Is(err, errTooLarge) {
		problem = replyTooLarge
	}
	return r.settle(handled.failure(problem))
}

// settle completes the claim with what was handled, and leaves the reply as it
// was committed in final.
func (r *run) settle(handled *capture) (engine.Settlement, error) {
	effect := func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		// The store may run this more than once; each time on the reply as the
		// handler left it.
		r.final = handled.again()
		if err := r.final.runEffects(ctx, tx); err != nil {
			return engine.Reply{}, err
		}
		return r.final.stored(r.x.Layer), nil
	}
	r.final = nil
	r.claim.Now = r.x.opt.Now()
	_, settled, err := r.x.store.Complete(r.x.detached, r.claim, r.x.policy, effect)
	if errors.Is(err, engine.ErrUnknownCommit) && r.final != nil {
		settled, err = r.reread(err)
	}
	return settled, err
}

// reread finds out what became of a commit that was sent and not answered. It
// never runs anything again. unknown is returned where the record says that the
// claim still stands, that is, where nothing was committed.
func (r *run) reread(unknown error) (engine.Settlement, error) {
	var found *engine.Record
	ctx := r.x.detached
	err := r.x.store.View(ctx, func(tx engine.Tx) (err error) {
		found, err = tx.Record(ctx, r.claim.Key)
		return err
	})
	switch {
	case err != nil:
		return 0, errors.Join(unknown, err)
	case found == nil && !r.x.policy.Stores(r.final.status):
		return engine.Released, nil
	case found == nil || found.Fence != r.claim.Fence:
		return engine.Lost, nil
	case found.State == engine.Completed:
		return engine.Kept, nil
	}
	return 0, unknown
}
