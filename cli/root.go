package cli

import (
	"github.com/spf13/cobra"
)

// newRoot is the command tree. `idem DB` is `idem open DB`.
func newRoot(s streams) *cobra.Command {
	open := openOptions{}
	root := &cobra.Command{
		Use:   "idem [DB]",
		Short: "Find the payment that went out twice, and prove what stops it",
		Long: `idem opens an incident database (what a gateway received, what a ledger moved),
shows which payments went out twice, and steps through the day's requests
against a real idempotency engine. Without DB it opens the lab's day: eight
accounts, 120 requests, 20 of them retries that were paid again.`,
		Example: `  idem                      the workbench, on the lab's day
  idem incident.db          the workbench, on your incident
  idem analyze incident.db  the duplicates, as text
  idem replay incident.db --out report`,
		Args:          cobra.MaximumNArgs(1),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runOpen(cmd.Context(), s, open, args)
		},
		ValidArgsFunction: completeDatabase,
	}
	open.flags(root)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &coded{exitUsage, err} })
	root.AddCommand(newOpen(s), newGen(s), newAnalyze(s), newReplay(s), newAPI(s), newServe(s), newVersion(s), newImport(s), newWhatif(s), newVerify(s))
	root.AddCommand(helpTopics()...)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	wrapArgs(root)
	return root
}

// wrapArgs makes a wrong number of arguments a usage error, on every command.
func wrapArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return &coded{exitUsage, err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}

func completeDatabase(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"db", "sqlite", "sqlite3"}, cobra.ShellCompDirectiveFilterFileExt
}
