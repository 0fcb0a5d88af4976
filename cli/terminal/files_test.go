package terminal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A database that another process holds is named, and opened when it is free.
func TestLockedByAnother(t *testing.T) {
	s := newShell(t, 80, 24)
	free := hold(s, "BEGIN EXCLUSIVE; SELECT 'held';")
	s.run("", "lab.db")
	s.until("lab.db", "locked", "r opens it again")
	s.keys("2", "n", "r")
	s.until("locked")
	free()
	s.poll(func() string { // it may be trying still
		s.keys("r", "1")
		return missing(s.screen(), []string{theDay})
	})
	s.keys("q")
	s.ended(0)
}

// hold has another process run a statement on lab.db and stay; what it returns
// lets it go.
func hold(s *shell, statement string) (free func()) {
	s.Helper()
	cmd := exec.Command("sqlite3", s.path("lab.db"))
	in, err := cmd.StdinPipe()
	if err != nil {
		s.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatalf("sqlite3 is needed as the other process: %v", err)
	}
	fmt.Fprintln(in, statement)
	var said strings.Builder
	for buf := make([]byte, 64); !strings.Contains(said.String(), "held"); {
		n, err := out.Read(buf)
		if said.Write(buf[:n]); err != nil {
			s.Fatalf("sqlite3 does not hold it: %s", said.String())
		}
	}
	free = func() { in.Close(); _ = cmd.Wait() }
	s.Cleanup(free)
	return free
}

// Rows that are still in the -wal count, and the folder stays byte for byte what
// it was while another process has the database open.
func TestRowsInTheWAL(t *testing.T) {
	s := newShell(t, 80, 24)
	dir := s.path("evidence")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.sql("lab.db", "PRAGMA journal_mode = WAL")
	hold(s, "PRAGMA wal_autocheckpoint = 0; INSERT INTO req_log (seq, received_at, client_id, endpoint, idem_key, body) "+
		"SELECT seq + 1000, received_at, client_id, endpoint, idem_key || 'w', body FROM req_log WHERE seq <= 7; SELECT 'held';")
	before := listing(t, s.dir)
	s.run("", "lab.db --out "+filepath.Join("evidence", "out"))
	s.until("127 requests", theDay)
	s.keys("2", "G")
	s.until("127/127", "5 files written")
	s.keys("q")
	s.ended(0)
	if after := listing(t, s.dir); after != before {
		t.Errorf("the folder was\n%s\nand is\n%s", before, after)
	}
}

// listing is every database file of a folder with its size, time and hash.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.Contains(e.Name(), ".db") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %v %d %v %x\n", e.Name(), info.Mode(), info.Size(), info.ModTime().UnixNano(), sha256.Sum256(data))
	}
	return b.String()
}

// A file that is truncated, replaced or appended to while it is open is told of,
// and the replay runs on to its end with what was opened: its five files are those
// of a day that nobody disturbed. What has room in memory stays even where the file
// itself is written to.
func TestFileChangesWhileOpen(t *testing.T) {
	for name, c := range map[string]struct {
		large  bool
		change func(path string) error
	}{
		"truncated": {false, func(path string) error { return os.Truncate(path, 4096) }},
		"appended":  {false, twice},
		"replaced":  {true, func(path string) error { return os.Rename(filepath.Join(filepath.Dir(path), "other"), path) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t, 110, 30)
			if c.large {
				s.sql("lab.db", filler)
			}
			if err := os.WriteFile(s.path("other"), bytes.Repeat([]byte("x"), 8192), 0o600); err != nil {
				t.Fatal(err)
			}
			s.idem("replay", "lab.db", "--out", "undisturbed")
			s.start("--out report")
			s.keys("2", ":", "6", "0", "Enter")
			s.until(" 60/120 ")
			if err := c.change(s.path("lab.db")); err != nil {
				t.Fatal(err)
			}
			s.until("CHANGED ON DISK")
			s.keys("G")
			s.until(" 120/120 ", "5 files written into report")
			s.keys("1")
			s.until("CHANGED ON DISK", theDay)
			s.keys("q")
			s.ended(0)
			s.same("undisturbed", "report")
		})
	}
}

// What has no room in memory and is written to while it is open is not read on:
// what was learned of it stays, no files are written, and it can be opened again.
func TestLargeFileWrittenToWhileOpen(t *testing.T) {
	s := newShell(t, 110, 30)
	s.sql("lab.db", filler)
	s.start("--out report")
	if err := twice(s.path("lab.db")); err != nil {
		t.Fatal(err)
	}
	s.until("CHANGED ON DISK", theDay)
	s.keys("2", "G")
	s.until("CHANGED ON DISK", "was written to after it was opened")
	s.keys("1")
	s.until(theDay)
	s.keys("r")
	s.until("240 requests")
	s.without("CHANGED ON DISK")
	s.keys("q")
	s.ended(0)
	if entries, err := os.ReadDir(s.path("report")); err == nil {
		t.Errorf("the folder has %v", entries)
	}
}

