package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite"
)

// answer is what idem api prints.
type answer struct {
	Status int
	Replay bool
	Body   json.RawMessage
}

const amount = 7

// payment is one payment by idem api, on a bank's database. In a new one its
// tables are made first, in one that was used they are there.
type payment struct {
	*lab
	bank []byte // the database before
	paid int    // payments in it
}

func newBank(l *lab) (*scenario, error)  { return l.payment(0) }
func usedBank(l *lab) (*scenario, error) { return l.payment(1) }

func (l *lab) payment(before int) (*scenario, error) {
	p := &payment{lab: l, paid: before}
	if err := p.clear(); err != nil {
		return nil, err
	}
	for _, key := range []string{"before", "k"} {
		text := fmt.Sprintf(`{"client_id":"c","endpoint":"/t","idem_key":%q,"body":{"src":"A","dst":"B","amount":%d,"currency":"KRW"}}`, key, amount)
		if err := os.WriteFile(l.path(key+".json"), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if err := makeBank(l.path("bank.db")); err != nil {
		return nil, err
	}
	if before > 0 {
		if _, err := l.do("api", "--db", "bank.db", "--request", "before.json", "--now", "2026-01-01T00:00:00Z"); err != nil {
			return nil, err
		}
	}
	var err error
	p.bank, err = os.ReadFile(l.path("bank.db"))
	return &scenario{fresh: p.fresh, run: p.run, judge: p.judge, lies: true}, err
}

func makeBank(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec("CREATE TABLE account (acct_id, holder, balance); INSERT INTO account VALUES ('A', 'a', 1000), ('B', 'b', 0)")
	return errors.Join(err, db.Close())
}

// clear removes the database and what SQLite keeps beside it.
func (l *lab) clear() error {
	old, err := filepath.Glob(l.path("bank.db*"))
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func (p *payment) fresh() error {
	return errors.Join(p.clear(), os.WriteFile(p.path("bank.db"), p.bank, 0o600))
}

// send are the arguments that send the payment.
func send(at string) []string {
	return []string{"api", "--db", "bank.db", "--request", "k.json", "--now", "2026-01-01T" + at + "Z"}
}

func (p *payment) run(f *fault) (*trace, error) { return p.traced(f, send("00:01:00")...) }

// judge: it is told that it was paid only when it was; and in the end it is paid
// once, by the same answer.
func (p *payment) judge(t *trace) error {
	var first answer
	told := json.Unmarshal([]byte(t.out), &first) == nil
	if t.code != 0 {
		if err := t.fails(1, 3); err != nil {
			return err
		}
	}
	if (t.code == 0 && !told) || (told && first.Status != 201) {
		return fmt.Errorf("it was answered %q", t.out)
	}
	if _, err := p.do("verify", "bank.db", "--now", "2026-01-01T00:02:00Z"); err != nil && (p.paid > 0 || told) {
		return t.unlessLied(err)
	}
	return p.settle(t, told, &first)
}

// settle sends the payment again, at once and when a claim's lease is over.
func (p *payment) settle(t *trace, told bool, first *answer) error {
	var retry, last answer
	for _, sent := range []struct {
		at     string
		answer *answer
	}{{"00:01:10", &retry}, {"00:01:40", &last}} {
		out, err := p.do(send(sent.at)...)
		if err == nil {
			err = json.Unmarshal([]byte(out), sent.answer)
		}
		if err != nil {
			return t.unlessLied(err)
		}
	}
	switch {
	case told && (!retry.Replay || string(retry.Body) != string(first.Body)):
		return t.noticed(fmt.Errorf("it was told %s and then %d %s", first.Body, retry.Status, retry.Body))
	case last.Status != 201 || retry.Status == 201 && string(retry.Body) != string(last.Body) || retry.Status != 201 && retry.Status != 409:
		return t.noticed(fmt.Errorf("retries are answered %d %s and %d %s", retry.Status, retry.Body, last.Status, last.Body))
	}
	if _, err := p.do("verify", "bank.db", "--now", "2026-01-01T00:02:00Z"); err != nil {
		return t.unlessLied(err)
	}
	return t.noticed(moved(p.path("bank.db"), p.paid+1))
}

// moved checks the sum: n payments, no more and no less.
func moved(path string, n int) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	var transfers, balance int
	err = db.QueryRow("SELECT (SELECT count(*) FROM transfer), (SELECT balance FROM account WHERE acct_id = 'B')").Scan(&transfers, &balance)
	if err == nil && (transfers != n || balance != n*amount) {
		err = fmt.Errorf("%d payments were told, %d transfers made, and %d received", n, transfers, balance)
	}
	return err
}

// unlessLied is an error that is one, unless the disk lied: then to be told of
// it is all that can be asked.
func (t *trace) unlessLied(err error) error {
	if t.fault != nil && t.fault.lost {
		return nil
	}
	return err
}

// noticed is an error of what nobody told of.
func (t *trace) noticed(err error) error {
	if err != nil && t.fault != nil && t.fault.lost {
		return fmt.Errorf("%w: %w", errUnnoted, err)
	}
	return err
}
