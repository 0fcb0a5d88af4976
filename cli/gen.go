package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"idem/fixtures"
)

func newGen() *cobra.Command {
	o := fixtures.Lab()
	var out string
	cmd := &cobra.Command{
		Use:   "gen --out FILE",
		Short: "Make the lab's day, or a day of any size, as an incident database",
		Long: `gen makes a day in which an unprotected service paid every retry again. The
same arguments give the same rows; another seed gives another day. The retries
hold every pattern: plain repeats, reordered members, changed white space,
changed amounts, retries that arrive while the first still runs, and one key
that was sent four times.`,
		Example: `  idem gen --out idem.db
  idem gen --out big.db --requests 1000000 --keys 900000 --accounts 1000 --seed 7`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usageError("--out is missing: name the file to make")
			}
			err := fixtures.Generate(cmd.Context(), out, o)
			switch usage := new(fixtures.UsageError); {
			case errors.As(err, &usage):
				return &coded{exitUsage, err}
			case errors.Is(err, fixtures.ErrExists):
				return fmt.Errorf("%s exists already; --force replaces it", out)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "file to make")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed; another one gives another day")
	f.IntVar(&o.Requests, "requests", o.Requests, "rows of req_log, retries included")
	f.IntVar(&o.Keys, "keys", o.Keys, "distinct keys among them")
	f.IntVar(&o.Accounts, "accounts", o.Accounts, "accounts that pay each other")
	f.BoolVar(&o.Force, "force", false, "replace the file when it exists")
	return cmd
}
