package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite"

	"idem/analysis"
	"idem/analysis/verify"
	"idem/engine/sqlitestore"
)

func makeBank(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("CREATE TABLE account (acct_id, holder, balance); INSERT INTO account VALUES ('A', 'a', 1000000), ('B', 'b', 0)")
	return err
}

// payments judges a payment database by what its clients had been told: it can be
// used, its audit finds nothing, and each payment that was acknowledged is there
// with its answer.
func payments(dir string, told [][]byte) error {
	path := filepath.Join(dir, "pay.db")
	want := acknowledged(told)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return missing(len(want), len(want))
	}
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, path, sqlitestore.Options{})
	if err != nil {
		return fmt.Errorf("the next server cannot use the file: %w", err)
	}
	if err := store.Close(); err != nil {
		return err
	}
	if err := audit(ctx, path); err != nil {
		return err
	}
	stored, err := storedAnswers(ctx, path)
	if err != nil {
		return err
	}
	lost := 0
	for _, body := range want {
		if !stored[body] {
			lost++
		}
	}
	return missing(lost, len(want))
}

// errLost: payments that were acknowledged are not there.
var errLost = errors.New("acknowledged payments are lost")

func missing(lost, of int) error {
	if lost == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d", errLost, lost, of)
}

// acknowledged are the bodies of the successes that were told.
func acknowledged(told [][]byte) (bodies []string) {
	for _, text := range told {
		if head, body, ok := bytes.Cut(text, []byte("\r\n\r\n")); ok && bytes.HasPrefix(head, []byte("HTTP/1.1 201")) {
			bodies = append(bodies, string(body))
			continue
		}
		var a struct {
			Status int
			Body   json.RawMessage
		}
		if json.Unmarshal(text, &a) == nil && a.Status == 201 {
			bodies = append(bodies, string(a.Body))
		}
	}
	return bodies
}

func audit(ctx context.Context, path string) error {
	f, err := analysis.OpenFile(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	report, err := verify.Ledger(ctx, f, verify.Options{Now: time.Now()})
	if err != nil {
		return err
	}
	for _, c := range report.Checks {
		if !c.Holds() {
			return fmt.Errorf("the audit finds %s: %+v", c.Name, c.Violations)
		}
	}
	return nil
}

// storedAnswers are the transfers that are there, as their clients were told of
// them. A key may have been purged; its transfer never is.
func storedAnswers(ctx context.Context, path string) (map[string]bool, error) {
	f, err := analysis.OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	db, err := f.Connect()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query(ctx, "SELECT transfer_id, src, dst, amount, currency, created_at FROM transfer")
	if err != nil {
		return nil, err
	}
	stored := map[string]bool{}
	for rows.Next() {
		text := fmt.Sprintf(`{"transfer_id":%q,"src":%q,"dst":%q,"amount":%d,"currency":%q,"created_at":%q}`,
			rows.String(0), rows.String(1), rows.String(2), rows.Int(3), rows.String(4), rows.String(5))
		stored[text] = true
	}
	return stored, rows.Close()
}

// versions are what the files of a film were when a command was done, the first
// before any was.
type versions []map[string][]byte

// versionsOf shows a film to its end and keeps what was there at each "done".
func versionsOf(f *film) versions {
	d := newDisk(f.root, f.before)
	list := versions{{}}
	for _, e := range f.events {
		if e.do != nil {
			e.do(d)
		}
		if !bytes.HasPrefix(e.told, []byte("done ")) {
			continue
		}
		files := map[string][]byte{}
		for path, n := range d.names {
			if !n.dir {
				files[strings.TrimPrefix(path, f.root+"/")] = n.content()
			}
		}
		list = append(list, files)
	}
	return list
}

// done counts the commands that were.
func done(told [][]byte) (n int) {
	for _, text := range told {
		if bytes.HasPrefix(text, []byte("done ")) {
			n++
		}
	}
	return n
}

// judge: a file is what it was when the last command was done, or what the
// command that ran was to make of it.
func (v versions) judge(dir string, told [][]byte) error {
	n := done(told)
	was, becomes := v[n], v[min(n+1, len(v)-1)]
	names := maps.Clone(was)
	maps.Copy(names, becomes)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		hidden := strings.Contains("/"+name, "/.") // what is unfinished has no name of its own
		if err == nil && !e.IsDir() && !hidden && names[name] == nil {
			err = fmt.Errorf("%s is there, and nobody made it", name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		_, must := was[name]
		switch {
		case errors.Is(err, fs.ErrNotExist) && must:
			return fmt.Errorf("%s was made and is not there", name)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !bytes.Equal(data, was[name]) && !bytes.Equal(data, becomes[name]):
			return fmt.Errorf("%s is neither the old nor the new file: %d bytes", name, len(data))
		}
	}
	return nil
}
