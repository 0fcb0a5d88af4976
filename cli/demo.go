package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"idem/tui"
)

func newDemo(s streams) *cobra.Command {
	o := showOptions{tour: true}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "A guided tour of the lab's day, in the workbench itself",
		Long: `demo opens the workbench on the lab's day and guides through it: what each of
the four outcomes means, on a request that has it, then the duplicates, the
money, the policy and the report. It waits at each stop: space goes on,
backspace goes back, q ends the tour and leaves the workbench to you. All other
keys do what they always do.

With a screen reader, idem demo --linear is the same tour in words.

Nothing is written, unless --out names a folder for the day's files.`,
		Example: `  idem demo
  idem demo --lang en --out demo-report
  idem demo --record tour.cast`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), s, nil)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder for the day's files; without it they go into a temporary one")
	f.StringSliceVar(&o.langs, "lang", nil, "further languages of the report, beside Korean: en, zh-Hans, zh-Hant")
	f.StringVar(&o.theme, "theme", tui.Themes()[0], "colours: "+strings.Join(tui.Themes(), ", "))
	o.screenFlags(cmd)
	return cmd
}

// keepsNothing sends what a tour would write into the private folder.
func (w *workbench) keepsNothing() {
	if w.tour && w.out == "" {
		w.out = filepath.Join(w.dir, defaultOut)
	}
}
