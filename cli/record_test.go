//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onTerminal is idem on a pseudo-terminal.
type onTerminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

// startOnTerminal runs the test binary as idem: TestMain sees to that.
func startOnTerminal(t *testing.T, dir string, args ...string) *onTerminal {
	t.Helper()
	return startWith(t, dir, nil, args...)
}

// startWith changes the environment, too.
func startWith(t *testing.T, dir string, env []string, args ...string) *onTerminal {
	t.Helper()
	p := &onTerminal{t: t, cmd: exec.Command(os.Args[0]), done: make(chan struct{})}
	p.cmd.Args = append([]string{"idem"}, args...)
	p.cmd.Dir = dir
	// What a killed program leaves goes with the test.
	p.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "ACCESSIBLE=", "TMPDIR="+t.TempDir())
	p.cmd.Env = append(p.cmd.Env, env...)
	var err error
	if p.tty, err = pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_, _ = io.Copy(p, p.tty) // ends with EIO when the program has ended
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		p.tty.Close()
		<-p.done
	})
	return p
}

func (p *onTerminal) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Write(b)
}

// until waits for a text that the terminal has not been sent before.
func (p *onTerminal) until(text string) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		found := strings.Contains(p.seen.String(), text)
		if found {
			p.seen.Reset()
		}
		p.mu.Unlock()
		if found {
			return
		}
	}
	p.t.Fatalf("no %q", text)
}

func (p *onTerminal) keys(keys string) {
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *onTerminal) ended() int {
	<-p.done
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// castLines checks that a recording is whole lines of JSON, and counts its events.
func castLines(t *testing.T, path string) (kinds map[string]int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 || text[len(text)-1] != '\n' {
		t.Fatalf("the last line of %d bytes is cut", len(text))
	}
	kinds = map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event []any
		if json.Unmarshal(lines.Bytes(), &event) == nil && len(event) == 3 {
			kinds[event[1].(string)]++
		} else if !json.Valid(lines.Bytes()) {
			t.Fatalf("not JSON: %s", lines.Bytes())
		} else {
			kinds["head"]++
		}
	}
	return kinds
}

// The tour on a terminal, recorded: a new size is in the recording, only the user
// can read it, nothing else is left in the folder, and what is there is replaced
// only when that is asked for.
func TestRecordedDemo(t *testing.T) {
	dir := t.TempDir()
	p := startOnTerminal(t, dir, "demo", "--record", "tour.cast")
	p.until("1/10")
	if err := pty.Setsize(p.tty, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Process.Signal(syscall.SIGWINCH)
	p.keys(" ")
	p.until("2/10")
	p.keys("q")
	p.until("tour is over")
	p.keys("q")
	if code := p.ended(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	path := filepath.Join(dir, "tour.cast")
	if kinds := castLines(t, path); kinds["head"] != 1 || kinds["r"] != 1 || kinds["o"] < 3 {
		t.Errorf("events %v", kinds)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	again := startOnTerminal(t, dir, "demo", "--record", "tour.cast")
	again.until("exists already")
	if code := again.ended(); code != exitFailed {
		t.Errorf("exit code %d over an existing file", code)
	}
	p = startOnTerminal(t, dir, "demo", "--record", "tour.cast", "--force")
	p.until("1/10")
	p.keys("\x03")
	if code := p.ended(); code != 130 || castLines(t, path)["head"] != 1 {
		t.Errorf("exit code %d", code)
	}
}

// Whatever ends the program, the recording is valid up to its last line.
func TestKilledRecording(t *testing.T) {
	dir := t.TempDir()
	p := startOnTerminal(t, dir, "--record", "day.cast", "--out", "out")
	p.until("double paid")
	p.keys("2 ")
	p.until("▶ 4x")
	p.until("3/120")
	_ = p.cmd.Process.Kill()
	p.ended()
	if kinds := castLines(t, filepath.Join(dir, "day.cast")); kinds["o"] < 3 {
		t.Errorf("events %v", kinds)
	}
}

// An incident that cannot be read leaves no recording, and one that was there stays.
func TestNothingToRecord(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.cast")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old.cast", "new.cast"} {
		p := startOnTerminal(t, dir, "nowhere.db", "--force", "--record", name)
		p.until("no such file")
		if code := p.ended(); code != exitUnreadable {
			t.Errorf("exit code %d", code)
		}
	}
	if text, _ := os.ReadFile(old); string(text) != "old" {
		t.Errorf("the old recording is %q", text)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.cast")); err == nil {
		t.Error("an empty recording is left")
	}
}

// A terminal that nothing can be drawn on gets the summary, and a word on what
// there is for it; ACCESSIBLE chooses that at once.
func TestWordsOnTerminal(t *testing.T) {
	dir := t.TempDir()
	p := startWith(t, dir, []string{"TERM=dumb"})
	p.until("idem --linear tells")
	if code := p.ended(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	p = startWith(t, dir, []string{"ACCESSIBLE=1"})
	p.until("command: ")
	p.keys("next\n")
	p.until("Outcome: created.")
	p.keys("quit\n")
	if code := p.ended(); code != exitDone || strings.Contains(p.seen.String(), "\x1b") {
		t.Errorf("exit code %d, %q", code, p.seen.String())
	}
	p = startWith(t, dir, nil, "--linear")
	p.until("command: ")
	p.keys("\x03")
	if code := p.ended(); code != 130 {
		t.Errorf("exit code %d after ctrl+c", code)
	}
}

// The incident is never what a recording replaces.
func TestRecordingSparesTheIncident(t *testing.T) {
	dir := t.TempDir()
	if code := Main([]string{"gen", "--out", filepath.Join(dir, "lab.db")}, nil, io.Discard, io.Discard); code != exitDone {
		t.Fatal(code)
	}
	for _, name := range []string{"lab.db", "lab.db-wal", "link.db"} {
		_ = os.Symlink("lab.db", filepath.Join(dir, "link.db"))
		p := startOnTerminal(t, dir, "lab.db", "--force", "--record", name)
		p.until("name another file")
		if code := p.ended(); code != exitUsage {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "lab.db")); err != nil || info.Size() == 0 {
		t.Errorf("%v", err)
	}
}
