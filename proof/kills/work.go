package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"idem/engine/fault"
)

// atWork kills a purge, a replay and an import in the middle of their work. Each
// leaves what was there before or what it makes, and can be done again.
func (r *rig) atWork(faulty string) error {
	for name, work := range map[string]func(string) error{"purge": r.atPurge, "replay": r.atExport, "import": r.atImport} {
		if err := work(faulty); err != nil {
			return fmt.Errorf("killed in a %s: %w", name, err)
		}
	}
	return nil
}

// atPurge: what it had deleted is there yet, as nothing was committed.
func (r *rig) atPurge(faulty string) error {
	db := filepath.Join(r.dir, "points.db")
	for _, place := range []string{fault.InPurge, fault.BeforeCommit, fault.AfterCommit} {
		purge := []string{"api", "--db", db, "--purge-before", "2026-01-01T12:00:00Z", "--now", "2026-01-02T00:00:00Z"}
		if err := r.dies(faulty, place, 1, purge...); err != nil {
			return err
		}
		if err := r.audit(db); err != nil {
			return err
		}
		r.tally[faultPoints]++
	}
	out, err := r.do("api", "--db", db, "--purge-before", "2026-01-01T12:00:00Z")
	if err == nil && out != "{\"purged\":0}\n" {
		err = fmt.Errorf("after the commit of a purge another one says %s", out)
	}
	return err
}

// atExport: the report's files are whole or not there, before each gets its name
// and after the last.
func (r *rig) atExport(faulty string) error {
	day, want := filepath.Join(r.dir, "small.db"), filepath.Join(r.dir, "small")
	if _, err := r.do("gen", "--out", day); err != nil {
		return err
	}
	if _, err := r.do("replay", day, "--out", want); err != nil {
		return err
	}
	for named := range len(evidence) + 2 {
		out := filepath.Join(r.dir, fmt.Sprint("small", named))
		if err := r.dies(faulty, fault.InExport, named+1, "replay", day, "--out", out); err != nil {
			return err
		}
		if there, err := wholeFiles(out, want); err != nil || there != max(0, named-1) { // day.db comes first
			return fmt.Errorf("%d of the files are there, want %d: %w", there, named-1, err)
		}
		if _, err := r.do("replay", day, "--out", out); err != nil {
			return err
		}
		if there, err := wholeFiles(out, want); err != nil || there != len(evidence) {
			return fmt.Errorf("after another replay %d of the files are there: %w", there, err)
		}
		r.tally[faultPoints]++
	}
	return nil
}

// atImport: the incident is not there, and nothing stands in another import's way.
func (r *rig) atImport(faulty string) error {
	log, ledger, out := filepath.Join(r.dir, "log.csv"), filepath.Join(r.dir, "ledger.csv"), filepath.Join(r.dir, "imported.db")
	texts := map[string]string{
		log:    "received_at,client_id,endpoint,idem_key,body,status\n2026-01-01T00:00:00Z,c,/t,k,\"{\"\"amount\"\":7}\",201\n",
		ledger: "transfer_id,seq,idem_key,src,dst,amount,currency,created_at\nT1,1,k,A,B,7,KRW,2026-01-01T00:00:01Z\n",
	}
	for path, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	args := []string{"import", "--requests", log, "--transfers", ledger, "--out", out, "--amount-unit", "minor", "--body-amount-unit", "minor"}
	if err := r.dies(faulty, fault.InImport, 1, args...); err != nil {
		return err
	}
	if exists(out) {
		return fmt.Errorf("the incident has its name already")
	}
	if _, err := r.do(args...); err != nil {
		return err
	}
	before := contents(out)
	if err := r.dies(faulty, fault.InImport, 1, append(args, "--force")...); err != nil {
		return err
	}
	if !bytes.Equal(contents(out), before) {
		return fmt.Errorf("the incident that was there is another one")
	}
	r.tally[faultPoints] += 2
	return nil
}
