package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// tests are those of a package of the program as it is, compiled once.
type tests struct {
	pkg     string
	once    sync.Once
	err     error
	program string
	random  bool // they know rapid's flags
}

var (
	compiled = map[string]*tests{}
	lock     sync.Mutex
)

func testsOf(pkg string) *tests {
	lock.Lock()
	defer lock.Unlock()
	if compiled[pkg] == nil {
		compiled[pkg] = &tests{pkg: pkg}
	}
	return compiled[pkg]
}

// tags are those that the package's tests need.
func (t *tests) tags() string {
	if t.pkg == simulated {
		return "-tags=faults"
	}
	return "-tags="
}

func (t *tests) compile(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "idem-sound-")
	if err != nil {
		return err
	}
	t.program = filepath.Join(dir, "test")
	if out, err := exec.CommandContext(ctx, "go", "test", t.tags(), "-c", "-o", t.program, t.pkg).CombinedOutput(); err != nil {
		return fmt.Errorf("the tests do not compile without a mutant: %w\n%s", err, out)
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-test", "-deps", t.pkg).Output()
	t.random = strings.Contains(string(out), "pgregory.net/rapid\n")
	return err
}

// sound runs a test on the program as it is: one that fails anyway catches
// nothing.
func (t *tests) sound(ctx context.Context, run string) error {
	t.once.Do(func() { t.err = t.compile(ctx) })
	if t.err != nil {
		return t.err
	}
	cmd := exec.CommandContext(ctx, t.program, "-test.run="+run)
	cmd.Dir = filepath.FromSlash(t.pkg)
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		return fmt.Errorf("the test fails without the mutant:\n%s", out)
	case strings.Contains(string(out), "no tests to run"):
		return fmt.Errorf("no test of %s has the name %s", t.pkg, run)
	}
	return nil
}

// discard removes what was compiled.
func discard() {
	for _, t := range compiled {
		if t.program != "" {
			os.RemoveAll(filepath.Dir(t.program))
		}
	}
}
