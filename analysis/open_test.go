package analysis

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures"
)

// TestMain lets the test binary be the other process that holds a database.
func TestMain(m *testing.M) {
	if path := os.Getenv("IDEM_TEST_HOLD"); path != "" {
		hold(path, os.Getenv("IDEM_TEST_SQL"))
		return
	}
	os.Exit(m.Run())
}

// hold runs SQL on a database, says so, and stays until it is killed.
func hold(path, sql string) {
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.ReadWrite)
	if err == nil {
		err = db.Exec(context.Background(), sql)
	}
	fmt.Println("held", err)
	io.Copy(io.Discard, os.Stdin)
}

// holder starts another process that runs sql on path and holds it open.
func holder(t *testing.T, path, sql string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "IDEM_TEST_HOLD="+path, "IDEM_TEST_SQL="+sql)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held <nil>\n" {
		t.Fatalf("holder said %q", line)
	}
	return cmd
}

func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// run executes SQL on the database at path.
func run(t testing.TB, path, sql string) {
	t.Helper()
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

// snapshot is a folder to the byte: names, modes, times and contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%x %v\n", sha256.Sum256(data), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// analysed opens path, runs everything, and checks that the folder is as before.
func analysed(t *testing.T, path string) *Duplicates {
	t.Helper()
	ctx, tmp := context.Background(), t.TempDir()
	before := snapshot(t, filepath.Dir(path))
	in, err := Open(ctx, path, TempDir(tmp), LockWait(0))
	if err != nil {
		t.Fatal(err)
	}
	d, err := in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for _, err := range in.Requests(ctx, 1) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != d.Requests {
		t.Fatalf("%d requests streamed, %d counted", n, d.Requests)
	}
	if _, err := in.Evidence(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if after := snapshot(t, filepath.Dir(path)); after != before {
		t.Fatalf("the folder changed from\n%s\nto\n%s", before, after)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Fatalf("private copies are left: %v", left)
	}
	return d
}

const oneMore = `INSERT INTO req_log (seq, received_at, client_id, endpoint, idem_key, body)
	VALUES (1000, '2026-03-10T12:00:00Z', 'c', '/', 'k', '{}');`

func TestNothingIsTouched(t *testing.T) {
	for _, c := range []struct {
		name     string
		prepare  func(t *testing.T, path string)
		requests int64
		private  bool
	}{
		{"at rest", func(*testing.T, string) {}, 120, false},
		{"closed WAL", func(t *testing.T, path string) { run(t, path, "PRAGMA journal_mode=WAL;"+oneMore) }, 121, false},
		{"rows in the WAL of a live writer", func(t *testing.T, path string) { holder(t, path, "PRAGMA journal_mode=WAL;"+oneMore) }, 121, true},
		{"rows in the WAL of a dead writer", func(t *testing.T, path string) {
			kill(holder(t, path, "PRAGMA journal_mode=WAL;"+oneMore))
		}, 121, true},
		{"a checkpoint that was cut off", cutCheckpoint, 121, true},
		{"open transaction in a live WAL", func(t *testing.T, path string) {
			holder(t, path, "PRAGMA journal_mode=WAL; BEGIN IMMEDIATE;"+oneMore)
		}, 120, false},
		{"hot journal", func(t *testing.T, path string) {
			kill(holder(t, path, "PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN IMMEDIATE; DELETE FROM req_log WHERE seq > 5; DELETE FROM transfer_v1;"+oneMore))
		}, 120, true},
		{"persistent journal", func(t *testing.T, path string) { run(t, path, "PRAGMA journal_mode=PERSIST;"+oneMore) }, 121, false},
		{"a reader", func(t *testing.T, path string) {
			holder(t, path, "BEGIN; SELECT count(*) FROM req_log;")
		}, 120, false},
		{"an uncommitted writer", func(t *testing.T, path string) { holder(t, path, "BEGIN IMMEDIATE;"+oneMore) }, 120, false},
		{"read-only folder", func(t *testing.T, path string) {
			os.Chmod(path, 0o400)
			os.Chmod(filepath.Dir(path), 0o500)
			t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
		}, 120, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := lab(t)
			c.prepare(t, path)
			if d := analysed(t, path); d.Requests != c.requests {
				t.Fatalf("%d requests, want %d", d.Requests, c.requests)
			}
			in := open(t, path, TempDir(t.TempDir()))
			if in.Private() != c.private {
				t.Fatalf("private copy: %v", in.Private())
			}
			e, err := in.Evidence(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			data, _ := os.ReadFile(path)
			if want := fmt.Sprintf("%x", sha256.Sum256(data)); e.SHA256 != want || e.Size != int64(len(data)) || (e.Log != "") != c.private {
				t.Fatalf("%+v", e)
			}
		})
	}
}

// cutCheckpoint leaves a file with the first page of a checkpoint, which says
// that the file is longer than it is yet, and its -wal.
func cutCheckpoint(t *testing.T, path string) {
	kill(holder(t, path, "PRAGMA journal_mode=WAL; CREATE TABLE more(x); INSERT INTO more VALUES (zeroblob(100000));"+oneMore))
	whole := filepath.Join(t.TempDir(), "whole.db")
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(whole+suffix, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, whole, "PRAGMA wal_checkpoint")
	done, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(done[:4096], 0); err != nil {
		t.Fatal(err)
	}
}

// TestCutOffAndWithoutItsLog: the rest of the file is in a log that is not its
// own, or damaged.
func TestCutOffAndWithoutItsLog(t *testing.T) {
	path := lab(t)
	cutCheckpoint(t, path)
	if err := os.WriteFile(path+"-wal", make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), path); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

// TestHotJournalIsHot makes sure that the case above is one: read as it
// stands, the file has lost its rows.
func TestHotJournalIsHot(t *testing.T) {
	path := lab(t)
	kill(holder(t, path, "PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN IMMEDIATE; DELETE FROM req_log WHERE seq > 5; DELETE FROM transfer_v1;"+oneMore))
	db, err := sqlfile.Open(sqlfile.URI(path, "immutable=1"), sqlfile.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Query(context.Background(), "SELECT count(*) FROM req_log")
	if err == nil && s.Next() && s.Int(0) == 120 {
		t.Fatal("nothing of the transaction has reached the file")
	}
	if err == nil {
		s.Close()
	}
}

func TestLockedByAnotherProcess(t *testing.T) {
	for _, sql := range []string{"BEGIN EXCLUSIVE", "PRAGMA journal_mode=WAL; PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE; " + oneMore + " COMMIT"} {
		path := lab(t)
		cmd := holder(t, path, sql)
		_, err := Open(context.Background(), path, LockWait(30*time.Millisecond))
		var e *InputError
		if !errors.Is(err, ErrLocked) || !errors.Is(err, ErrUnreadable) || !errors.As(err, &e) {
			t.Fatalf("%s: %v", sql, err)
		}
		if e.PID != cmd.Process.Pid || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), fmt.Sprint(e.PID)) {
			t.Fatalf("%s: %v does not name %d", sql, err, cmd.Process.Pid)
		}
		kill(cmd)
		open(t, path)
	}
}

func TestALockIsWaitedFor(t *testing.T) {
	path := lab(t)
	cmd := holder(t, path, "BEGIN EXCLUSIVE")
	opened := make(chan error)
	go func() {
		in, err := Open(context.Background(), path, LockWait(time.Minute))
		if err == nil {
			in.Close()
		}
		opened <- err
	}()
	kill(cmd)
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	holder(t, path, "BEGIN EXCLUSIVE")
	cancel()
	if _, err := Open(ctx, path, LockWait(time.Minute)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile(lab(t))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.db")
	run(t, other, "CREATE TABLE account(acct_id, holder, balance); CREATE TABLE \"we\"\"ird\"(x)")
	missing := filepath.Join(dir, "missing.db")
	for _, c := range []struct{ path, want string }{
		{missing, "no such file"},
		{dir, "directory"},
		{write("empty.db", nil), "empty"},
		{write("text.db", []byte(strings.Repeat("hello ", 100))), "no SQLite database"},
		{write("short.db", good[:50]), "too short"},
		{write("cut.db", good[:len(good)/2]), "cut short"},
		{other, "req_log is missing; found: \"account\", \"we\\\"ird\""},
	} {
		_, err := Open(context.Background(), c.path)
		var e *InputError
		if !errors.Is(err, ErrUnreadable) || !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a missing file was created")
	}
}

func TestDamagedPagesAreAnErrorAndNoPanic(t *testing.T) {
	good, err := os.ReadFile(lab(t))
	if err != nil {
		t.Fatal(err)
	}
	for page := 1; page < len(good)/4096; page++ {
		bad := append([]byte(nil), good...)
		for i := page * 4096; i < page*4096+200; i++ {
			bad[i] = 0xee
		}
		path := filepath.Join(t.TempDir(), "bad.db")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := Open(context.Background(), path)
		if err == nil {
			_, err = in.Duplicates(context.Background(), nil)
			in.Close()
		}
		if err != nil && !errors.Is(err, ErrUnreadable) {
			t.Fatalf("page %d: %v", page, err)
		}
	}
}

func TestHostilePaths(t *testing.T) {
	for _, name := range []string{"a b.db", "it's.db", `q"uote.db`, "what?mode=memory.db", "ha#sh.db", "per%63ent%.db", "new\nline.db", "file:x.db", "한글.db", "-wal", "\xff.db"} {
		dir := filepath.Join(t.TempDir(), "dir?x=1#%41 '\"")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.Rename(lab(t), path); err != nil {
			t.Fatal(err)
		}
		if d := analysed(t, path); d.Requests != 120 {
			t.Fatalf("%q: %d requests", name, d.Requests)
		}
	}
}

func TestASymbolicLinkFindsTheLogOfItsTarget(t *testing.T) {
	path := lab(t)
	holder(t, path, "PRAGMA journal_mode=WAL;"+oneMore)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if d := analysed(t, link); d.Requests != 121 {
		t.Fatal(d.Requests)
	}
}

// TestChanged: what the path comes to lead to does not matter to what is open, and
// what was written to is never read on as if it were the same.
func TestChanged(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		change  func(path string)
		written bool // the file itself
	}{
		"appended":  {func(path string) { run(t, path, oneMore) }, true},
		"truncated": {func(path string) { os.Truncate(path, 8192) }, true},
		"replaced":  {func(path string) { os.Rename(lab(t), path) }, false},
		"removed":   {func(path string) { os.Remove(path) }, false},
		"logged":    {func(path string) { os.WriteFile(path+"-wal", make([]byte, 32), 0o600) }, false},
	} {
		for _, hold := range []int64{0, heldBytes} {
			path := lab(t)
			in := open(t, path, Hold(hold))
			want, err := in.Evidence(ctx, nil)
			if err != nil || in.Changed() {
				t.Fatal("changed from the start", err)
			}
			c.change(path)
			if !in.Changed() {
				t.Errorf("%s: not noticed", name)
			}
			lost := c.written && hold == 0
			if d, err := in.Duplicates(ctx, nil); lost != errors.Is(err, ErrChanged) || !lost && (err != nil || d.Requests != 120) {
				t.Errorf("%s: %v", name, err)
			}
			if e, err := in.Evidence(ctx, nil); lost != errors.Is(err, ErrChanged) || !lost && (err != nil || e != want) {
				t.Errorf("%s: %v, %v", name, e, err)
			}
		}
	}
	path := lab(t)
	cmd := holder(t, path, "PRAGMA journal_mode=WAL;"+oneMore)
	tmp := t.TempDir()
	in := open(t, path, TempDir(tmp), Hold(0))
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("a killed program would leave %v", left)
	}
	kill(cmd)
	run(t, path, "DELETE FROM req_log")
	d, err := in.Duplicates(ctx, nil)
	if err != nil || d.Requests != 121 || !in.Changed() {
		t.Error("the opened state is lost", err)
	}
}

// TestAReadThatFails: a disk that gives no more is told as an input that cannot be
// read, also where the file is too large to be held.
func TestAReadThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "i.db")
	if err := fixtures.Generate(t.Context(), path, fixtures.Options{Seed: 1, Requests: 50, Keys: 40, Accounts: 4}); err != nil {
		t.Fatal(err)
	}
	in, err := Open(t.Context(), path, Hold(0))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unreadable, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	in.reads.file.Close()
	in.reads.file = unreadable
	var told *InputError
	if _, err := in.Duplicates(t.Context(), nil); !errors.Is(err, ErrUnreadable) || !errors.As(err, &told) || told.Path != path {
		t.Errorf("%v, want an ErrUnreadable about the file", err)
	}
}
