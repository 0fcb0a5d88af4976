package notes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStopsAreKept(t *testing.T) {
	dir := t.TempDir()
	var b Book
	for _, q := range []string{"key:z", "code:4", "key:a"} {
		b = b.WithStop(q, false, noon)
	}
	b = b.WithStop("code:4", true, noon).WithoutStop("key:a", noon).With(Note{N: 1}, noon)
	if _, err := Save(dir, hash, b); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, hash)
	if err != nil || !slices.Equal(got.Stops(), b.Stops()) || told(got) != "key:z on, code:4 off" || len(got.Notes()) != 1 {
		t.Errorf("%v, %v; want %v", got, err, b)
	}
	if only := got.OnlyStops(); told(only) != told(got) || len(only.Notes()) != 0 {
		t.Error(only)
	}
}

// What two workbenches did to the stops is merged as the notes are.
func TestStopsMerge(t *testing.T) {
	first := Book{}.WithStop("x", false, noon).WithStop("y", false, noon)
	one := first.WithStop("x", true, noon.Add(2*time.Second)).WithoutStop("y", noon.Add(time.Second))
	two := first.WithoutStop("x", noon.Add(time.Second)).WithStop("z", false, noon)
	for _, b := range []Book{one.Merge(two), two.Merge(one), one.Merge(two).Merge(first)} {
		if got := told(b); got != "x off, z on" {
			t.Error(got)
		}
	}
}

// A file of before breakpoints were kept has none; one from which something is
// missing is read, too.
func TestFilesWithoutStops(t *testing.T) {
	for text, want := range map[string]int{`[{"n":3},{"n":4}]`: 2, ` []`: 0, `{}`: 0, `{"notes":[{"n":3}]}`: 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "notes-"+hash+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := Save(dir, hash, Book{}.WithStop("x", false, noon))
		if err != nil || len(b.Notes()) != want || told(b) != "x on" {
			t.Errorf("%s: %v, %v", text, b, err)
		}
	}
}

func told(b Book) string {
	var list []string
	for _, s := range b.Stops() {
		list = append(list, s.Query+map[bool]string{true: " off", false: " on"}[s.Off])
	}
	return strings.Join(list, ", ")
}
