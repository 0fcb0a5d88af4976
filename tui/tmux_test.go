//go:build unix

package tui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"idem/fixtures"
)

// What only a real terminal tells: signals, job control, modes that must be put
// back. A shell runs in tmux and the built program in it.

// pane is a shell in a tmux server of its own.
type tmuxPane struct {
	t      *testing.T
	socket string
	dir    string
}

func newTmux(t *testing.T, w, h int) *tmuxPane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("tmux is needed to see what a real terminal does; install the package tmux")
	}
	// The socket's path must be short, so it does not go into t.TempDir.
	dir, err := os.MkdirTemp("", "idem-tmux")
	if err != nil {
		t.Fatal(err)
	}
	p := &tmuxPane{t: t, socket: filepath.Join(dir, "s"), dir: dir}
	t.Cleanup(func() {
		exec.Command("tmux", "-S", p.socket, "kill-server").Run()
		os.RemoveAll(dir)
	})
	p.build()
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h), "env -u NO_COLOR bash --norc --noprofile")
	p.tmux("set", "-g", "status", "off")
	p.line("PS1='ready> '; cd " + dir + "; clear")
	p.until("ready>")
	return p
}

func (p *tmuxPane) build() {
	p.t.Helper()
	build := exec.Command("go", "build", "-o", filepath.Join(p.dir, "idem"), "idem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		p.t.Fatalf("build: %v\n%s", err, out)
	}
	if err := fixtures.Generate(p.t.Context(), filepath.Join(p.dir, "lab.db"), fixtures.Lab()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tmuxPane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *tmuxPane) keys(keys ...string) { p.tmux(append([]string{"send-keys"}, keys...)...) }

// line types a command into the shell.
func (p *tmuxPane) line(command string) {
	p.keys("-l", command)
	p.keys("Enter")
}

func (p *tmuxPane) screen() string { return p.tmux("capture-pane", "-p") }

// until looks at the screen until it holds all of parts.
func (p *tmuxPane) until(parts ...string) {
	p.t.Helper()
	p.poll(func() string {
		screen := p.screen()
		for _, part := range parts {
			if !strings.Contains(screen, part) {
				return fmt.Sprintf("no %q on the screen:\n%s", part, screen)
			}
		}
		return ""
	})
}

// poll asks until there is no complaint.
func (p *tmuxPane) poll(complaint func() string) {
	p.t.Helper()
	var last string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if last = complaint(); last == "" {
			return
		}
	}
	p.t.Fatal(last)
}

// start starts the program and returns its process.
func (p *tmuxPane) start(args string) int {
	p.t.Helper()
	os.Remove(filepath.Join(p.dir, "code"))
	p.line("clear; ./idem lab.db " + args + "; echo $? > code")
	p.until("double paid", "23,074,200")
	out, err := exec.Command("pgrep", "-f", "-x", "./idem lab.db "+args).Output()
	if err != nil {
		p.t.Fatalf("pgrep: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// ended waits for the program's exit code and sees the terminal as it was.
func (p *tmuxPane) ended(want int) {
	p.t.Helper()
	p.poll(func() string {
		code, _ := os.ReadFile(filepath.Join(p.dir, "code"))
		if got := strings.TrimSpace(string(code)); got != strconv.Itoa(want) {
			return fmt.Sprintf("exit code %q, want %d\n%s", got, want, p.screen())
		}
		return ""
	})
	if modes := strings.TrimSpace(p.tmux("display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}")); modes != "001" {
		p.t.Errorf("alternate screen, mouse, cursor are %s after the end, want 001", modes)
	}
	p.line("clear; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo -e isig | tr '\\n' ' '")
	p.until("isig icanon echo")
	p.until("ready>")
}

// coloured is a sequence that sets a colour; 39 and 49, which take one back, do not.
var coloured = regexp.MustCompile(`\x1b\[(3[0-8]|4[0-8]|9[0-7]|10[0-7])`)

func state(pid int) string {
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}

func TestTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a real terminal for some seconds")
	}
	p := newTmux(t, 80, 24)
	for _, c := range []struct {
		name string
		play func(*testing.T, *tmuxPane)
	}{
		{"whole day", playDay}, {"resize storm", resizeStorm}, {"suspend", suspendTimes}, {"mouse and SIGTERM", terminate},
		{"SIGQUIT", quitSignal}, {"SIGHUP", hangUp}, {"ctrl+c", interrupt}, {"no colour", withoutColour},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			c.play(t, p)
		})
	}
}

