package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/engine"
)

// helpTopics are texts made from the tables that the program itself goes by.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "columns", Short: "The tables and columns of an incident, and their other names", Long: columnsTopic()},
		{Use: "policy", Short: "The members of a policy file", Long: policyTopic()},
		{Use: "exit-codes", Short: "The exit codes of every command", Long: exitCodesTopic},
	}
}

func columnsTopic() string {
	var b strings.Builder
	b.WriteString("An incident database has these tables. Names are compared without regard to\ncase; two candidates for one column are an error.\n")
	for _, table := range analysis.Schema() {
		fmt.Fprintf(&b, "\n%s\n", table.Name)
		for _, c := range table.Columns {
			name := c.Name
			if c.Optional {
				name += " (optional)"
			}
			fmt.Fprintf(&b, "  %-24s %s\n", name, strings.Join(c.Synonyms, ", "))
		}
	}
	return b.String()
}

func policyTopic() string {
	var b strings.Builder
	b.WriteString("A policy file is a JSON object with some of these members; the others keep\ntheir default.\n")
	for _, k := range engine.Knobs() {
		fmt.Fprintf(&b, "\n%s (default %s)\n  %s\n  %s\n", k.Name, k.Get(engine.DefaultPolicy()), k.Help, k.Bounds)
	}
	return b.String()
}

const exitCodesTopic = `    0  done
    1  failed
    2  wrong usage
    3  input unreadable
   10  duplicates found (only with analyze --fail-on-duplicates)
   70  the crash that was asked for (only with api --crash-after-claim)
  129  ended by SIGHUP
  130  ended by SIGINT (ctrl+c)
  131  ended by SIGQUIT, in the workbench
  143  ended by SIGTERM`
