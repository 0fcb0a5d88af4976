package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program builds the program under test.
func program(tb testing.TB) string {
	tb.Helper()
	ptraced(tb)
	path := filepath.Join(tb.TempDir(), "idem")
	build := exec.Command("go", "build", "-o", path, "idem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestSample is a small sample of what the command runs in full.
func TestSample(t *testing.T) {
	total, err := attack(io.Discard, program(t), regexp.MustCompile("^bank$"), 1, 1)
	t.Log(total.String())
	if err != nil {
		t.Fatal(err)
	}
	if total.done == 0 || total.told == 0 {
		t.Error("no run ended well, or none with an error: the sample proves nothing")
	}
}

// TestJudges: what must not be is doctored into what is there after a run, and
// the scenario's judge says so.
func TestJudges(t *testing.T) {
	l := &lab{idem: program(t), dir: t.TempDir()}
	for name, c := range map[string]struct {
		make   func(*lab) (*scenario, error)
		doctor func(sc *scenario, tr *trace) error
		want   string
	}{
		"an answer without a record": {usedBank, func(sc *scenario, _ *trace) error { return sc.fresh() }, "it was told"},
		"an error without a word":    {usedBank, func(_ *scenario, tr *trace) error { tr.code, tr.err = 1, ""; return nil }, "did not say why"},
		"another exit code":          {usedBank, func(_ *scenario, tr *trace) error { tr.code, tr.err = 2, "idem: x"; return nil }, "exit code 2"},
		"a panic":                    {usedBank, func(_ *scenario, tr *trace) error { tr.code, tr.err = 1, "idem: x\ngoroutine 1"; return nil }, "it panicked"},
		"a server's lost payments":   {newServed, func(sc *scenario, _ *trace) error { return sc.fresh() }, "told"},
		"a file by half":             {newReplay, func(*scenario, *trace) error { return os.Truncate(l.path("out/result.json"), 9) }, "not what it must be"},
		"a file left behind":         {newReplay, func(*scenario, *trace) error { return os.WriteFile(l.path("out/.x.tmp-1-0"), nil, 0o600) }, "left behind"},
		"a file that is missing":     {newReplay, func(*scenario, *trace) error { return os.Remove(l.path("out/result.json")) }, "of 5 files"},
		"another audit":              {newVerify, func(_ *scenario, tr *trace) error { tr.out += "x"; return nil }, "something else"},
		"an input that was changed":  {newAnalyze, func(*scenario, *trace) error { return os.Truncate(l.path("day.db"), 9) }, "was changed"},
	} {
		sc, err := c.make(l)
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.fresh(); err != nil {
			t.Fatal(err)
		}
		tr, err := sc.run(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.doctor(sc, tr); err != nil {
			t.Fatal(err)
		}
		if err := sc.judge(tr); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
