package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// api is a payment API on one file, whose server is killed again and again.
type api struct {
	*rig
	addr   string
	client *http.Client
	mu     sync.Mutex
	told   map[string]string // what clients were told, by key
}

// atOnce is how many payments run when a server is killed.
const atOnce = 8

// servers kills payment APIs under load. What a client was told before a kill is
// what it is told after it, and every key is paid once in the end.
func (r *rig) servers(n int) error {
	if n == 0 {
		return nil
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	a := &api{rig: r, addr: free.Addr().String(), told: map[string]string{},
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}}
	free.Close()
	policy := filepath.Join(r.dir, "server-policy.json")
	if err := os.WriteFile(policy, []byte(`{"scope":["client_id","idem_key"],"fingerprint":"request","lease_seconds":1}`), 0o600); err != nil {
		return err
	}
	if err := makeBank(filepath.Join(r.dir, "server.db"), (n+1)*atOnce); err != nil {
		return err
	}
	for i := range n {
		if err := a.killedUnderLoad(i); err != nil {
			return fmt.Errorf("server %d: %w", i, err)
		}
	}
	return a.settle(n)
}

// start starts a server and waits until it answers.
func (a *api) start() (*exec.Cmd, error) {
	cmd := exec.Command(a.idem, "serve", "--addr", a.addr, "--store", "sqlite:server.db", "--policy", "server-policy.json")
	cmd.Dir = a.dir
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
		if c, err := net.Dial("tcp", a.addr); err == nil {
			return cmd, c.Close()
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return nil, fmt.Errorf("it does not serve\n%s", log.String())
}

// killedUnderLoad sends new keys, and some of those before, to a server that is
// killed meanwhile.
func (a *api) killedUnderLoad(round int) error {
	cmd, err := a.start()
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	problems := make(chan error, atOnce)
	for k := range atOnce {
		running.Go(func() {
			problems <- a.pay(key(round, k))
			if round > 0 {
				problems <- a.pay(key(round-1, k)) // a retry
			}
		})
	}
	wait := time.Duration(a.random.Int64N(int64(20 * time.Millisecond)))
	time.Sleep(wait)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	go func() { running.Wait(); close(problems) }()
	for err := range problems {
		if err != nil {
			return err
		}
	}
	a.serverKills++
	return nil
}

func key(round, k int) string { return fmt.Sprintf("k%d-%d", round, k) }

// pay sends a key. It is an error to be told something else than before; not to
// be told anything is none.
func (a *api) pay(key string) error {
	body := fmt.Sprintf(`{"src":"A","dst":"B","amount":%d,"currency":"KRW"}`, amount)
	req, err := http.NewRequest(http.MethodPost, "http://"+a.addr+"/v1/transfers", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer c")
	req.Header.Set("Idempotency-Key", key)
	resp, err := a.client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil
	}
	return a.heard(key, resp, string(text))
}

func (a *api) heard(key string, resp *http.Response, text string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, told := a.told[key]
	switch {
	case resp.StatusCode == http.StatusConflict && !told, resp.StatusCode == http.StatusServiceUnavailable:
		return nil
	case resp.StatusCode != http.StatusCreated:
		return fmt.Errorf("%s is answered %d %s, and was %q before", key, resp.StatusCode, text, before)
	case told && (before != text || resp.Header.Get("Idempotent-Replayed") != "true"):
		return fmt.Errorf("%s is answered %s, and was %s before", key, text, before)
	}
	if !told && resp.Header.Get("Idempotent-Replayed") == "true" {
		a.serverFound++ // the kill fell between the commit and the answer
	}
	a.told[key] = text
	return nil
}

// settle pays what nobody was told of, and counts.
func (a *api) settle(rounds int) error {
	cmd, err := a.start()
	if err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for round := range rounds {
		for k := range atOnce {
			name := key(round, k)
			for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				if err := a.pay(name); err != nil {
					return err
				}
				if _, told := a.told[name]; told {
					break
				}
				if time.Now().After(until) {
					return fmt.Errorf("%s is stuck", name)
				}
			}
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	_ = cmd.Wait() // exit code 130 or 0, both after what ran
	db := filepath.Join(a.dir, "server.db")
	a.audits++
	if _, err := a.do("verify", db); err != nil {
		return err
	}
	return paid(db, rounds*atOnce)
}
