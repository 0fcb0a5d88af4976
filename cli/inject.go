package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"idem/analysis"
	"idem/analysis/replay"
)

// injectFlags do something to a day that its log does not say.
type injectFlags struct{ crash, stall, race []int64 }

func (i *injectFlags) register(f *pflag.FlagSet) {
	f.Int64SliceVar(&i.crash, "crash-at", nil, "seq of a request whose worker dies after its claim; a retry after the lease takes it over")
	f.Int64SliceVar(&i.stall, "stall-at", nil, "seq of a request whose worker stands still until another one has taken its claim over and completed")
	f.Int64SliceVar(&i.race, "race", nil, "seq of a request that a twin is sent with at the same instant")
}

// options checks that the requests exist.
func (i *injectFlags) options(ctx context.Context, in *analysis.Incident) (replay.Options, error) {
	for _, seq := range slices.Concat(i.crash, i.stall, i.race) {
		_, err := in.Request(ctx, seq)
		if errors.Is(err, analysis.ErrNotFound) {
			return replay.Options{}, usageError("the day has no request with seq %d", seq)
		}
		if err != nil {
			return replay.Options{}, fmt.Errorf("look up request %d: %w", seq, err)
		}
	}
	return replay.Options{CrashAt: i.crash, StallAt: i.stall, RaceAt: i.race}, nil
}

// printInjected says what was done to a day, so that a drill is no evidence.
func printInjected(w io.Writer, o *replay.Options) {
	for _, kind := range []struct {
		name string
		seqs []int64
	}{{"a crash", o.CrashAt}, {"a stalled worker", o.StallAt}, {"a race", o.RaceAt}} {
		for _, seq := range kind.seqs {
			fmt.Fprintf(w, "injected     %s at request %d\n", kind.name, seq)
		}
	}
}
