package terminal

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"idem/fixtures"
)

func TestWholeDay(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out day")
	s.keys("2", "n", "n", "p")
	s.until(" 1/120 ")
	s.keys("G")
	s.until("120/120", "5 files written into day: day.db dup_report.json")
	s.keys("q")
	s.ended(0)
	s.whole("day")
}

// The key stops it and fg brings it back, twenty times.
func TestSuspendByKey(t *testing.T) {
	suspend(t, 20, func(s *shell, _ int) { s.keys("C-z") })
}

// A stop from outside leaves the screen as the key does.
func TestSuspendFromOutside(t *testing.T) {
	suspend(t, 20, func(_ *shell, pid int) { _ = syscall.Kill(pid, syscall.SIGTSTP) })
}

// suspend: each time the shell gets a usable terminal, fg repaints, playback has
// paused, and nothing is left running.
func suspend(t *testing.T, times int, stop func(s *shell, pid int)) {
	s := newShell(t, 80, 24)
	s.start("--out susp")
	pid := s.pid()
	s.keys("2", "Space")
	s.until("▶ 4x")
	for i := range times {
		stop(s, pid)
		s.stopped(pid)
		s.until("Stopped")
		s.ready()
		if i == 0 {
			s.usable()
		}
		s.line("clear; fg")
		s.until("paused 4x", "/120 ")
	}
	if used := busy(pid); used > 0.2 {
		t.Errorf("%.0f %% of a processor while paused", 100*used)
	}
	s.keys("q")
	s.gone(pid)
	s.ready()
	s.usable()
}

// busy is how much of a processor a process takes, over a while.
func busy(pid int) float64 {
	used := func() float64 {
		f := stat(pid)
		if len(f) < 13 {
			return 0
		}
		user, _ := strconv.Atoi(f[11])
		system, _ := strconv.Atoi(f[12])
		return float64(user+system) / 100 // USER_HZ
	}
	before, start := used(), time.Now()
	<-time.After(500 * time.Millisecond)
	return (used() - before) / time.Since(start).Seconds()
}

func TestTerminate(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out term")
	s.keys("2", "Space", "F2")
	s.until("mouse on")
	_ = syscall.Kill(s.pid(), syscall.SIGTERM)
	s.ended(terminated)
}

// Left to itself, the signal ends a process with its terminal as it stands: raw.
func TestQuitSignal(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out quit")
	s.keys("2", "Space", "F2")
	s.until("mouse on")
	_ = syscall.Kill(s.pid(), syscall.SIGQUIT)
	s.ended(quitted)
}

func TestInterrupt(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out int")
	s.keys("C-c")
	s.ended(interrupted)
}

// A process that is told that its terminal hangs up ends within a second. What a
// loaded machine takes for itself is not the program's, so one of several counts.
func TestHangUp(t *testing.T) {
	s := newShell(t, 80, 24)
	var spent time.Duration
	for range 4 {
		s.start("--out hup")
		pid := s.pid()
		s.keys("2", "Space")
		s.until("▶")
		sent := time.Now()
		_ = syscall.Kill(pid, syscall.SIGHUP)
		s.gone(pid)
		spent = time.Since(sent)
		s.ended(hungUp)
		if spent < time.Second {
			return
		}
	}
	t.Errorf("ended %v after SIGHUP", spent)
}

// The terminal goes away while the day's files are written: the program ends by
// itself, and what it wrote is whole, however often it is told.
func TestTerminalGoesAway(t *testing.T) {
	s := newShell(t, 80, 24)
	if err := fixtures.Generate(t.Context(), s.path("long.db"), fixtures.Options{Seed: 1, Requests: 8000, Keys: 7000, Accounts: 8}); err != nil {
		t.Fatal(err)
	}
	// The script that waits for the exit code lives on, the shell does not.
	const script = "trap : HUP\n(echo $BASHPID >pid; exec ./idem long.db --out gone)\necho $? >code\n"
	if err := os.WriteFile(s.path("outlive"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	s.line("clear; bash outlive")
	s.until("double paid", "sha256")
	pid := s.pid()
	s.keys("2", "G")
	s.poll(func() string {
		for range 1000 { // closer together than a poll, as it is soon over
			if entries, _ := os.ReadDir(s.path("gone")); len(entries) > 0 {
				return ""
			}
		}
		return "no file is being written"
	})
	s.tmux("kill-server")
	for syscall.Kill(pid, syscall.SIGHUP) == nil { // the kernel tells so, and a shell may as well
		<-time.After(time.Millisecond)
	}
	s.poll(func() string {
		code, _ := os.ReadFile(s.path("code"))
		if strings.TrimSpace(string(code)) != strconv.Itoa(hungUp) {
			return "exit code " + string(code)
		}
		return ""
	})
	entries, _ := os.ReadDir(s.path("gone"))
	for _, e := range entries {
		if !strings.Contains("day.db dup_report.json idem_report.md policy.json result.json", e.Name()) {
			t.Errorf("%s is left of a file that was not finished", e.Name())
		}
	}
}
