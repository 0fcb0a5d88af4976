package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fault is a call that fails.
type fault struct {
	call, way string // as strace names them: pwrite64, error=EIO
	nth       int    // of a thread's calls
	lasting   bool   // and all after it
	lie       bool
}

func (f fault) String() string {
	text := fmt.Sprintf("%s:%s:when=%d", f.call, f.way, f.nth)
	if f.lasting {
		text += "+"
	}
	return text
}

// trace is a run of the program as strace saw it.
type trace struct {
	fault     *fault
	code      int // exit code; 128 and more when a signal ended it
	out, err  string
	calls     map[string]int            // by name
	ofThreads map[string]map[string]int // by name and thread
	fired     map[int]string            // the calls that failed, by their position among those of that name
	broke     bool                      // one was the runtime's own, which cannot go on then
	mute      bool                      // one was a message to stderr
	answers   []answer                  // what a scenario was told meanwhile
}

// count is how many calls there are, and the most of one thread.
func (t *trace) count(call string) (total, most int) {
	for _, n := range t.ofThreads[call] {
		most = max(most, n)
	}
	return t.calls[call], most
}

// lab runs the program under test in a folder of its own.
type lab struct {
	idem, dir string
}

func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

// do runs the program without faults.
func (l *lab) do(args ...string) (out string, err error) {
	cmd := exec.Command(l.idem, args...)
	cmd.Dir, cmd.Env = l.dir, l.env()
	var text, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &told
	if err := cmd.Run(); err != nil {
		return text.String(), fmt.Errorf("idem %q: %w\n%s", args, err, told.String())
	}
	return text.String(), nil
}

// env has one processor, so that calls stay on few threads.
func (l *lab) env() []string { return append(os.Environ(), "GOMAXPROCS=1", "TMPDIR="+l.dir) }

// command is the program under strace.
func (l *lab) command(f *fault, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	var names []string
	for _, known := range failures {
		names = append(names, known.call)
	}
	line := []string{"-f", "-y", "--seccomp-bpf", "-s", "8", "-o", l.path("strace.log"), "-e", "trace=" + strings.Join(names, ",")}
	if f != nil {
		line = append(line, "-e", "inject="+f.String())
	}
	cmd := exec.Command("strace", append(append(line, "--", l.idem), args...)...)
	cmd.Dir, cmd.Env = l.dir, l.env()
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	return cmd, &out, &told
}

// tooLong is when a run counts as stuck.
const tooLong = time.Minute

// traced runs the program to its end under a fault.
func (l *lab) traced(f *fault, args ...string) (*trace, error) {
	cmd, out, told := l.command(f, args...)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("strace: %w (install Debian's package strace)", err)
	}
	stuck := time.AfterFunc(tooLong, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !stuck.Stop() {
		return nil, fmt.Errorf("idem %q is stuck\n%s", args, told)
	}
	return l.finish(f, cmd, out, told, err)
}

// finish reads what strace wrote of a run that has ended.
func (l *lab) finish(f *fault, cmd *exec.Cmd, out, told *bytes.Buffer, err error) (*trace, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	t := &trace{fault: f, code: cmd.ProcessState.ExitCode(), out: out.String(), err: told.String()}
	if t.code < 0 { // strace ends as its child did
		t.code = 128
	}
	return t, t.read(l.path("strace.log"))
}

// The lines of strace's log: a call as it begins, and its end after others'.
var (
	begins  = regexp.MustCompile(`^(\d+) +(\w+)\((.*)$`)
	resumed = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>`)
)

func (t *trace) read(path string) error {
	log, err := os.Open(path)
	if err != nil {
		return err
	}
	defer log.Close()
	t.calls, t.ofThreads, t.fired = map[string]int{}, map[string]map[string]int{}, map[int]string{}
	type begun struct {
		position int
		line     string
	}
	under := map[string]begun{} // the call that a thread is in
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		thread, call := "", ""
		if m := begins.FindStringSubmatch(line); m != nil {
			thread, call = m[1], m[2]
			if t.ofThreads[call] == nil {
				t.ofThreads[call] = map[string]int{}
			}
			t.calls[call]++
			t.ofThreads[call][thread]++
			under[thread] = begun{t.calls[call], line}
		} else if m := resumed.FindStringSubmatch(line); m != nil {
			thread = m[1]
		}
		if strings.HasSuffix(line, "(INJECTED)") {
			b := under[thread]
			t.fired[b.position] = strings.TrimSpace(strings.TrimPrefix(b.line, thread))
			t.broke = t.broke || runtimes(b.line)
			t.mute = t.mute || strings.Contains(b.line, "write(2<")
		}
	}
	return lines.Err()
}

// runtimes reports whether a call is one that the Go runtime cannot do without:
// it wakes itself through an eventfd.
func runtimes(line string) bool { return strings.Contains(line, "eventfd") }

// fails is an error where a run that failed does not say so as it must: by the
// exit codes of every command, in words, and without a panic.
func (t *trace) fails(allowed ...int) error {
	for _, word := range []string{"panic:", "goroutine ", "fatal error:", "SIGSEGV"} {
		if strings.Contains(t.err, word) {
			return fmt.Errorf("it panicked")
		}
	}
	for _, code := range allowed {
		if t.code == code && (t.mute || strings.Contains(t.err, "idem: ")) {
			return nil
		}
	}
	return fmt.Errorf("it ended with exit code %d, or did not say why", t.code)
}