// filler makes a database larger than what is held in memory.
const filler = "CREATE TABLE filler AS SELECT zeroblob(17000000) AS filling"

// twice adds each request once more.
func twice(path string) error {
	return change(path, "INSERT INTO req_log (seq, received_at, client_id, endpoint, idem_key, body) SELECT seq + 1000, received_at, client_id, endpoint, idem_key, body FROM req_log")
}

// idem runs the program without a terminal and gives what it says.
func (s *shell) idem(args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), s.path("idem"), args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("idem %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// same fails unless two folders have the same five files. Of the ledger it is the
// rows that count, by the end of their chain: its pages lie as they were written.
func (s *shell) same(a, b string) {
	s.Helper()
	s.whole(a)
	s.whole(b)
	if x, y := s.idem("verify", a+"/day.db"), s.idem("verify", b+"/day.db"); x != y {
		s.Errorf("the ledger of %s:\n%s\nof %s:\n%s", a, x, b, y)
	}
	for _, name := range []string{"dup_report.json", "idem_report.md", "policy.json", "result.json"} {
		x, errA := os.ReadFile(filepath.Join(s.path(a), name))
		y, errB := os.ReadFile(filepath.Join(s.path(b), name))
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(x, y) {
			s.Errorf("%s of %s and of %s differ: %v", name, a, b, err)
		}
	}
}

// The path that was named is opened, and no other.
func TestOddPaths(t *testing.T) {
	s := newShell(t, 80, 24)
	for i, name := range []string{`it's "quoted"`, "what?mode=memory", "a#b", "100%25", "two\nlines", "  blanks  ", "-dash", "file:x.db", "한글 漢字"} {
		if err := os.Rename(s.path("lab.db"), s.path(name)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path("named"), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		s.run("", fmt.Sprintf(`--out odd%d -- "$(cat named)"`, i))
		s.until("double paid", theDay)
		s.keys("q")
		s.code(0)
		s.ready()
		if err := os.Rename(s.path(name), s.path("lab.db")); err != nil {
			t.Fatal(err)
		}
	}
}

// A key of 10 MB and a body of 50 MB are painted at once, cut, with their sizes.
func TestHugeTexts(t *testing.T) {
	s := newShell(t, 110, 30)
	s.sql("lab.db",
		"UPDATE req_log SET idem_key = hex(zeroblob(5000000)) WHERE idem_key = (SELECT idem_key FROM req_log GROUP BY idem_key HAVING count(*) = 4)",
		"UPDATE req_log SET body = '{\"src\":\"acc-01\",\"dst\":\"acc-02\",\"amount\":1,\"currency\":\"KRW\",\"memo\":\"' || hex(zeroblob(25000000)) || '\"}' WHERE seq = 1")
	s.run("", "lab.db --out huge")
	s.until("double paid", "10.0 MB")
	s.keys("Enter")
	s.until("0000", "more lines")
	s.keys("q", "2", "n")
	s.until(" 1/120 ", "50,000,069 bytes in all")
	s.keys("Enter")
	s.until("received", "more lines")
	s.keys("q", "q")
	s.ended(0)
}

// A BLOB, NULL, nothing, the word NULL and a text of several lines are five
// things, and whole in the detail.
func TestValuesApart(t *testing.T) {
	s := newShell(t, 110, 30)
	for i, body := range []string{"x'00ff41'", "NULL", "''", "'NULL'", "'one' || char(10) || 'two' || char(10) || 'three'"} {
		if i == 0 {
			s.sql("lab.db", "CREATE TABLE loose AS SELECT * FROM req_log", "DROP TABLE req_log", "ALTER TABLE loose RENAME TO req_log")
		}
		s.sql("lab.db", fmt.Sprintf("UPDATE req_log SET body = %s, idem_key = %s WHERE seq = %d", body, body, i+1))
	}
	s.run("", "lab.db --out values")
	s.until("double paid")
	s.keys("2")
	seen := map[string]int{}
	for i := 1; i <= 5; i++ {
		s.keys("n")
		s.until(fmt.Sprintf(" %d/120 ", i))
		s.keys("Enter")
		s.until("received")
		screen := s.screen()
		seen[lineWith(screen, " key ")+lineWith(screen, " body ")]++
		if i == 5 && !strings.Contains(screen, `one\ntwo\nthree`) && !strings.Contains(screen, "three") {
			t.Errorf("the lines are not whole:\n%s", screen)
		}
		s.keys("q")
		s.without("received")
	}
	if len(seen) != 5 {
		t.Errorf("shown are %v", seen)
	}
	s.keys("q")
	s.ended(0)
}
