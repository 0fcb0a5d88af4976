package damage

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCutLogs cuts a bank's -wal at many lengths: what is left is a state that
// was, which the kept head tells from the last one, or the damage is told.
func TestCutLogs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bank.db")
	s := open(t, path, "k", payments)
	main, wal := read(t, path), read(t, path+"-wal")
	if len(wal) == 0 {
		t.Fatal("there is no log to cut")
	}
	cut := filepath.Join(dir, "cut.db")
	write := func(length int) {
		must(t, os.WriteFile(cut, main, 0o600))
		must(t, os.WriteFile(cut+"-wal", wal[:length], 0o600))
	}
	write(len(wal))
	kept, told := audit(cut, nil)
	if told || kept.N != payments {
		t.Fatalf("with its log: %+v", kept)
	}
	older, cuts := 0, 0
	for length := 0; length < len(wal); length += max(1, len(wal)/min(1+flips(t)/4, 1000)) {
		write(length)
		head, told := audit(cut, nil)
		if !told && head.N < kept.N {
			older++
		}
		if _, told := audit(cut, kept); !told && (head == nil || *head != *kept) {
			t.Errorf("cut at %d bytes of %d nobody tells", length, len(wal))
		}
		cuts++
	}
	must(t, s.Close())
	t.Logf("damage: %d cuts of a log, of which %d leave an older state; the head told of each", cuts, older)
	if older == 0 {
		t.Error("no cut left an older state")
	}
}

// TestForeignLogs puts the -wal of another bank beside a bank: SQLite takes it
// for its own. The audit tells.
func TestForeignLogs(t *testing.T) {
	dir := t.TempDir()
	at := func(n int, name string) (main, wal []byte) {
		path := filepath.Join(dir, name)
		s := open(t, path, "other", n)
		main, wal = read(t, path), read(t, path+"-wal")
		must(t, s.Close())
		return main, wal
	}
	whole := bank(t)
	mixed := filepath.Join(dir, "mixed.db")
	must(t, os.WriteFile(mixed, whole, 0o600))
	kept, _ := audit(mixed, nil)
	for _, n := range []int{0, 1, 5, payments - 1, payments + 10} {
		_, wal := at(n, "other"+string(rune('a'+n))+".db")
		must(t, os.WriteFile(mixed, whole, 0o600))
		must(t, os.WriteFile(mixed+"-wal", wal, 0o600))
		if head, told := audit(mixed, kept); !told && *head != *kept {
			t.Errorf("the log of a bank with %d payments makes %+v of %+v, and nobody tells", n, head, kept)
		}
	}
}
