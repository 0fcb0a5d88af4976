package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Two reports that are written into one folder again and again, at the same
// time: each write succeeds, and what stands there afterwards is of one of them.
func TestWritesTogether(t *testing.T) {
	reports := []*Report{prepared(t, labDay(t)), prepared(t, hostileDay(t))}
	dir := t.TempDir()
	for range 5 {
		var group sync.WaitGroup
		for i := range 6 {
			group.Go(func() {
				if _, err := reports[i%2].Write(t.Context(), dir); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := names(t, dir); !slices.Equal(got, fiveFiles) {
			t.Fatalf("files are %q", got)
		}
		oneReport(t, dir, reports)
	}
}

// oneReport checks that all files tell of the same input.
func oneReport(t *testing.T, dir string, reports []*Report) {
	t.Helper()
	for _, r := range reports {
		told := 0
		for _, name := range []string{"dup_report.json", "result.json", "idem_report.md"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), r.day.Evidence.SHA256) {
				told++
			}
		}
		if told != 0 && told != 3 {
			t.Errorf("%d of 3 files tell of one input", told)
		}
	}
}
