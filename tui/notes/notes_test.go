package notes

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var hash = strings.Repeat("0a", 32)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func TestNotesAreKeptInTheOrderOfTheDay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "idem")
	if b, err := Load(dir, hash); len(b.Notes()) != 0 || err != nil {
		t.Fatal(b, err)
	}
	var b Book
	for _, n := range []int64{7, 3, 9, 3} {
		b = b.With(Note{N: n, At: time.Unix(n, 0).UTC(), Text: strings.Repeat("x", int(n))}, noon)
	}
	if _, err := Save(dir, hash, b); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, hash)
	if err != nil || !slices.Equal(got.Notes(), b.Notes()) || len(got.Notes()) != 3 || got.Notes()[0].N != 3 {
		t.Fatalf("%v, %v; want %v", got, err, b)
	}
	if got = got.Without(7, noon); len(got.Notes()) != 2 || len(b.Notes()) != 3 {
		t.Error(got, b)
	}
	if _, there := got.At(7); there {
		t.Error(got)
	}
	if n, ok := got.At(9); !ok || n.N != 9 {
		t.Error(n, ok)
	}
	info, err := os.ReadDir(dir)
	if err != nil || len(info) != 1 {
		t.Fatal(info, err)
	}
	if i, _ := info[0].Info(); i.Mode().Perm() != 0o600 {
		t.Error(i.Mode())
	}
}

// Notes of before edits had a time are read, and older than any edit.
func TestNotesWithoutATimeOfTheirEdit(t *testing.T) {
	dir := t.TempDir()
	old := `[{"n":3,"seq":4,"at":"2026-03-10T12:00:00Z","text":"old"},{"n":5,"seq":6,"at":"2026-03-10T12:00:00Z","text":"stays"}]`
	if err := os.WriteFile(filepath.Join(dir, "notes-"+hash+".json"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Save(dir, hash, Book{}.With(Note{N: 3, Text: "new"}, noon))
	if list := b.Notes(); err != nil || len(list) != 2 || list[0].Text != "new" || list[1].Text != "stays" {
		t.Error(b, err)
	}
}

// TestBooksMerge: however two books' edits and saves follow each other, both end
// with the newest edit of each mark, and so does the file.
func TestBooksMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "idem-notes-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		var books [2]Book
		want := map[int64]string{} // "" for what was removed
		save := func(i int) {
			if books[i], err = Save(dir, hash, books[i]); err != nil {
				t.Fatal(err)
			}
		}
		for step := range rapid.IntRange(1, 20).Draw(t, "steps") {
			i, n := rapid.IntRange(0, 1).Draw(t, "book"), rapid.Int64Range(1, 4).Draw(t, "mark")
			now := noon.Add(time.Duration(step) * time.Second)
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				want[n] = fmt.Sprint("edit ", step)
				books[i] = books[i].With(Note{N: n, Text: want[n]}, now)
			case 2:
				if _, there := books[i].At(n); there {
					books[i], want[n] = books[i].Without(n, now), ""
				}
			case 3:
				save(i)
			}
		}
		save(0)
		save(1)
		save(0)
		for i, b := range books {
			for n, text := range want {
				if got, there := b.At(n); got.Text != text || there != (text != "") {
					t.Fatalf("book %d has %q at %d, want %q", i, got.Text, n, text)
				}
			}
		}
	})
}

// An edit of what one sees is the newer one, whatever the clocks say.
func TestEditIsNewerThanWhatItChanges(t *testing.T) {
	ahead := Book{}.With(Note{N: 1, Text: "ahead"}, noon.Add(time.Hour))
	for _, b := range []Book{ahead.With(Note{N: 1, Text: "behind"}, noon), ahead.Without(1, noon).With(Note{N: 1, Text: "behind"}, noon)} {
		if got, _ := ahead.Merge(b).At(1); got.Text != "behind" {
			t.Error(got)
		}
	}
	if _, there := ahead.Without(1, noon).Merge(ahead).At(1); there {
		t.Error("it came back")
	}
}

// TestSavesAtOnce: every save sees those that ended before it.
func TestSavesAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders cannot be held here")
	}
	dir := t.TempDir()
	var saving sync.WaitGroup
	for n := range int64(8) {
		saving.Go(func() {
			if _, err := Save(dir, hash, Book{}.With(Note{N: n}, noon)); err != nil {
				t.Error(err)
			}
		})
	}
	saving.Wait()
	if b, err := Load(dir, hash); err != nil || len(b.Notes()) != 8 {
		t.Error(b, err)
	}
}

// What killed saves left goes with the next one, but nothing else.
func TestSaveSweeps(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".idem-123", ".idem-mine", "columns.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, unfinished+"7"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(dir, hash, Book{}.With(Note{N: 1}, noon)); err != nil {
		t.Fatal(err)
	}
	var left []string
	list, err := os.ReadDir(dir)
	for _, e := range list {
		left = append(left, e.Name())
	}
	want := []string{".idem-mine", "columns.json", "notes-" + hash + ".json"}
	if runtime.GOOS != "windows" && (err != nil || !slices.Equal(left, want)) {
		t.Errorf("%v, %v; want %v", left, err, want)
	}
}

func TestDamagedNotesAreTold(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes-"+hash+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, hash); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	_, err := Save(dir, hash, Book{})
	if text, _ := os.ReadFile(filepath.Join(dir, "notes-"+hash+".json")); err == nil || string(text) != "{" {
		t.Errorf("%v: written over with %q", err, text)
	}
	for _, bad := range []string{"", "../../etc/passwd", strings.Repeat("g", 64)} {
		if _, err := Load(dir, bad); err == nil {
			t.Errorf("hash %q is taken", bad)
		}
	}
}

func TestTimelineStaysATable(t *testing.T) {
	text := Book{}.With(Note{N: 1, Seq: 2, Text: "a | b\n| c <script> `x` \x1b[2J"}, noon).Timeline("in|c.db", hash)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "| 1 | 2 | no time | a \\| b") || strings.ContainsAny(last, "\x1b<") {
		t.Errorf("%q", last)
	}
}
