package cli

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"idem/fixtures/tidy"
)

func TestMain(m *testing.M) {
	testscript.Main(tidyRun{m}, map[string]func(){
		"idem": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

type tidyRun struct{ m *testing.M }

func (r tidyRun) Run() int { return tidy.Run(r.m) }

// TestScripts runs the command line as a shell would: each script is a command's
// or a rule's story, with its output and exit codes.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		WorkdirRoot:         t.TempDir(), // its own is left behind where -run chooses some
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":     checkCode,
			"sql":      runSQL,
			"snapshot": snapshot,
			"same":     same,
			"pure":     pure,
		},
	})
}

// checkCode runs idem and compares its exit code: code 3 analyze nowhere.db
func checkCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARGS...")
	}
	err := ts.Exec("idem", args[1:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s (%v), want %s", got, err, args[0])
	}
}

// snapshot remembers a folder: the names, modes, times and bytes of its files.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("SNAPSHOT", listing(ts, args[0]))
}

// same fails when the folder is not as it was at the snapshot.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if now := listing(ts, args[0]); now != ts.Getenv("SNAPSHOT") {
		ts.Fatalf("the folder was\n%s\nand is\n%s", ts.Getenv("SNAPSHOT"), now)
	}
}

func listing(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	err := filepath.Walk(ts.MkAbs(dir), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %v %d %x\n", filepath.Base(path), info.Mode(), info.ModTime().UnixNano(), sha256.Sum256(text))
		return err
	})
	ts.Check(err)
	return b.String()
}

// pure fails when a file holds a control character other than a newline: no
// escape sequence goes into a pipe.
func pure(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	for i, r := range text {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			ts.Fatalf("%s has %q at %d", args[0], r, i)
		}
	}
}
