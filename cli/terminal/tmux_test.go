package terminal

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"idem/cli"
	"idem/fixtures"
)

// TestMain is the program where it is called by its name, and the tests otherwise.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "idem" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// Exit codes of an end by a signal.
const (
	hungUp      = 129
	interrupted = 130
	quitted     = 131
	terminated  = 143
)

// patience is for a program that hangs.
const patience = time.Minute

// theDay is what the first screen shows of the lab's day.
const theDay = "₩ 23,074,200"

// shell is a shell in a tmux server of its own, in a folder with the program
// ./idem and the lab's day lab.db.
type shell struct {
	*testing.T
	socket, dir string
	w, h        int
}

func newShell(t *testing.T, w, h int) *shell {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("drives a real terminal")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("tmux is needed to see what a real terminal does; install the package tmux")
	}
	s := &shell{T: t, dir: folder(t), w: w, h: h}
	s.socket = filepath.Join(s.dir, "tmux")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() })
	s.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h),
		"env", "-u", "NO_COLOR", "HOME="+s.dir, "LC_ALL=C.UTF-8", "HISTFILE=", "bash", "--norc", "--noprofile")
	s.tmux("set", "-g", "status", "off")
	s.line("PS1='ready> '; cd " + s.dir + "; clear")
	s.ready()
	return s
}

// folder is a new folder with the program and the lab's day. Its path is short,
// because a socket's must be.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "idem-tty")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.Executable()
	if err == nil {
		err = os.Symlink(program, filepath.Join(dir, "idem"))
	}
	if err == nil {
		err = fixtures.Generate(t.Context(), filepath.Join(dir, "lab.db"), fixtures.Lab())
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (s *shell) path(name string) string { return filepath.Join(s.dir, name) }

// sql changes a database of the folder.
func (s *shell) sql(name string, statements ...string) {
	s.Helper()
	if err := change(s.path(name), statements...); err != nil {
		s.Fatal(err)
	}
}

func change(path string, statements ...string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (s *shell) tmux(args ...string) string {
	s.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s *shell) keys(keys ...string) { s.tmux(append([]string{"send-keys"}, keys...)...) }

// line types a command into the shell.
func (s *shell) line(command string) {
	s.keys("-l", command)
	s.keys("Enter")
}

// screen is what the terminal shows; coloured has its SGR sequences too.
func (s *shell) screen() string   { return s.tmux("capture-pane", "-p") }
func (s *shell) coloured() string { return s.tmux("capture-pane", "-ep") }

// until looks at the screen until it holds all of parts.
func (s *shell) until(parts ...string) {
	s.Helper()
	s.poll(func() string { return missing(s.screen(), parts) })
}

// without looks at the screen until it no longer holds part.
func (s *shell) without(part string) {
	s.Helper()
	s.poll(func() string {
		if screen := s.screen(); strings.Contains(screen, part) {
			return fmt.Sprintf("%q stays on the screen:\n%s", part, screen)
		}
		return ""
	})
}

func missing(screen string, parts []string) string {
	for _, part := range parts {
		if !strings.Contains(screen, part) {
			return fmt.Sprintf("no %q on the screen:\n%s", part, screen)
		}
	}
	return ""
}

// poll asks until there is no complaint.
func (s *shell) poll(complaint func() string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	if last := poll(ctx, complaint); last != "" {
		s.Fatal(last)
	}
}

// poll returns the last complaint: none, or the one that was left at the end.
func poll(ctx context.Context, complaint func() string) string {
	beat := time.NewTicker(15 * time.Millisecond)
	defer beat.Stop()
	for {
		last := complaint()
		if last == "" {
			return ""
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return last
		}
	}
}

// ready waits for the shell's prompt on a line of its own.
func (s *shell) ready() {
	s.Helper()
	s.poll(func() string {
		screen := strings.TrimRight(s.screen(), "\n ")
		if strings.HasSuffix(screen, "ready>") {
			return ""
		}
		return "the shell is not ready:\n" + screen
	})
}

// run starts the program with args, behind what is set before it, and leaves its
// exit code in the file code.
func (s *shell) run(before, args string) {
	s.Helper()
	os.Remove(s.path("code"))
	os.Remove(s.path("pid"))
	s.line("clear; (echo $BASHPID >pid; " + before + " exec ./idem " + args + "); echo $? >code")
}

// start runs the program on lab.db until its first screen is complete.
func (s *shell) start(args string) { s.Helper(); s.startWith("", args) }

func (s *shell) startWith(before, args string) {
	s.Helper()
	s.run(before, "lab.db "+args)
	s.until("double paid", theDay, "sha256")
}

// pid is the program's process.
func (s *shell) pid() int {
	s.Helper()
	var pid int
	s.poll(func() string {
		text, _ := os.ReadFile(s.path("pid"))
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if pid = n; err != nil {
			return "no process: " + err.Error()
		}
		return ""
	})
	return pid
}

// code waits for the program's exit code.
func (s *shell) code(want int) {
	s.Helper()
	s.poll(func() string {
		code, _ := os.ReadFile(s.path("code"))
		if got := strings.TrimSpace(string(code)); got != strconv.Itoa(want) {
			return fmt.Sprintf("exit code %q, want %d\n%s", got, want, s.screen())
		}
		return ""
	})
}

// ended waits for the program's exit code and sees the terminal as it was.
func (s *shell) ended(want int) {
	s.Helper()
	s.code(want)
	s.usable()
}

// usable: the main screen, no mouse, a cursor, and a line discipline that edits,
// echoes and sends signals.
func (s *shell) usable() {
	s.Helper()
	if modes := strings.TrimSpace(s.tmux("display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}")); modes != "001" {
		s.Errorf("alternate screen, mouse, cursor are %s after the end, want 001", modes)
	}
	s.line("clear; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo -e isig | tr '\\n' ' '; echo")
	s.until("isig icanon echo")
	s.ready()
}

// gone waits until a process has ended.
func (s *shell) gone(pid int) {
	s.Helper()
	s.poll(func() string {
		if syscall.Kill(pid, 0) == nil {
			return fmt.Sprintf("process %d goes on:\n%s", pid, s.screen())
		}
		return ""
	})
}

// stopped waits until a process is stopped.
func (s *shell) stopped(pid int) {
	s.Helper()
	s.poll(func() string {
		if state := stat(pid)[0]; state != "T" {
			return fmt.Sprintf("the state of process %d is %s\n%s", pid, state, s.screen())
		}
		return ""
	})
}

// stat is /proc/PID/stat from the state on, which is its third field.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return []string{"gone"}
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}

// whole fails unless exactly the five files are in the folder out.
func (s *shell) whole(out string) {
	s.Helper()
	entries, err := os.ReadDir(s.path(out))
	if err != nil {
		s.Error(err)
	}
	names := ""
	for _, e := range entries {
		names += e.Name() + " "
	}
	if names != "day.db dup_report.json idem_report.md policy.json result.json " {
		s.Errorf("%s holds %s", out, names)
	}
}
