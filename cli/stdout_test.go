package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// fullDisk takes nothing.
type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestOutputThatCannotBeWritten: what was asked for and did not come out is a
// failure, be it data or help.
func TestOutputThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "lab.db")
	if code := Main([]string{"gen", "--out", db}, strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer)); code != exitDone {
		t.Fatal(code)
	}
	lines := [][]string{
		{"help"}, {"version"}, {"--version"}, {"completion", "bash"}, {"__complete", "re"}, {db}, {"analyze", db}, {"analyze", db, "--json"},
		{"replay", db, "--out", filepath.Join(dir, "out")}, {"verify", filepath.Join(dir, "out", "day.db")}, {"whatif", db},
		{"api", "--db", filepath.Join(dir, "out", "day.db"), "--purge-before", "2026-03-10T09:00:00Z"},
	}
	for _, words := range commandLines(newRoot(streams{}), nil) {
		lines = append(lines, append(words, "--help"))
	}
	for _, args := range lines {
		var told bytes.Buffer
		if code := Main(args, strings.NewReader(""), fullDisk{}, &told); code != exitFailed || !strings.Contains(told.String(), errFull.Error()) {
			t.Errorf("idem %q ends with %d and tells %q", args, code, told.String())
		}
	}
}

// commandLines are the words of all commands and topics.
func commandLines(cmd *cobra.Command, above []string) [][]string {
	list := [][]string{above}
	for _, c := range cmd.Commands() {
		list = append(list, commandLines(c, append(above[:len(above):len(above)], c.Name()))...)
	}
	return list
}
