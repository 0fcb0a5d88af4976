package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fall panics in the way that is asked for.
func fall(how string) (p *Panic) {
	defer Catch(func(caught *Panic) { p = caught })
	switch how {
	case "index":
		list := []string{"order-canary"}
		_ = list[len(how)]
	case "text":
		panic("no rule for order-canary")
	case "error":
		panic(fmt.Errorf("order-canary: %w", os.ErrClosed))
	}
	return nil
}

func TestCaught(t *testing.T) {
	for _, c := range []struct{ how, kind string }{
		{"index", "runtime error: index out of range [5] with length 1"},
		{"text", "a panic with a value of type string"},
		{"error", "a panic with a value of type *fmt.wrapError"},
	} {
		p := fall(c.how)
		if p == nil || p.Kind() != c.kind {
			t.Fatalf("%s: %v", c.how, p)
		}
		first, _, _ := strings.Cut(p.Stack(), "\n")
		if c.how != "index" && first != "idem/crash.fall" {
			t.Errorf("%s: the stack begins with %s", c.how, first)
		}
		if !strings.Contains(p.Stack(), "crash_test.go:") || strings.Contains(p.Stack(), "crash.Catch\n") {
			t.Errorf("%s: stack\n%s", c.how, p.Stack())
		}
	}
	if p := fall("none"); p != nil {
		t.Errorf("caught %v where nothing fell", p)
	}
}

// A panic that is raised again, also out of a wrapping error, stays the first one.
func TestAgain(t *testing.T) {
	first := fall("error")
	if !errors.Is(first, os.ErrClosed) {
		t.Error("the error that was the value is lost")
	}
	var second *Panic
	func() {
		defer Catch(func(p *Panic) { second = p })
		_ = Again(fmt.Errorf("read: %w", first))
	}()
	if second != first {
		t.Errorf("raised again it is %v", second)
	}
	if err := Again(os.ErrExist); err != os.ErrExist {
		t.Errorf("an error became %v", err)
	}
}

func TestFileHasNoData(t *testing.T) {
	full := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state", "idem")
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	path, err := fall("text").Write("idem 1.0 open --out", now, "", filepath.Join(full, "no"), dir)
	if err != nil || filepath.Dir(path) != dir {
		t.Fatalf("%s, %v", path, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"idem 1.0 open --out\ngo1", "2026-03-10T09:00:00Z", "value of type string", "idem/crash.fall"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "canary") {
		t.Errorf("the file has data:\n%s", text)
	}
	if _, err := fall("text").Write("idem", now); err == nil {
		t.Error("written without a folder")
	}
}
