package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

const width, height = 120, 40

// terminal is a program on a pseudo terminal of its own.
type terminal struct {
	file  *os.File
	cmd   *exec.Cmd
	start time.Time

	mu     sync.Mutex
	screen *vt.Emulator
	count  int       // bytes that came
	last   time.Time // when the last of them did
	wake   chan struct{}
	gone   chan struct{} // closed when the program has ended
}

func start(program string, args ...string) (*terminal, error) {
	t := &terminal{cmd: exec.Command(program, args...), wake: make(chan struct{}, 1), gone: make(chan struct{}), screen: vt.NewEmulator(width, height), start: time.Now()}
	t.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "LC_ALL=C.UTF-8")
	f, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: height, Cols: width})
	if err != nil {
		return nil, err
	}
	t.file = f
	go t.read()
	go t.drain()
	return t, nil
}

func (t *terminal) read() {
	defer close(t.gone)
	buf := make([]byte, 1<<16)
	for {
		n, err := t.file.Read(buf)
		if err != nil {
			return
		}
		now := time.Now()
		t.mu.Lock()
		_, _ = t.screen.Write(buf[:n])
		t.count += n
		t.last = now
		t.mu.Unlock()
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// drain drops what the emulator would answer to questions: many terminals do not
// answer either, and the emulator waits until it is read.
func (t *terminal) drain() {
	buf := make([]byte, 256)
	for {
		if _, err := t.screen.Read(buf); err != nil {
			return
		}
	}
}

func (t *terminal) stop() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	_ = t.cmd.Wait()
	t.file.Close()
	t.screen.Close()
}

func (t *terminal) press(keys string) error {
	_, err := t.file.WriteString(keys)
	return err
}

// until waits for a text on the screen and returns when what showed it came. It
// gives up when the limit has passed, the program has ended, or one of the texts
// wrong appears.
func (t *terminal) until(text string, limit time.Duration, wrong ...string) (time.Time, error) {
	begun := time.Now()
	deadline, tell := time.After(limit), time.NewTicker(tellEvery)
	defer tell.Stop()
	for {
		screen, at := t.seen()
		if strings.Contains(screen, text) {
			return at, nil
		}
		if slices.ContainsFunc(wrong, func(w string) bool { return strings.Contains(screen, w) }) {
			return at, fmt.Errorf("while %q was waited for:\n%s", text, screen)
		}
		select {
		case <-t.wake:
		case <-tell.C:
			fmt.Fprintf(os.Stderr, "app: %.0f s for %q; %s\n", time.Since(begun).Seconds(), text, strings.Join(progress.FindAllString(screen, 3), ", "))
		case <-t.gone:
			return at, fmt.Errorf("the program ended before %q appeared:\n%s", text, screen)
		case <-deadline:
			return at, fmt.Errorf("%q did not appear within %v:\n%s", text, limit, screen)
		}
	}
}

// tellEvery is how often a long wait says on stderr how far the program is, and
// progress what it shows of that.
const tellEvery = 10 * time.Second

var progress = regexp.MustCompile(`counting… ?[0-9]* ?%?|[0-9,]+/[0-9,]+|writing its files`)

// seen is what the screen shows, and when the last of it came.
func (t *terminal) seen() (string, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String(), t.last
}

// settle waits until nothing was drawn for a while.
func (t *terminal) settle(quiet time.Duration) {
	for {
		select {
		case <-t.wake:
		case <-time.After(quiet):
			return
		}
	}
}

// sums are the bytes that came so far and when the last of them did.
func (t *terminal) sums() (bytes int, last time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count, t.last
}

// rest waits until the program has not worked for two seconds and returns when it
// last did. Frames do not tell: lnav has a clock.
func (t *terminal) rest(limit time.Duration) (last time.Time, err error) {
	const look, little = 200 * time.Millisecond, 20 * time.Millisecond
	begun := time.Now()
	before, err := t.cpu()
	for last = begun; err == nil && time.Since(last) < 2*time.Second; {
		if time.Since(begun) > limit {
			return last, fmt.Errorf("the program still works after %v", limit)
		}
		time.Sleep(look)
		var now time.Duration
		if now, err = t.cpu(); now-before > little {
			last = time.Now()
		}
		before = now
	}
	return last, err
}

// cpu is the processor time that the program has taken.
func (t *terminal) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", t.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond, nil // USER_HZ is 100 on Linux
}

// memory is what of the program is in memory now and what was at most, in MB.
func (t *terminal) memory() (now, most int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for _, line := range strings.Split(string(status), "\n") {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kb, _ := strconv.Atoi(f[1])
		switch f[0] {
		case "VmRSS:":
			now = kb / 1024
		case "VmHWM:":
			most = kb / 1024
		}
	}
	return now, most, nil
}
