// Command mutants breaks this program on purpose: each wrong version of one line
// of it must be caught by the test that is there for it. Files are replaced in
// the compiler's view only (go test -overlay); the working tree is not touched.
//
//	go run ./proof/mutants [-run REGEXP] [-postgres]
//
// It prints a line for each mutant and one that sums up. The exit code is 1 when
// a mutant was missed, does not compile, or does not fit the code any more.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

func main() {
	only := flag.String("run", "", "run only the mutants whose name matches")
	postgres := flag.Bool("postgres", false, "also run the mutants whose tests start a Postgres")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants: -run:", err)
		os.Exit(2)
	}
	if !runAll(context.Background(), chosen(pattern, *postgres)) {
		os.Exit(1)
	}
}

func chosen(pattern *regexp.Regexp, postgres bool) (list []mutant) {
	for _, m := range mutants {
		if pattern.MatchString(m.name) && (postgres || !strings.Contains(m.file, "pgstore")) {
			list = append(list, m)
		}
	}
	return list
}

// atOnce is how many mutants run at the same time. A test spends half of its time
// in the linker, which uses one core.
const atOnce = 2

// runAll runs the mutants and prints how each ended.
func runAll(ctx context.Context, list []mutant) bool {
	var mu sync.Mutex
	var running sync.WaitGroup
	caught, turn := 0, make(chan struct{}, atOnce)
	for _, m := range list {
		running.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			start := time.Now()
			verdict, detail := m.try(ctx)
			mu.Lock()
			defer mu.Unlock()
			if verdict == "caught" {
				caught++
			}
			fmt.Printf("%-7s %-45s %s %s (%.1f s)\n", verdict, m.name, m.pkg, m.run, time.Since(start).Seconds())
			if detail != "" {
				fmt.Println(indented(detail))
			}
		})
	}
	running.Wait()
	discard()
	fmt.Printf("mutants: %d of %d caught\n", caught, len(list))
	return caught == len(list) && caught > 0
}

func indented(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\t")
}

// tooLong is when a test counts as failed: a mutant may wait for ever.
const tooLong = "90s"

// try runs a mutant's test on the mutant.
func (m *mutant) try(ctx context.Context) (verdict, detail string) {
	tests := testsOf(m.pkg)
	if err := tests.sound(ctx, m.run); err != nil {
		return "error", err.Error()
	}
	dir, err := os.MkdirTemp("", "idem-mutant-")
	if err != nil {
		return "error", err.Error()
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(dir)
	if err != nil {
		return "stale", err.Error()
	}
	args := []string{"test", tests.tags(), "-count=1", "-timeout=" + tooLong, "-run=" + m.run, m.pkg}
	if tests.random {
		// A counterexample to a mutant is no test of the program, and whether a
		// mutant is caught must not be chance.
		args = append(args, "-rapid.nofailfile", "-rapid.shrinktime=1s", "-rapid.seed=1")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	// By the environment also a test that builds the program builds the mutant.
	cmd.Env = append(os.Environ(), "GOFLAGS=-overlay="+overlay)
	out, err := cmd.CombinedOutput()
	text := string(out)
	switch {
	case err == nil:
		return "MISSED", ""
	case strings.Contains(text, "[build failed]") || strings.Contains(text, "[setup failed]"):
		return "error", text
	case strings.Contains(text, "--- FAIL") || strings.Contains(text, "panic:") || strings.Contains(text, "FAIL\t"):
		return "caught", ""
	}
	return "error", text
}

// overlay writes the mutated file and the list that go reads, and names it.
func (m *mutant) overlay(dir string) (string, error) {
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s has %d places like\n%s\nadapt the mutant to the code", m.file, n, m.old)
	}
	mutated := filepath.Join(dir, "mutated"+filepath.Ext(path))
	if err := os.WriteFile(mutated, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}
