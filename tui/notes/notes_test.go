package notes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var hash = strings.Repeat("0a", 32)

func TestNotesAreKeptInTheOrderOfTheDay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "idem")
	if b, err := Load(dir, hash); len(b) != 0 || err != nil {
		t.Fatal(b, err)
	}
	var b Book
	for _, n := range []int64{7, 3, 9, 3} {
		b = b.With(Note{N: n, At: time.Unix(n, 0).UTC(), Text: strings.Repeat("x", int(n))})
	}
	if err := Save(dir, hash, b); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, hash)
	if err != nil || !slices.Equal(got, b) || len(got) != 3 || got[0].N != 3 {
		t.Fatalf("%v, %v; want %v", got, err, b)
	}
	if got = got.Without(7); len(got) != 2 || len(b) != 3 {
		t.Error(got, b)
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

func TestDamagedNotesAreTold(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes-"+hash+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, hash); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	for _, bad := range []string{"", "../../etc/passwd", strings.Repeat("g", 64)} {
		if _, err := Load(dir, bad); err == nil {
			t.Errorf("hash %q is taken", bad)
		}
	}
}

func TestTimelineStaysATable(t *testing.T) {
	text := Book{{N: 1, Seq: 2, Text: "a | b\n| c <script> `x` \x1b[2J"}}.Timeline("in|c.db", hash)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "| 1 | 2 | no time | a \\| b") || strings.ContainsAny(last, "\x1b<") {
		t.Errorf("%q", last)
	}
}
