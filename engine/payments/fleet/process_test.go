package fleet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one server.
type process struct {
	cmd   *exec.Cmd
	addr  string
	ended chan struct{}
	// counted is what the server had counted when it was asked last.
	counted map[string]float64
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// startServer starts a server on a free port and waits until it serves.
func (f *fleet) startServer() *process {
	f.t.Helper()
	cmd := exec.Command(f.program, "serve", "--addr", "127.0.0.1:0", "--store", f.dsn, "--log-json",
		"--policy", filepath.Join(f.dir, "policy.json"), "--accounts", filepath.Join(f.dir, "accounts.json"))
	cmd.Env = append(os.Environ(), variantEnv+"="+f.variant)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	endWithParent(cmd.SysProcAttr)
	out, err := cmd.StderrPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	addr := make(chan string, 1)
	go func() {
		f.follow(out, addr)
		_ = cmd.Wait()
		close(p.ended)
	}()
	select {
	case p.addr = <-addr:
	case <-p.ended:
		f.t.Fatalf("a server ended at once: %v", cmd.ProcessState)
	case <-time.After(20 * time.Second):
		f.t.Fatal("a server does not serve")
	}
	return p
}

// follow reads a server's log and tells the address it serves on.
func (f *fleet) follow(log io.Reader, addr chan<- string) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Msg, Addr string }
		_ = json.Unmarshal(lines.Bytes(), &line) // what is no JSON is a panic's
		switch line.Msg {
		case "serving":
			addr <- line.Addr
		case tieRefused:
			f.refused.Add(1)
		case "":
			fmt.Fprintln(os.Stderr, lines.Text())
		}
	}
}

// The counters that prove that what a run is about did happen.
const (
	takeovers  = "idem_takeovers_total"
	claimsLost = "idem_claims_lost_total"
	replays    = `idem_requests_total{outcome="replayed"}`
)

// collect adds what the servers counted since they were asked before. What a
// server counts between this and a kill is lost, so the sums are too low.
func (f *fleet) collect() {
	for _, p := range f.servers {
		counts, err := counters(p.addr)
		if err != nil {
			f.t.Errorf("read metrics: %v", err)
		}
		for name, n := range counts {
			f.counted[name] += n - p.counted[name]
		}
		p.counted = counts
	}
}

func counters(addr string) (map[string]float64, error) {
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Get("http://" + addr + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	counts := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == takeovers || name == claimsLost || name == replays {
			if counts[name], err = strconv.ParseFloat(value, 64); err != nil {
				return nil, err
			}
		}
	}
	return counts, err
}
