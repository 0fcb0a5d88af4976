package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Version is the program's. It is part of every exported file, so it changes
// only with a release.
const Version = "0.1.0"

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the program's version",
		Example: "  idem version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, "idem", Version)
			return err
		},
	}
}
