package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const amount = 7

// lease is how long the default policy protects a claim.
const lease = 30 * time.Second

type answer struct {
	Status int
	Replay bool
	Body   json.RawMessage
}

// request writes the request for a key.
func (r *rig) request(key string) (path string, err error) {
	path = filepath.Join(r.dir, "request.json")
	text := fmt.Sprintf(`{"client_id":"c","endpoint":"/t","idem_key":%q,"body":{"src":"A","dst":"B","amount":%d,"currency":"KRW"}}`, key, amount)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// send are the arguments that send a request at an instant.
func send(db, request string, at time.Time) []string {
	return []string{"api", "--db", db, "--request", request, "--now", at.Format(time.RFC3339Nano)}
}

// till is a database whose payments are each a process, killed at any moment of
// its life. The state before says what its answer must be.
type till struct {
	*rig
	db      string
	now     time.Time
	before  state
	told    map[string]string
	unknown []string // sent, and not answered 201 yet
	keys    int
	// How long a process that is let be lives about, and works on the open file.
	life, work time.Duration
}

// newTill makes a database with the money for n payments.
func (r *rig) newTill(db string, n int) (t *till, err error) {
	if err := makeBank(db, n); err != nil {
		return nil, err
	}
	t = &till{rig: r, db: db, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), told: map[string]string{}, life: 40 * time.Millisecond, work: 4 * time.Millisecond}
	t.before, err = r.read(db)
	return t, err
}

// payments kills n payment processes.
func (r *rig) payments(n int) error {
	t, err := r.newTill(filepath.Join(r.dir, "bank.db"), 3*n)
	if err != nil {
		return err
	}
	for r.tally[oneShots] < n {
		if err := t.payment(); err != nil {
			return fmt.Errorf("after %d kills: %w", r.tally[oneShots], err)
		}
		if r.random.IntN(20) == 0 && t.before.transfers > 0 { // the first kills may come before there is a ledger
			if err := r.audit(t.db); err != nil {
				return err
			}
		}
	}
	for len(t.unknown) > 0 {
		if err := t.settle(t.unknown[0]); err != nil {
			return err
		}
	}
	if len(t.told) != t.keys || t.before.transfers != t.keys {
		return fmt.Errorf("after the kills %d of %d keys are paid, and %d told", t.before.transfers, t.keys, len(t.told))
	}
	return r.audit(t.db)
}

// payment sends a new key or one of those before, to a process that is killed.
func (t *till) payment() error {
	t.now = t.now.Add([]time.Duration{time.Second, lease + time.Second}[t.random.IntN(2)])
	key := t.pick()
	var opened time.Time
	moment := t.within(t.life)
	if t.random.IntN(2) == 0 { // after it has opened the file, and made the index of its log anew
		wait := t.upTo(t.work)
		moment = func(ended <-chan struct{}) {
			t.growth(t.db+"-shm", 2, 0)(ended)
			opened = time.Now()
			pause(wait, ended)
		}
	}
	began := time.Now()
	out, landed, err := t.sent(key, moment)
	if err != nil {
		return err
	}
	switch {
	case landed:
		t.tally[oneShots]++
	case opened.IsZero():
		t.life = (7*t.life + time.Since(began)) / 8
	default:
		t.work = (7*t.work + time.Since(opened)) / 8
	}
	return t.judge(key, out, landed)
}

func (t *till) sent(key string, moment func(<-chan struct{})) (out string, landed bool, err error) {
	request, err := t.request(key)
	if err != nil {
		return "", false, err
	}
	out, _, landed, err = t.killed(t.db, moment, send(t.db, request, t.now)...)
	return out, landed, err
}

// pick is a new key half of the time, else one that is not paid for certain, and
// at times one that is.
func (t *till) pick() string {
	switch n := t.random.IntN(8); {
	case n < 3 && len(t.unknown) > 0:
		return t.unknown[t.random.IntN(len(t.unknown))]
	case n == 3 && t.keys > 0:
		return fmt.Sprint("k", t.random.IntN(t.keys))
	}
	return t.fresh()
}

// fresh is a new key.
func (t *till) fresh() string {
	t.keys++
	t.unknown = append(t.unknown, fmt.Sprint("k", t.keys-1))
	return t.unknown[len(t.unknown)-1]
}

// judge compares the answer, if there is one, and the state with those before.
func (t *till) judge(key, out string, landed bool) error {
	was := t.before.rows[key]
	var got answer
	answered := json.Unmarshal([]byte(out), &got) == nil
	if answered {
		if err := t.hear(key, was, got); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	} else if !landed {
		return fmt.Errorf("%s is answered %q", key, out)
	}
	after, err := t.read(t.db)
	if err != nil {
		return err
	}
	t.tally[judged]++
	if err := after.follows(&t.before, map[string]bool{key: true}, t.told); err != nil {
		return err
	}
	is := after.rows[key]
	if landed {
		t.mark(after.torn, !is.completed && is != was, is.completed && !was.completed && !answered)
	}
	t.before = after
	return nil
}

// mark counts where a kill fell, by what it left.
func (r *rig) mark(torn, open, paid bool) {
	for c, there := range map[count]bool{tornLog: torn, claimOpen: open, unanswered: paid} {
		if there {
			r.tally[c]++
		}
	}
}

// hear judges an answer by the record that its process found.
func (t *till) hear(key string, was row, got answer) error {
	status := 201
	if was.fence > 0 && !was.completed && t.now.UnixNano() < was.lease {
		status = 409
	}
	if got.Status != status || got.Replay != was.completed || was.completed && string(got.Body) != was.body {
		return fmt.Errorf("it was %+v and is answered %d %s", was, got.Status, got.Body)
	}
	switch {
	case status == 409:
		t.tally[conflicts]++
		return nil
	case got.Replay:
		t.tally[replayed]++
	case was.fence > 0:
		t.tally[takeovers]++
	}
	if _, before := t.told[key]; !before {
		t.told[key] = string(got.Body)
		t.unknown = without(t.unknown, key)
	}
	return nil
}

func without(list []string, gone string) []string {
	for i, s := range list {
		if s == gone {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// settle lets be a payment, when no lease protects a claim of its key: it is paid
// then.
func (t *till) settle(key string) error {
	t.now = t.now.Add(lease)
	out, _, err := t.sent(key, toItsEnd)
	if err == nil {
		err = t.judge(key, out, false)
	}
	if _, told := t.told[key]; err == nil && !told {
		err = fmt.Errorf("%s is not paid", key)
	}
	return err
}

// toItsEnd is the moment for a process that is let be.
func toItsEnd(ended <-chan struct{}) { <-ended }
