package main

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite"
)

// state is what a database says durably.
type state struct {
	rows map[string]row // by key
	// What the tables add up to.
	transfers, tied, paid, left int
	// torn is set where the log ends with a transaction that was not committed.
	torn bool
}

// row is a key's record, with the transfer of its life.
type row struct {
	completed               bool
	fence, lease, status    int64
	attempt                 int
	body, transfer, movable string // movable is the transfer's src, dst and amount
}

// makeBank makes a database with the money for n payments.
func makeBank(path string, n int) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(fmt.Sprintf("CREATE TABLE account (acct_id, holder, balance); INSERT INTO account VALUES ('A', 'a', %d), ('B', 'b', 0)", n*amount))
	return err
}

// read reads the state from a copy: SQLite recovers what it opens, and recovering
// is the part of the program under test. Nobody writes meanwhile.
func (r *rig) read(path string) (s state, err error) {
	copied := filepath.Join(r.dir, "copy.db")
	for _, tail := range []string{"", "-wal", "-journal"} {
		if err := errors.Join(remove(copied+tail), copyFile(path+tail, copied+tail)); err != nil {
			return s, err
		}
	}
	s.torn = endsUncommitted(contents(copied + "-wal"))
	db, err := sql.Open("sqlite", copied+"?_pragma=synchronous(off)")
	if err != nil {
		return s, err
	}
	defer db.Close()
	err = s.query(db)
	return s, err
}

func remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

func (s *state) query(db *sql.DB) error {
	s.rows = map[string]row{}
	err := db.QueryRow("SELECT (SELECT balance FROM account WHERE acct_id = 'B'), (SELECT balance FROM account WHERE acct_id = 'A')").Scan(&s.paid, &s.left)
	if err != nil {
		return err
	}
	var tables int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name IN ('idempotency_key', 'transfer', 'transfer_claim')").Scan(&tables); err != nil || tables == 0 {
		return err // killed before the tables were made
	}
	if err := db.QueryRow("SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM transfer_claim)").Scan(&s.transfers, &s.tied); err != nil {
		return err
	}
	found, err := db.Query(`SELECT idem_key, state = 'completed', k.fence, attempt, lease_until, coalesce(status, 0), coalesce(body, ''),
		coalesce(transfer_id, ''), coalesce(src || dst || amount, '')
		FROM idempotency_key k LEFT JOIN transfer_claim USING (life) LEFT JOIN transfer USING (transfer_id)`)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var k string
		var w row
		if err := found.Scan(&k, &w.completed, &w.fence, &w.attempt, &w.lease, &w.status, &w.body, &w.transfer, &w.movable); err != nil {
			return err
		}
		s.rows[k] = w
	}
	return found.Err()
}

// follows is an error where a state cannot come after another one, or contradicts
// itself or what clients were told. sent are the keys that clients sent in between.
func (s *state) follows(before *state, sent map[string]bool, told map[string]string) error {
	completed := 0
	for k, now := range s.rows {
		if err := now.follows(before.rows[k], sent[k]); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
		if now.completed {
			completed++
		}
	}
	for k := range before.rows {
		if _, there := s.rows[k]; !there {
			return fmt.Errorf("%s is gone", k)
		}
	}
	for k, text := range told {
		if now := s.rows[k]; !now.completed || now.body != text {
			return fmt.Errorf("%s was answered %s and is %+v", k, text, now)
		}
	}
	whole := before.paid + before.left
	if s.transfers != completed || s.tied != completed || s.paid != completed*amount || s.paid+s.left != whole {
		return fmt.Errorf("%d keys are completed, and there are %d transfers of which %d belong to a key; %d was paid and %d is left of %d",
			completed, s.transfers, s.tied, s.paid, s.left, whole)
	}
	return nil
}

// follows judges one key. A zero before is that of a key that was not there.
func (w row) follows(before row, sent bool) error {
	moved := fmt.Sprint("AB", amount)
	switch {
	case w == before:
		return nil
	case !sent:
		return fmt.Errorf("nobody sent it, it was %+v and is %+v", before, w)
	case before.completed || w.fence < before.fence:
		return fmt.Errorf("it was %+v and is %+v", before, w)
	case w.completed && (w.status != 201 || w.transfer == "" || w.movable != moved || !strings.Contains(w.body, w.transfer)):
		return fmt.Errorf("it is completed without its transfer: %+v", w)
	case !w.completed && w.transfer != "":
		return fmt.Errorf("it is in progress and has paid: %+v", w)
	}
	return nil
}

// endsUncommitted reports whether a log's last frame of the present round is of a
// transaction whose last one is missing. The format is that of
// https://sqlite.org/fileformat2.html#walformat.
func endsUncommitted(log []byte) bool {
	const header, frameHeader = 32, 24
	if len(log) < header {
		return false
	}
	page := int(binary.BigEndian.Uint32(log[8:]))
	salt := string(log[16:24])
	open := false
	for at := header; at+frameHeader <= len(log); at += frameHeader + page {
		if string(log[at+8:at+16]) != salt {
			break
		}
		open = binary.BigEndian.Uint32(log[at+4:]) == 0 || at+frameHeader+page > len(log)
	}
	return open
}
