package analysis

import "context"

// acquire decides which file is read: the original, or a private copy.
func (in *Incident) acquire(ctx context.Context, o options) error {
	if err := check(in.resolved); err != nil {
		return err
	}
	var err error
	if in.state, err = look(in.resolved); err != nil {
		return fileError(in.path, err)
	}
	in.reads = in.resolved
	return nil
}
