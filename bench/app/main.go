// Command app measures the workbench in a pseudo terminal, as a person at the
// keys would see it: time to the first screen, from a key to its frame, resident
// memory, and CPU while nothing happens.
//
// usage: app IDEM DAY.db
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: app IDEM DAY.db")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1)
	}
}

func run(program, day string) error {
	out, err := os.MkdirTemp("", "idem-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	t, err := start(program, day, "--out", out)
	if err != nil {
		return err
	}
	defer t.stop()
	first, err := t.until("extra transfers", 30*time.Second)
	if err != nil {
		return err
	}
	fmt.Printf("first screen           %d ms\n", first.Milliseconds())
	t.settle(2 * time.Second)
	fmt.Printf("figures complete       %.1f s\n", t.lastOutput().Seconds())
	t.report("incident: j, k", "j", "k")
	if err := t.press("2"); err != nil {
		return err
	}
	t.settle(500 * time.Millisecond)
	t.report("replay: n", "n")
	t.report("replay: p, n", "p", "n")
	return t.idle()
}

// terminal is the program on its pseudo terminal.
type terminal struct {
	file  *os.File
	cmd   *exec.Cmd
	start time.Time

	mu    sync.Mutex
	seen  bytes.Buffer
	count int
	last  time.Time
	wake  chan struct{}
}

func start(program string, args ...string) (*terminal, error) {
	t := &terminal{cmd: exec.Command(program, args...), wake: make(chan struct{}, 1), start: time.Now()}
	t.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=")
	f, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return nil, err
	}
	t.file = f
	go t.read()
	return t, nil
}

func (t *terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := t.file.Read(buf)
		if err != nil {
			return
		}
		t.mu.Lock()
		if t.seen.Len() < 1<<20 {
			t.seen.Write(buf[:n])
		}
		t.count += n
		t.last = time.Now()
		t.mu.Unlock()
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

func (t *terminal) stop() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	_ = t.cmd.Wait()
	t.file.Close()
}

func (t *terminal) until(text string, limit time.Duration) (time.Duration, error) {
	for deadline := time.After(limit); ; {
		t.mu.Lock()
		found := strings.Contains(t.seen.String(), text)
		t.mu.Unlock()
		if found {
			return time.Since(t.start), nil
		}
		select {
		case <-t.wake:
		case <-deadline:
			return 0, fmt.Errorf("%q did not appear within %v", text, limit)
		}
	}
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

func (t *terminal) lastOutput() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last.Sub(t.start)
}

func (t *terminal) press(key string) error {
	_, err := t.file.WriteString(key)
	return err
}

// report prints the latency of keys pressed in turn, from the key to its frame,
// and the bytes of a frame.
func (t *terminal) report(what string, keys ...string) {
	const presses = 200
	var times []time.Duration
	before := t.count
	for i := range presses {
		at := time.Now()
		if t.press(keys[i%len(keys)]) != nil {
			return
		}
		select {
		case <-t.wake:
			times = append(times, time.Since(at))
		case <-time.After(2 * time.Second):
		}
		// Keys do not come in step with the frames: the pauses differ.
		t.settle(40*time.Millisecond + time.Duration(i*7%34)*time.Millisecond)
	}
	if len(times) == 0 {
		fmt.Printf("%-22s no frame\n", what)
		return
	}
	slices.Sort(times)
	fmt.Printf("%-22s median %.1f ms, p99 %.1f ms, %d bytes a frame\n", what,
		ms(times[len(times)/2]), ms(times[len(times)*99/100]), (t.count-before)/len(times))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// idle prints what the program uses while nothing happens.
func (t *terminal) idle() error {
	const watch = 5 * time.Second
	before, err := t.cpu()
	if err != nil {
		return err
	}
	time.Sleep(watch)
	after, err := t.cpu()
	if err != nil {
		return err
	}
	fmt.Printf("idle CPU               %.2f %%\n", 100*(after-before).Seconds()/watch.Seconds())
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "VmHWM") {
			f := strings.Fields(line)
			kb, _ := strconv.Atoi(f[1])
			fmt.Printf("%-22s %d MB\n", map[string]string{"VmRSS:": "resident memory", "VmHWM:": "resident at most"}[f[0]], kb/1024)
		}
	}
	return nil
}

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
