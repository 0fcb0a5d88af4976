package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"idem/analysis"
	"idem/analysis/ingest/tables"
	"idem/engine/durable"
	"idem/engine/fault"
	"idem/engine/sqlitestore/sqlfile"
)

// ErrExists: the file to make is there already.
var ErrExists = errors.New("the file exists already")

// siblings are the files SQLite keeps beside a database. A stale one would be
// played into a new file of the same name.
var siblings = []string{"-wal", "-shm", "-journal"}

// unfinished is how the folder begins in which a file is made, beside its name.
const unfinished = ".idem-unfinished-"

// placed fills an empty file by make and gives it its name last, so that it
// appears whole or not at all. A dry run throws it away.
func placed(o Options, make func(tmp string) error) error {
	dir := filepath.Dir(o.Out)
	if o.DryRun {
		dir = ""
	} else if err := vacant(o); err != nil {
		return err
	}
	dir, done, err := durable.Private(dir, unfinished)
	switch {
	case err != nil && o.DryRun:
		return fmt.Errorf("there is no place for temporary files; set TMPDIR to another one: %w", err)
	case err != nil:
		return fmt.Errorf("create incident: %w", durable.Named(err, "", o.Out))
	}
	defer func() { _ = done() }() // what stays goes with the next run
	tmp := filepath.Join(dir, "incident.db")
	if err := os.WriteFile(tmp, nil, 0o600); err != nil {
		return fmt.Errorf("create incident: %w", durable.Named(err, tmp, o.Out))
	}
	err = make(tmp)
	switch {
	case o.DryRun:
		return analysis.TempError(err)
	case err != nil:
		return noRoom(durable.Named(err, tmp, o.Out), o.Out)
	}
	if err := synced(tmp); err != nil {
		return fmt.Errorf("create incident: %w", durable.Named(err, tmp, o.Out))
	}
	if err := fault.Point(fault.InImport); err != nil {
		return err
	}
	if err := takeName(tmp, o); err != nil {
		return err
	}
	return durable.Folder(filepath.Dir(o.Out))
}

// noRoom names the file where SQLite found that its disk is full.
func noRoom(err error, path string) error {
	var e *sqlfile.Error
	if errors.As(err, &e) && e.Primary() == sqlfile.Full {
		return fmt.Errorf("create incident %s: %w; make room there or name another place", path, err)
	}
	return err
}

func vacant(o Options) error {
	if o.Out == "" {
		return usage("no file was named to write the incident to")
	}
	for _, list := range [][]string{o.Requests, o.Transfers, o.Accounts} {
		for _, path := range list {
			if same(tables.File(path), o.Out) {
				return usage("%s is one of the files to import; it is never overwritten", o.Out)
			}
		}
	}
	if _, err := os.Lstat(o.Out); err == nil && !o.Force {
		return fmt.Errorf("%s: %w", o.Out, ErrExists)
	}
	// A device or a pipe would be gone once another file has taken its name.
	if info, err := os.Stat(o.Out); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("create incident: %s is not a regular file; name another", o.Out)
	}
	return nil
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func synced(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, f.Close())
}

// takeName gives tmp its name. A hard link fails where the name was taken
// meanwhile, which a rename would not; where links are unknown a rename must do.
func takeName(tmp string, o Options) error {
	if !o.Force {
		err := os.Link(tmp, o.Out)
		if err == nil {
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w", o.Out, ErrExists)
		}
	}
	for _, s := range siblings {
		if err := os.Remove(o.Out + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove stale sibling: %w", err)
		}
	}
	if err := os.Rename(tmp, o.Out); err != nil {
		return fmt.Errorf("create incident: %w", durable.Named(err, tmp, o.Out))
	}
	return nil
}
