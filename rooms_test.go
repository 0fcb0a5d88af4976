package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms are in the order of the arrows: a package imports from its own room and
// from those before it. What is in none of them (bench, proof, scripts) may import
// all and is imported by none.
var rooms = []string{"crash", "engine", "analysis", "fixtures", "report", "tui", "cli", "."}

// knows are the only packages, with those below them, that know a library.
var knows = map[string][]string{
	"net/http":          {"engine/httpidem", "engine/payments", "cli"},
	"database/sql":      {"engine", "analysis", "fixtures"},
	"modernc.org":       {"engine", "analysis", "fixtures"},
	"github.com/jackc":  {"engine", "analysis", "fixtures"},
	"charm.land/bubble": {"tui"},
}

// core is what the first package of a room may not import, which all in the room
// rest on. The calendar rests on nothing.
var core = map[string][]string{
	"engine":   {"idem/", "net/http", "database/sql", "modernc.org", "github.com/jackc"},
	"analysis": {"idem/analysis/", "database/sql"},
}

// TestImportsGoDown reads the imports of every file, whatever its build tags.
func TestImportsGoDown(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(file))
		if !slices.Contains(rooms, room(pkg)) {
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			seen++
			if why := forbidden(pkg, imported); why != "" {
				t.Errorf("%s imports %s: %s", file, imported, why)
			}
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Fatalf("%d imports read: %v", seen, err)
	}
}

// room is the first step of a package's path.
func room(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// forbidden says why a package may not import another one.
func forbidden(pkg, imported string) string {
	for _, prefix := range core[pkg] {
		if strings.HasPrefix(imported, prefix) && imported != "idem/analysis/calendar" {
			return "it is the core of its room"
		}
	}
	if ours, ok := strings.CutPrefix(imported, "idem/"); ok {
		if !slices.Contains(rooms[:slices.Index(rooms, room(pkg))+1], room(ours)) {
			return "arrows go down only"
		}
	}
	for library, who := range knows {
		if strings.HasPrefix(imported, library) && !slices.ContainsFunc(who, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") }) {
			return "only " + strings.Join(who, ", ") + " may know it"
		}
	}
	return ""
}

func TestForbiddenImports(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		forbidden     bool
	}{
		{"analysis", "idem/report", true},
		{"report", "idem/analysis/replay", false},
		{"engine", "idem/engine/memstore", true},
		{"engine/memstore", "idem/engine", false},
		{"engine/memstore", "net/http", true},
		{"engine/payments/server", "net/http", false},
		{"tui", "database/sql", true},
		{"report", "charm.land/bubbletea/v2", true},
		{"tui/prompt", "charm.land/bubbletea/v2", false},
		{"tui", "idem/proof/kills", true},
		{".", "idem/cli", false},
	} {
		if why := forbidden(c.pkg, c.imported); (why != "") != c.forbidden {
			t.Errorf("%s imports %s: forbidden %q, want %v", c.pkg, c.imported, why, c.forbidden)
		}
	}
}