func playDay(t *testing.T, p *tmuxPane) {
	p.start("--out day")
	p.keys("2", "n", "n", "p")
	p.until(" 1/120 ")
	p.keys("G")
	p.until("120/120", "5 files written into day: day.db dup_report.json")
	p.keys("q")
	p.ended(0)
	for _, name := range []string{"day.db", "dup_report.json", "result.json", "policy.json", "idem_report.md"} {
		if _, err := os.Stat(filepath.Join(p.dir, "day", name)); err != nil {
			t.Error(err)
		}
	}
}

func resizeStorm(_ *testing.T, p *tmuxPane) {
	p.start("--out storm")
	p.keys("2", "Space")
	p.until("▶ 4x") // before it is too small for keys to count
	for i := range 60 {
		p.tmux("resize-window", "-x", strconv.Itoa(1+i*13%140), "-y", strconv.Itoa(1+i*7%50))
	}
	p.tmux("resize-window", "-x", "80", "-y", "24")
	p.until("2 Replay", "created")
	p.keys("G") // the day goes on where it was
	p.until("120/120", "5 files written")
	p.keys("q")
	p.ended(0)
}

func terminate(_ *testing.T, p *tmuxPane) {
	pid := p.start("--out term")
	p.keys("2", "Space", "F2")
	p.until("mouse on")
	syscall.Kill(pid, syscall.SIGTERM)
	p.ended(exitTerminated)
}

func quitSignal(_ *testing.T, p *tmuxPane) {
	pid := p.start("--out quit")
	p.keys("2", "Space")
	p.until("▶")
	syscall.Kill(pid, syscall.SIGQUIT)
	p.ended(exitQuit)
}

func hangUp(t *testing.T, p *tmuxPane) {
	pid := p.start("--out hup")
	p.keys("2", "Space")
	p.until("▶")
	sent := time.Now()
	syscall.Kill(pid, syscall.SIGHUP)
	for syscall.Kill(pid, 0) == nil && time.Since(sent) < 5*time.Second {
		time.Sleep(5 * time.Millisecond)
	}
	if spent := time.Since(sent); spent > time.Second {
		t.Errorf("ended %v after SIGHUP", spent)
	}
	p.ended(exitHangup)
}

func interrupt(_ *testing.T, p *tmuxPane) {
	p.start("--out int")
	p.keys("C-c")
	p.ended(exitInterrupted)
}

func withoutColour(t *testing.T, p *tmuxPane) {
	p.line("export NO_COLOR=yes")
	p.start("--out plain")
	p.keys("2", "G")
	p.until("120/120")
	if colour := coloured.FindString(p.tmux("capture-pane", "-ep")); colour != "" {
		t.Errorf("a colour on the screen: %q", colour)
	}
	p.keys("q")
	p.ended(0)
}

// suspendTimes suspends by key and from outside: the shell gets a usable
// terminal, fg repaints, and playback has paused.
func suspendTimes(t *testing.T, p *tmuxPane) {
	pid := p.start("--out susp")
	p.keys("2", "Space")
	p.until("▶ 4x")
	for i := range 6 {
		if i%2 == 0 {
			p.keys("C-z")
		} else {
			syscall.Kill(pid, syscall.SIGTSTP)
		}
		p.until("Stopped", "ready>")
		p.poll(func() string {
			if s := state(pid); !strings.HasPrefix(s, "T") {
				return "state is " + s
			}
			return ""
		})
		p.line("clear; echo shell; fg")
		p.until("paused 4x", "/120 ")
	}
	p.keys("q")
	p.poll(func() string {
		if syscall.Kill(pid, 0) == nil {
			return "q does not end it after fg"
		}
		return ""
	})
	os.WriteFile(filepath.Join(p.dir, "code"), []byte("0"), 0o600) // fg ends the list, so no code was echoed
	p.until("ready>")
	p.ended(0)
}
