package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"
)

const amount = 7

// payments sends each payment to a process that is killed, and retries it: at
// once, and when its claim's lease is over. Then it is paid, once.
func (r *rig) payments(n int) error {
	db := filepath.Join(r.dir, "bank.db")
	if err := makeBank(db, n); err != nil {
		return err
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		now = now.Add(time.Second)
		if err := r.payment(db, i, now); err != nil {
			return fmt.Errorf("payment %d: %w", i, err)
		}
	}
	return nil
}

func makeBank(path string, n int) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(fmt.Sprintf("CREATE TABLE account (acct_id, holder, balance); INSERT INTO account VALUES ('A', 'a', %d), ('B', 'b', 0)", n*amount))
	return err
}

type answer struct {
	Status int
	Replay bool
	Body   json.RawMessage
}

// request writes the request for payment i.
func (r *rig) request(i int) (path string, err error) {
	path = filepath.Join(r.dir, "request.json")
	text := fmt.Sprintf(`{"client_id":"c","endpoint":"/t","idem_key":"k%d","body":{"src":"A","dst":"B","amount":%d,"currency":"KRW"}}`, i, amount)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// send are the arguments that send a request at an instant.
func send(db, request string, at time.Time) []string {
	return []string{"api", "--db", db, "--request", request, "--now", at.Format(time.RFC3339Nano)}
}

func (r *rig) payment(db string, i int, now time.Time) error {
	request, err := r.request(i)
	if err != nil {
		return err
	}
	moment := r.growth(db+"-wal", 5, 4*time.Millisecond)
	if r.random.IntN(4) == 0 {
		moment = r.within(60 * time.Millisecond)
	}
	out, landed, err := r.killed(moment, send(db, request, now)...)
	if err != nil {
		return err
	}
	if r.apiRuns++; r.apiRuns > 1 { // the first kill may come before there is a ledger
		if err := r.audit(db); err != nil {
			return fmt.Errorf("after the kill: %w", err)
		}
	}
	var first, retry, last answer
	if err := r.answered(&retry, send(db, request, now.Add(10*time.Second))); err != nil {
		return err
	}
	if err := r.answered(&last, send(db, request, now.Add(40*time.Second))); err != nil {
		return err
	}
	told := json.Unmarshal([]byte(out), &first) == nil
	if landed {
		r.apiLanded++
		r.place(told, &retry)
	}
	return r.judge(db, i, told, &first, &retry, &last)
}

func (r *rig) answered(a *answer, args []string) error {
	out, err := r.do(args...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(out), a)
}

// place says where the kill fell, by what the retry was told.
func (r *rig) place(told bool, retry *answer) {
	switch {
	case told:
		r.told++
	case retry.Status == 409:
		r.leftOpen++
	case retry.Replay:
		r.unansweredPaid++
	default:
		r.unclaimed++
	}
}

// judge: the payment has gone out once, and everybody was told of the same.
func (r *rig) judge(db string, i int, told bool, first, retry, last *answer) error {
	if last.Status != 201 {
		return fmt.Errorf("it is answered %d when the lease is over", last.Status)
	}
	if told && (first.Status != 201 || string(first.Body) != string(last.Body)) {
		return fmt.Errorf("it was answered %d %s before the kill and %s after it", first.Status, first.Body, last.Body)
	}
	if retry.Status == 201 && string(retry.Body) != string(last.Body) || retry.Status != 201 && retry.Status != 409 {
		return fmt.Errorf("retries are answered %d %s and %s", retry.Status, retry.Body, last.Body)
	}
	if err := r.audit(db); err != nil {
		return err
	}
	return paid(db, i+1)
}

// paid checks the sum: n payments, no more and no less.
func paid(path string, n int) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	var transfers, balance int
	err = db.QueryRow("SELECT (SELECT count(*) FROM transfer), (SELECT balance FROM account WHERE acct_id = 'B')").Scan(&transfers, &balance)
	if err == nil && (transfers != n || balance != n*amount) {
		err = fmt.Errorf("%d payments were sent, %d transfers made, and %d received", n, transfers, balance)
	}
	return err
}
