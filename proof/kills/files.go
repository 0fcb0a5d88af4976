package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// files kills a generation or an import n times. What it makes is whole or absent,
// what it replaces is the old one or the new one, and nothing that is left stands
// in the way of the next, which sweeps it.
func (r *rig) files(n int) error {
	makers, err := r.makers()
	if err != nil {
		return err
	}
	for i := 0; r.tally[files] < n; i++ {
		if err := r.file(makers[i%len(makers)]); err != nil {
			return fmt.Errorf("after %d kills: %w", r.tally[files], err)
		}
	}
	return nil
}

// maker is a command that makes a file, which is the same bytes each time.
type maker struct {
	args []string
	out  string
	want []byte
	life time.Duration
}

func (r *rig) makers() ([]*maker, error) {
	day, imported := filepath.Join(r.dir, "made", "day.db"), filepath.Join(r.dir, "made", "imported.db")
	if err := os.Mkdir(filepath.Dir(day), 0o700); err != nil {
		return nil, err
	}
	log, ledger, err := r.export(2000)
	if err != nil {
		return nil, err
	}
	list := []*maker{
		{args: []string{"gen", "--out", day, "--requests", "2000", "--keys", "1800"}, out: day},
		{args: []string{"import", "--requests", log, "--transfers", ledger, "--out", imported, "--amount-unit", "minor", "--body-amount-unit", "minor"}, out: imported},
	}
	for _, m := range list {
		began := time.Now()
		if _, err := r.do(m.args...); err != nil {
			return nil, err
		}
		m.life, m.want = time.Since(began), contents(m.out)
	}
	return list, nil
}

// export writes a log and a ledger of n payments, to import.
func (r *rig) export(n int) (log, ledger string, err error) {
	log, ledger = filepath.Join(r.dir, "log.csv"), filepath.Join(r.dir, "ledger.csv")
	var sent, paid strings.Builder
	sent.WriteString("received_at,client_id,endpoint,idem_key,body,status\n")
	paid.WriteString("transfer_id,seq,idem_key,src,dst,amount,currency,created_at\n")
	for i := range n {
		at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
		fmt.Fprintf(&sent, "%s,c,/t,k%d,\"{\"\"amount\"\":7}\",201\n", at, i)
		fmt.Fprintf(&paid, "T%d,%d,k%d,A,B,7,KRW,%s\n", i, i+1, i, at)
	}
	if err := os.WriteFile(log, []byte(sent.String()), 0o600); err != nil {
		return "", "", err
	}
	return log, ledger, os.WriteFile(ledger, []byte(paid.String()), 0o600)
}

// nothing is an error where a killed process left something that a later one of its
// kind did not remove.
func nothing(pattern string) error {
	left, err := filepath.Glob(pattern)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%v is left behind", left)
	}
	return err
}

func (r *rig) file(m *maker) error {
	args := m.args
	if r.random.IntN(2) == 0 {
		args = append([]string{}, append(m.args, "--force")...)
	} else if err := os.Remove(m.out); err != nil {
		return err
	}
	old := exists(m.out)
	_, _, landed, err := r.killed("", r.within(m.life+m.life/4), args...)
	if err != nil {
		return err
	}
	if landed {
		r.tally[files]++
	}
	if there := exists(m.out); there && !bytes.Equal(contents(m.out), m.want) || old && !there {
		return fmt.Errorf("%s: it is there %v, and was %v, and is not what another run makes", filepath.Base(m.out), there, old)
	}
	if _, err := r.do(append(append([]string{}, m.args...), "--force")...); err != nil {
		return fmt.Errorf("after the kill: %w", err)
	}
	if !bytes.Equal(contents(m.out), m.want) {
		return fmt.Errorf("%s is not what another run makes", filepath.Base(m.out))
	}
	return nothing(filepath.Join(filepath.Dir(m.out), ".*"))
}
