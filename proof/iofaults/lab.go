package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

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

// env has one processor, so that a run is much like the next, and the lab's own
// place for temporary files.
func (l *lab) env() []string {
	others := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOMAXPROCS=") || strings.HasPrefix(v, "TMPDIR=")
	})
	return append(others, "GOMAXPROCS=1", "TMPDIR="+l.dir)
}

// trace is a run of the program as the tracer saw it.
type trace struct {
	record
	code     int // exit code; 128 when a signal ended it
	out, err string
	answers  []answer // what a scenario was told meanwhile
}

// process is the program under the tracer.
type process struct {
	pid   int
	ended chan struct{} // closed at its end; from then on there are
	trace *trace
	err   error
}

// tooLong is when a run counts as stuck.
const tooLong = time.Minute

// traced runs the program to its end under a fault.
func (l *lab) traced(f *fault, args ...string) (*trace, error) {
	p, err := l.start(f, args...)
	if err != nil {
		return nil, err
	}
	return p.end()
}

// start starts the program under a fault.
func (l *lab) start(f *fault, args ...string) (*process, error) {
	p := &process{ended: make(chan struct{}), trace: &trace{record: record{fault: f, bytes: map[place]int{}, count: map[[2]string]int{}}}}
	files, err := l.streams()
	if err != nil {
		return nil, err
	}
	attr := &syscall.ProcAttr{Dir: l.dir, Env: l.env()}
	for _, file := range files {
		attr.Files = append(attr.Files, file.Fd())
	}
	begun := make(chan int, 1)
	go func() {
		defer close(p.ended)
		t := &tracer{enter: p.trace.enter, dir: l.dir}
		p.trace.code, p.err = t.run(l.idem, append([]string{"idem"}, args...), attr, func(pid int) { begun <- pid })
		for _, file := range files {
			p.err = errors.Join(p.err, file.Close())
		}
		p.err = errors.Join(p.err, p.trace.heard(l))
	}()
	select {
	case p.pid = <-begun:
		return p, nil
	case <-p.ended:
		return nil, fmt.Errorf("idem %q: %w", args, p.err)
	}
}

// streams are the program's standard streams, files too.
func (l *lab) streams() (files []*os.File, err error) {
	in, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	out, err := os.Create(l.path("stdout"))
	if err != nil {
		return nil, err
	}
	told, err := os.Create(l.path("stderr"))
	return []*os.File{in, out, told}, err
}

// heard reads what the program said.
func (t *trace) heard(l *lab) error {
	out, err := os.ReadFile(l.path("stdout"))
	told, err2 := os.ReadFile(l.path("stderr"))
	t.out, t.err = string(out), string(told)
	return errors.Join(err, err2)
}

// end waits for the end.
func (p *process) end() (*trace, error) {
	select {
	case <-p.ended:
		return p.trace, p.err
	case <-time.After(tooLong):
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		<-p.ended
		return nil, fmt.Errorf("it is stuck\n%s", p.trace.err)
	}
}

// fails is an error where a run that failed does not say so as it must: by the
// exit codes of every command, in words, and without a panic.
func (t *trace) fails(allowed ...int) error {
	for _, word := range []string{"panic:", "goroutine ", "fatal error:", "SIGSEGV"} {
		if strings.Contains(t.err, word) {
			return fmt.Errorf("it panicked")
		}
	}
	mute := slices.ContainsFunc(t.fired, func(at place) bool { return at.call == "write" && at.file == "stderr" })
	if slices.Contains(allowed, t.code) && (mute || strings.Contains(t.err, "idem: ")) {
		return nil
	}
	return fmt.Errorf("it ended with exit code %d, or did not say why", t.code)
}
