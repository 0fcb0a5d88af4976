package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot is the command tree. `idem DB` is `idem open DB`.
func newRoot(s streams) *cobra.Command {
	open := showOptions{}
	root := &cobra.Command{
		Use:   "idem [DB]",
		Short: "Find the payment that went out twice, and prove what stops it",
		Long: `idem opens an incident database (what a gateway received, what a ledger moved),
shows which payments went out twice, and steps through the day's requests
against a real idempotency engine. Without DB it opens the lab's day: eight
accounts, 120 requests, 20 of them retries that were paid again. With a screen
reader, idem --linear tells the same in words (idem help open).`,
		Example: `  idem demo                 a guided tour of the lab's day
  idem                      the workbench, on the lab's day
  idem incident.db          the workbench, on your incident
  idem analyze incident.db  the duplicates, as text
  idem replay incident.db --out report`,
		Args:                       oneDatabaseAtMost,
		Version:                    Version,
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
		RunE: func(cmd *cobra.Command, args []string) error {
			open.remember(cmd.Flags())
			return open.run(cmd.Context(), s, args)
		},
		ValidArgsFunction: completeDatabase,
	}
	root.SetVersionTemplate("idem {{.Version}}\n")
	root.SetHelpCommand(newHelp(root))
	open.flags(root)
	addDebug(root)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	root.AddCommand(newOpen(s), newGen(), newAnalyze(s), newReplay(s), newAPI(s), newServe(s), newVersion(s), newImport(s), newWhatif(s), newVerify(s), newDemo(s))
	root.AddCommand(helpTopics()...)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	return root
}

// newHelp is cobra's help command, which calls a name it does not know an error.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command or topic]",
		Short:   "Help about a command, or about columns, policy, exit-codes",
		Example: "  idem help replay\n  idem help columns",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || (len(args) > 0 && cmd == root) {
				return usageError("there is no command or topic %q; idem help lists them", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// oneDatabaseAtMost takes two words for a command that was mistyped.
func oneDatabaseAtMost(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return errors.New(text)
}

// oneDatabase wants the name of an incident database and nothing else.
func oneDatabase(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("name the incident database")
	case 1:
		return nil
	}
	return fmt.Errorf("one incident database at a time, not %d", len(args))
}

// nameShell makes cobra's completion command want a shell that it knows; by itself
// it prints its help for any other, as if that were the script. The script goes to
// what is the output by now.
func nameShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(*cobra.Command, []string) error {
				return usageError("name a shell: bash, fish, powershell or zsh")
			}
		}
	}
}

// wrapArgs makes a wrong number of arguments and an empty flag usage errors, on
// every command.
func wrapArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &coded{exitUsage, err}
		}
		return emptyFlag(c.Flags())
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}

func completeDatabase(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"db", "sqlite", "sqlite3"}, cobra.ShellCompDirectiveFilterFileExt
}
