package report

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"idem/analysis"
)

type failing struct{}

var errWriter = errors.New("writer failed")

func (failing) Write([]byte) (int, error) { return 0, errWriter }

var fiveFiles = []string{"day.db", "dup_report.json", "idem_report.md", "policy.json", "result.json"}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteMakesTheFolderAndFiveFiles(t *testing.T) {
	r := prepared(t, labDay(t))
	dir := filepath.Join(t.TempDir(), "a", "b ?#%")
	paths, err := r.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, fiveFiles) || len(paths) != 5 {
		t.Errorf("files are %q, told are %q", got, paths)
	}
	a, errA := os.ReadFile(r.day.DayDB)
	b, errB := os.ReadFile(filepath.Join(dir, "day.db"))
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("day.db is not whole: %d bytes of %d", len(b), len(a))
	}
	db, err := openDay(filepath.Join(dir, "day.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := checkTransfers(t.Context(), db, &r.day); err != nil {
		t.Error(err)
	}
}

func TestWriteLeavesOtherFilesAlone(t *testing.T) {
	r := prepared(t, labDay(t))
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	for _, path := range []string{victim, filepath.Join(dir, "mine.txt"), filepath.Join(dir, "day.db-wal")} {
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Links planted under the names, and under the one the unfinished file would take.
	for _, name := range []string{"result.json", ".result.json.tmp0"} {
		if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Write(t.Context(), dir, English); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{victim, filepath.Join(dir, "mine.txt")} {
		if b, err := os.ReadFile(path); string(b) != "mine" {
			t.Errorf("%s is %q, %v", path, b, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "result.json")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the planted link was not replaced: %v %v", info, err)
	}
	if slices.Contains(names(t, dir), "day.db-wal") {
		t.Error("a log of an older day.db is still there and would be played into the new one")
	}
}

// Each of the ways in which an output could be the input.
func TestWriteRefusesTheInput(t *testing.T) {
	for name, plant := range map[string]func(input, dir string) error{
		"link":      func(input, dir string) error { return os.Symlink(input, filepath.Join(dir, "day.db")) },
		"hard link": func(input, dir string) error { return os.Link(input, filepath.Join(dir, "idem_report.md")) },
		"its log": func(input, dir string) error {
			if err := os.WriteFile(input+"-wal", nil, 0o644); err != nil {
				return err
			}
			return os.Symlink(input+"-wal", filepath.Join(dir, "day.db-wal"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := prepared(t, labDay(t))
			dir := t.TempDir()
			if err := plant(r.day.Incident.Path(), dir); err != nil {
				t.Fatal(err)
			}
			before := names(t, dir)
			if _, err := r.Write(t.Context(), dir); !errors.Is(err, ErrOverwritesInput) {
				t.Errorf("got %v", err)
			}
			if after := names(t, dir); !slices.Equal(before, after) {
				t.Errorf("the folder had %q and has %q", before, after)
			}
		})
	}
}

func TestWriteRefusesTheInputItself(t *testing.T) {
	day := labDay(t)
	dir := t.TempDir()
	input := filepath.Join(dir, "day.db")
	b, err := os.ReadFile(day.Incident.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(input, b, 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := analysis.Open(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	day.Incident = in
	if _, err := prepared(t, day).Write(t.Context(), dir); !errors.Is(err, ErrOverwritesInput) {
		t.Errorf("got %v", err)
	}
}

func TestWriteSaysWhatIsWrongWithTheFolder(t *testing.T) {
	r := prepared(t, labDay(t))
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(base, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "result.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		"": "no folder", file: "is a file", filepath.Join(file, "below"): "not a directory", taken: "is a folder",
		"/proc/idem-report": "folder",
	} {
		_, err := r.Write(t.Context(), dir)
		for i, err := range []error{err, CanWrite(dir, r.day.Incident), Obstacle(dir, r.day.Incident)} {
			if i == 2 && err == nil && strings.HasPrefix(dir, "/proc/") {
				continue // which does not look like it
			}
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".tmp-") {
				t.Errorf("%q gives %v, want %q", dir, err, want)
			}
		}
	}
	if got := names(t, taken); len(got) != 1 {
		t.Errorf("left behind %q", got)
	}
}

func TestWriteLeavesNothingAfterAFailure(t *testing.T) {
	r := prepared(t, labDay(t))
	dir := t.TempDir()
	old := []byte("old")
	if err := os.WriteFile(filepath.Join(dir, "result.json"), old, 0o644); err != nil {
		t.Fatal(err)
	}
	r.day.DayDB += ".gone"
	if _, err := r.Write(t.Context(), dir); err == nil {
		t.Fatal("wrote a ledger that is not there")
	}
	r = prepared(t, labDay(t))
	r.day.Result.V1Total = money(t, -1<<62, "KRW")
	r.day.Result.Transferred = money(t, 1<<62+1, "KRW")
	if _, err := r.Write(t.Context(), dir); err == nil {
		t.Fatal("wrote a difference that does not fit")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := prepared(t, labDay(t)).Write(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if n := names(t, dir); len(n) != 1 || string(got) != "old" || err != nil {
		t.Errorf("the folder has %q, result.json is %q", n, got)
	}
}

func TestStageFailures(t *testing.T) {
	dir := t.TempDir()
	_, err := stage(t.Context(), filepath.Join(dir, "x"), func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return errWriter
	})
	if !errors.Is(err, errWriter) || len(names(t, dir)) != 0 {
		t.Errorf("got %v, left %q", err, names(t, dir))
	}
}

func TestStageEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	_, err := stage(ctx, filepath.Join(dir, "x"), func(io.Writer) error { return nil })
	if !errors.Is(err, context.Canceled) || len(names(t, dir)) != 0 {
		t.Errorf("got %v, left %q", err, names(t, dir))
	}
}

// A full disk: nothing is left, what was there stays.
func TestWriteToAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96k"); err != nil {
		t.Skip("no right to mount a small disk: ", err)
	}
	defer syscall.Unmount(dir, 0)
	r := prepared(t, labDay(t))
	_, err := r.Write(t.Context(), dir)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "day.db") || strings.Contains(err.Error(), ".tmp-") {
		t.Errorf("got %v", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left behind %q", got)
	}
}

func TestWriteToAReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_RDONLY, "size=96k"); err != nil {
		t.Skip("no right to mount a small disk: ", err)
	}
	defer syscall.Unmount(dir, 0)
	r := prepared(t, labDay(t))
	for _, dir := range []string{dir, filepath.Join(dir, "below", "it")} {
		_, err := r.Write(t.Context(), dir)
		for _, err := range []error{err, CanWrite(dir, r.day.Incident)} {
			if !errors.Is(err, syscall.EROFS) || strings.Contains(err.Error(), ".tmp-") {
				t.Errorf("got %v", err)
			}
		}
	}
}

// A folder that was made for a report goes with it; one that was there stays.
func TestNoEmptyFolderIsLeft(t *testing.T) {
	r := prepared(t, labDay(t))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	base := t.TempDir()
	dir := filepath.Join(base, "a", "b")
	if err := CanWrite(dir, r.day.Incident, English); err != nil {
		t.Error(err)
	}
	if _, err := r.Write(ended, dir); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := names(t, base); len(got) != 0 {
		t.Errorf("left behind %q", got)
	}
	if err := os.Mkdir(filepath.Join(base, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(ended, dir); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := names(t, base); !slices.Equal(got, []string{"a"}) || len(names(t, filepath.Join(base, "a"))) != 0 {
		t.Errorf("left behind %q", got)
	}
}

// What a killed program left goes with the next report; nothing else does.
func TestRemainsOfAKilledProgramGo(t *testing.T) {
	r := prepared(t, labDay(t))
	dir := t.TempDir()
	kept := []string{".day.db.tmp-1", ".mine.tmp-1-0", "day.db.tmp-1-0", ".result.json.tmp-1-0x", "notes.md"}
	for _, name := range append([]string{".day.db.tmp-4242-0", ".idem_report.md.tmp-1-12"}, kept...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(fiveFiles), kept...)
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestReportsOfAnEarlierRunAreTold(t *testing.T) {
	r := prepared(t, labDay(t))
	dir := t.TempDir()
	if _, err := r.Write(t.Context(), dir, English, SimplifiedChinese); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		langs []Lang
		want  []string
	}{
		{nil, []string{"idem_report.en.md", "idem_report.zh-Hans.md"}}, {[]Lang{English}, []string{"idem_report.zh-Hans.md"}},
		{[]Lang{English, SimplifiedChinese, TraditionalChinese}, nil},
	} {
		if got := Stale(dir, c.langs...); !slices.Equal(got, c.want) {
			t.Errorf("with %q stale are %q, want %q", c.langs, got, c.want)
		}
	}
}
