package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// rig records the program under test in folders of its own.
type rig struct {
	idem, dir string
}

// folder makes the root of a film.
func (r *rig) folder(name string) (string, error) {
	dir := filepath.Join(r.dir, name)
	return dir, errors.Join(os.MkdirAll(dir, 0o700), os.MkdirAll(filepath.Join(r.dir, "tmp"), 0o700))
}

// record runs a command in root under strace and makes a film of it. meanwhile,
// if there is one, runs beside it and ends it.
func (r *rig) record(root string, meanwhile func(pid func() int) error, args ...string) (*film, error) {
	f := &film{root: root}
	var err error
	if f.before, err = filesUnder(root); err != nil {
		return nil, err
	}
	trace := root + ".trace"
	// Of the runtime's own signals and calls nothing is to be seen.
	cmd := exec.Command("strace", append([]string{"-f", "-y", "-xx", "-s", "1000000", "-e", "trace=" + traced, "-e", "signal=none", "--seccomp-bpf", "-o", trace}, args...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "TMPDIR="+filepath.Join(r.dir, "tmp"))
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("strace is needed to record: %w", err)
	}
	if meanwhile != nil {
		err = meanwhile(func() int { return child(cmd.Process.Pid) })
	}
	if waited := cmd.Wait(); err != nil || waited != nil {
		return nil, fmt.Errorf("%q: %v, %v\n%s", args, err, waited, out)
	}
	in, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	calls, err := parse(in)
	if err != nil {
		return nil, err
	}
	return f, f.shoot(calls)
}

// child is the process that strace runs; 0 while there is none.
func child(strace int) (pid int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", strace, strace))
	if err == nil {
		_, _ = fmt.Sscan(string(text), &pid)
	}
	return pid
}

// filesUnder reads what is in a folder.
func filesUnder(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	list, err := os.ReadDir(root)
	for _, e := range list {
		path := filepath.Join(root, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[path] = data
	}
	return files, err
}

// shell runs lines by a shell, which says "done N" after each.
func shell(idem string, lines ...string) []string {
	var script strings.Builder
	script.WriteString("set -e\n")
	for i, line := range lines {
		fmt.Fprintf(&script, "%s %s\necho done %d\n", quoted(idem), line, i+1)
	}
	return []string{"sh", "-c", script.String()}
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// calls records payments by idem api, a process each, some of them retries, and
// purges between them.
func (r *rig) calls(n int) (*film, error) {
	root, err := r.folder("calls")
	if err != nil {
		return nil, err
	}
	if err := makeBank(filepath.Join(root, "pay.db")); err != nil {
		return nil, err
	}
	var lines []string
	for i := range n {
		now := time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		line, err := r.request(i-i%5/4, now) // each fifth is a retry
		if err != nil {
			return nil, err
		}
		if lines = append(lines, line); i%10 == 9 {
			lines = append(lines, "api --db pay.db --purge-before 2026-01-01T04:00:00Z --now "+now.Format(time.RFC3339))
		}
	}
	return r.record(root, nil, shell(r.idem, lines...)...)
}

// request writes request i and gives the command that sends it.
func (r *rig) request(i int, now time.Time) (line string, err error) {
	name := fmt.Sprintf("request%d.json", i)
	text := fmt.Sprintf(`{"client_id":"c","endpoint":"/t","idem_key":"k%d","body":{"src":"A","dst":"B","amount":%d,"currency":"KRW"}}`, i, 1+i)
	line = fmt.Sprintf("api --db pay.db --request ../%s --now %s", name, now.Format(time.RFC3339))
	return line, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600)
}

// served records payments by idem serve, of several clients at once. Its file is
// a new one.
func (r *rig) served(n int) (*film, error) {
	root, err := r.folder("served")
	if err != nil {
		return nil, err
	}
	accounts := filepath.Join(r.dir, "accounts.json")
	if err := os.WriteFile(accounts, []byte(`[{"acct_id":"A","holder":"a","balance":1000000},{"acct_id":"B","holder":"b","balance":0}]`), 0o600); err != nil {
		return nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	meanwhile := func(pid func() int) error {
		defer func() { _ = syscall.Kill(pid(), syscall.SIGTERM) }()
		if err := reachable(addr); err != nil {
			return err
		}
		var senders sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			senders.Go(func() {
				for k := i; k < n && errs[i] == nil; k += len(errs) {
					errs[i] = pay(addr, k)
				}
			})
		}
		senders.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
	return r.record(root, meanwhile, r.idem, "serve", "--addr", addr, "--store", "sqlite:pay.db", "--accounts", accounts)
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// reachable waits for a server.
func reachable(addr string) error {
	var err error
	for range 2000 {
		var c net.Conn
		if c, err = net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

func pay(addr string, k int) error {
	body := fmt.Sprintf(`{"src":"A","dst":"B","amount":%d,"currency":"KRW"}`, k+1)
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/transfers", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer c")
	req.Header.Set("Idempotency-Key", fmt.Sprint("k", k))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusCreated {
		err = fmt.Errorf("payment %d is answered %d %s", k, resp.StatusCode, text)
	}
	return err
}

// files records commands that make files, each twice over: days of the lab,
// replays and imports.
func (r *rig) files(samples string) (*film, error) {
	root, err := r.folder("files")
	if err != nil {
		return nil, err
	}
	for i, seed := range []string{"1", "2"} {
		if out, err := exec.Command(r.idem, "gen", "--out", filepath.Join(r.dir, fmt.Sprintf("day%d.db", i)), "--seed", seed).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
	}
	imports := fmt.Sprintf("import --requests %s --transfers %s --out import.db", quoted(filepath.Join(samples, "requests-labelled.sample")), quoted(filepath.Join(samples, "transfers-labelled.sample")))
	return r.record(root, nil, shell(r.idem,
		"replay ../day0.db --out report", "replay ../day1.db --out report",
		"gen --out lab.db", "gen --out lab.db --seed 7 --force",
		imports, imports+" --force",
	)...)
}
