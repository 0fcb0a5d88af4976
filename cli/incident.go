package cli

import (
	"context"
	"errors"

	"idem/analysis"
)

// withIncident opens an incident for the length of a call. One that changed
// while it was read in place is read once more, from a private copy that stays
// as it is.
func withIncident(ctx context.Context, path string, do func(*analysis.Incident) error) error {
	if path == "" {
		return usageError("the name of the database is empty: name an incident database")
	}
	err := openFor(ctx, path, do)
	if errors.Is(err, analysis.ErrChanged) {
		err = openFor(ctx, path, do, analysis.Copied())
	}
	return err
}

func openFor(ctx context.Context, path string, do func(*analysis.Incident) error, opts ...analysis.Option) error {
	opened := logged(ctx, "open", "bytes", fileSize(path))
	in, err := analysis.Open(ctx, path, opts...)
	opened()
	if err != nil {
		return err
	}
	defer in.Close()
	defer logged(ctx, "use")()
	return in.ExplainSum(ctx, do(in))
}

// privateDir makes a folder for what nobody else is to see; done removes it.
func privateDir() (dir string, done func() error, err error) {
	return analysis.PrivateDir("")
}
