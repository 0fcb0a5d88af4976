package terminal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// line is the program on a bare pseudo terminal: every byte that it sends, and
// what an emulator makes of them.
type line struct {
	*testing.T
	file *os.File
	cmd  *exec.Cmd
	slow time.Duration // pause after each 96 bytes that are read; 0 for none

	mu     sync.Mutex
	sent   []byte
	screen *vt.Emulator
	ended  chan struct{}
}

// dial starts the program in a folder. Set is added to the environment, where
// NAME alone takes a variable out.
func dial(t *testing.T, dir string, set []string, args ...string) *line {
	t.Helper()
	return dialSlow(t, dir, 0, set, args...)
}

func dialSlow(t *testing.T, dir string, slow time.Duration, set []string, args ...string) *line {
	t.Helper()
	if testing.Short() {
		t.Skip("drives a real terminal")
	}
	const w, h = 100, 30
	l := &line{T: t, slow: slow, screen: vt.NewEmulator(w, h), ended: make(chan struct{})}
	l.cmd = exec.Command("./idem", args...)
	l.cmd.Dir = dir
	l.cmd.Env = environment(append([]string{"TERM=xterm-256color", "HOME=" + dir, "LC_ALL=C.UTF-8", "NO_COLOR", "COLORTERM"}, set...))
	file, err := pty.StartWithSize(l.cmd, &pty.Winsize{Rows: h, Cols: w})
	if err != nil {
		t.Fatal(err)
	}
	l.file = file
	go l.listen()
	go l.answer()
	t.Cleanup(func() {
		_ = l.cmd.Process.Kill()
		_ = l.cmd.Wait()
		file.Close()
		l.screen.Close()
	})
	return l
}

// environment is the process's with set in it; of two of one name the last counts.
func environment(set []string) []string {
	last := map[string]string{}
	for _, s := range set {
		name, _, _ := strings.Cut(s, "=")
		last[name] = s
	}
	var env []string
	for _, s := range os.Environ() {
		if name, _, _ := strings.Cut(s, "="); last[name] == "" {
			env = append(env, s)
		}
	}
	for name, s := range last {
		if s != name { // a name alone is taken out
			env = append(env, s)
		}
	}
	return env
}

func (l *line) listen() {
	defer close(l.ended)
	buf := make([]byte, 1<<15)
	if l.slow > 0 {
		buf = buf[:96]
	}
	for {
		n, err := l.file.Read(buf)
		if err != nil {
			return
		}
		l.mu.Lock()
		l.sent = append(l.sent, buf[:n]...)
		_, _ = l.screen.Write(buf[:n])
		l.mu.Unlock()
		time.Sleep(l.slow)
	}
}

// answer passes on what the emulator answers to the program's questions.
func (l *line) answer() {
	buf := make([]byte, 256)
	for {
		n, err := l.screen.Read(buf)
		if err != nil {
			return
		}
		if _, err := l.file.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (l *line) keys(text string) {
	l.Helper()
	if _, err := l.file.WriteString(text); err != nil {
		l.Fatal(err)
	}
}

func (l *line) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]byte(nil), l.sent...)
}

func (l *line) shown() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.screen.String()
}

func (l *line) until(parts ...string) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), patience)
	defer cancel()
	if last := poll(ctx, func() string { return missing(l.shown(), parts) }); last != "" {
		l.Fatal(last)
	}
}

// end waits for the end and returns everything that was sent.
func (l *line) end(code int) string {
	l.Helper()
	timer := time.AfterFunc(patience, func() { _ = l.cmd.Process.Kill() })
	defer timer.Stop()
	<-l.ended
	err := l.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.Fatal(err)
	}
	sent := string(l.bytes())
	if got := l.cmd.ProcessState.ExitCode(); got != code {
		l.Errorf("exit code %d, want %d; it said %.2000q", got, code, sent)
	}
	return sent
}
