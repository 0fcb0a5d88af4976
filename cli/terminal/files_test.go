package terminal

import (
	"bytes"
	"crypto/sha256"
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

// A file that is truncated, replaced or appended to while it is open is told
// of; what was learned of it stays. Where its pages are gone, reading on says so.
func TestFileChangesWhileOpen(t *testing.T) {
	for _, c := range []struct {
		name   string
		says   string // where the rest of the day cannot be read
		change func(path string) error
	}{
		{"truncated", "damaged", func(path string) error { return os.Truncate(path, 4096) }},
		{"replaced", "no SQLite database", func(path string) error { return os.Rename(filepath.Join(filepath.Dir(path), "other"), path) }},
		{"appended", "", func(path string) error {
			return change(path, "INSERT INTO req_log (seq, received_at, client_id, endpoint, idem_key, body) SELECT seq + 1000, received_at, client_id, endpoint, idem_key, body FROM req_log")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t, 110, 30)
			if err := os.WriteFile(s.path("other"), bytes.Repeat([]byte("x"), 8192), 0o600); err != nil {
				t.Fatal(err)
			}
			s.start("--out changed")
			if err := c.change(s.path("lab.db")); err != nil {
				t.Fatal(err)
			}
			s.until("CHANGED ON DISK", theDay)
			s.keys("2", "n")
			if c.says == "" {
				s.until(" 1/120 ", "+ 1 created")
			} else {
				s.until(" 0/120 ", c.says)
			}
			s.keys("1")
			s.until("CHANGED ON DISK", theDay)
			s.keys("q")
			s.ended(0)
		})
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
