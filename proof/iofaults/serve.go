package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// served is a payment API on a file that pays a few keys, one after the other.
type served struct {
	*lab
	payment *payment
	addr    string
	client  *http.Client
}

// keys are how many are paid; lease is that of the server's policy, in seconds.
const (
	keys  = 3
	lease = 1
)

func newServed(l *lab) (*scenario, error) {
	s := &served{lab: l, payment: &payment{lab: l}, client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.addr = free.Addr().String()
	err = errors.Join(free.Close(), s.payment.clear(), makeBank(l.path("bank.db")),
		os.WriteFile(l.path("policy.json"), fmt.Appendf(nil, `{"scope":["client_id","idem_key"],"fingerprint":"request","lease_seconds":%d}`, lease), 0o600))
	if err != nil {
		return nil, err
	}
	s.payment.bank, err = os.ReadFile(l.path("bank.db"))
	return &scenario{fresh: s.payment.fresh, run: s.run, judge: s.judge}, err
}

func (s *served) arguments() []string {
	return []string{"serve", "--addr", s.addr, "--store", "sqlite:bank.db", "--policy", "policy.json"}
}

// run starts a server under the fault, pays and stops it. What is not paid in
// time is left to the next server, when the fault lasts; else this one must.
func (s *served) run(f *fault) (*trace, error) {
	p, err := s.start(f, s.arguments()...)
	if err != nil {
		return nil, err
	}
	var answers []answer
	if s.await(p) {
		answers = s.payAll(f != nil && f.lasting)
		_ = syscall.Kill(p.pid, syscall.SIGTERM) // it may have ended
	}
	t, err := p.end()
	if err == nil {
		t.answers = answers
	}
	return t, err
}

// await waits until the server answers; false when it has ended before.
func (s *served) await(p *process) bool {
	for {
		select {
		case <-p.ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
		if c, err := net.Dial("tcp", s.addr); err == nil {
			c.Close()
			return true
		}
	}
}

// payAll pays each key and returns the answers; one without a status was not to
// be had. An impatient client gives up on a key soon.
func (s *served) payAll(impatient bool) (answers []answer) {
	patience := 4 * lease * time.Second
	if impatient {
		patience = 50 * time.Millisecond
	}
	for k := range keys {
		var a answer
		for until := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
			if a = s.pay(fmt.Sprint("k", k)); a.Status == 201 || time.Now().After(until) {
				break
			}
		}
		answers = append(answers, a)
	}
	return answers
}

// pay sends a key; no answer is one without a status.
func (s *served) pay(key string) answer {
	body := fmt.Sprintf(`{"src":"A","dst":"B","amount":%d,"currency":"KRW"}`, amount)
	req, err := http.NewRequest(http.MethodPost, "http://"+s.addr+"/v1/transfers", strings.NewReader(body))
	if err != nil {
		return answer{}
	}
	req.Header.Set("Authorization", "Bearer c")
	req.Header.Set("Idempotency-Key", key)
	resp, err := s.client.Do(req)
	if err != nil {
		return answer{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}
	}
	return answer{Status: resp.StatusCode, Replay: resp.Header.Get("Idempotent-Replayed") == "true", Body: json.RawMessage(text)}
}

// judge: a server that lived has paid every key; what it told is what the next
// one tells, and all is paid once.
func (s *served) judge(t *trace) error {
	if t.code != 0 {
		if err := t.fails(1, 3); err != nil {
			return err
		}
	}
	for k, a := range t.answers {
		if a.Status != 201 && (t.fault == nil || !t.fault.lasting) {
			return fmt.Errorf("k%d is answered %d %s, though the server lives and the fault is gone", k, a.Status, a.Body)
		}
		if a.Status < 500 && a.Status != 201 && a.Status != 0 && a.Status != 409 {
			return fmt.Errorf("k%d is answered %d %s", k, a.Status, a.Body)
		}
	}
	next, err := s.run(nil)
	switch {
	case err != nil:
		return err
	case next.code != 0:
		return fmt.Errorf("the next server, when the fault is gone: %s", next.err)
	}
	for k, a := range next.answers {
		told := k < len(t.answers) && t.answers[k].Status == 201
		if a.Status != 201 || told && (!a.Replay || string(a.Body) != string(t.answers[k].Body)) {
			return fmt.Errorf("k%d: told %+v, and by the next server %d %s, replay %v", k, t.answers, a.Status, a.Body, a.Replay)
		}
	}
	if _, err := s.do("verify", "bank.db"); err != nil {
		return err
	}
	return moved(s.path("bank.db"), keys)
}
