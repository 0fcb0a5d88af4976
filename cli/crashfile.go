package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idem/crash"
)

// leaveCrashFile writes a file about a panic into the state folder, or into the
// temporary one where there is none, and says where it is.
func leaveCrashFile(p *crash.Panic, cmd *cobra.Command) string {
	path, err := p.Write(about(cmd), time.Now(), stateDir(), os.TempDir())
	if err != nil {
		return "this is a defect of idem; no file about it could be written: " + err.Error()
	}
	return "this is a defect of idem; please report it with " + path + ", which holds no data of yours"
}

// about is the program and the command it was called with, without arguments
// and values, which may be data.
func about(cmd *cobra.Command) string {
	words := []string{"idem " + Version}
	if cmd == nil {
		return words[0]
	}
	words = append(words, "as", cmd.CommandPath())
	return strings.Join(append(words, flagNames(cmd)...), " ")
}

// called is the command that the arguments name, for when it did not come back.
func called(root *cobra.Command, args []string) *cobra.Command {
	cmd, _, err := root.Find(args)
	if err != nil {
		return root
	}
	return cmd
}
