package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A command that panics ends with exit code 1, and the file about it, whose path
// is told, has the place and none of the arguments.
func TestPanicLeavesFile(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	root := newRoot(streams{})
	root.AddCommand(&cobra.Command{Use: "fall", Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
		panic("cannot pay " + args[0])
	}})
	args := []string{"fall", "canary-7", "--debug", filepath.Join(t.TempDir(), "canary.log")}
	root.SetArgs(args)
	var errw bytes.Buffer
	cmd, err := runRoot(t.Context(), root, args)
	if code := conclude(context.Background(), &errw, cmd, err); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	path := regexp.MustCompile(`report it with (\S+crash-\S+\.txt),`).FindStringSubmatch(errw.String())
	if path == nil || filepath.Dir(path[1]) != filepath.Join(state, "idem") {
		t.Fatalf("no path in the state folder: %s", errw.String())
	}
	text, err := os.ReadFile(path[1])
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path[1]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, want := range []string{"idem " + Version + " as idem fall --debug\n", "cli.TestPanicLeavesFile", "crashfile_test.go:"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "canary") {
		t.Errorf("the file has data:\n%s", text)
	}
}
