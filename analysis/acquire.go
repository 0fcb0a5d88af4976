package analysis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"idem/engine/sqlitestore/sqlfile"
)

// Waiting for another process: how often its lock is looked at again.
const lockPoll = 25 * time.Millisecond

// acquire decides which file is read. The original is read in place where its
// main file alone holds every committed row. A write-ahead log that is not
// empty, or the journal of a transaction that was cut off, is part of the
// database: then both are copied, and SQLite recovers the copy.
func (f *File) acquire(ctx context.Context, o options) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.unlocked(ctx, o.lockWait); err != nil {
		return err
	}
	var err error
	if f.reads, err = pin(f.resolved, f.path, o.hold); err != nil {
		return fileError(f.path, err)
	}
	if f.state, err = look(f.resolved); err != nil {
		return fileError(f.path, err)
	}
	if !f.state.main.same(f.reads.was) {
		return f.reads.changed(nil) // its siblings belong to another file
	}
	if err := f.ownLog(); err != nil {
		return err
	}
	if !o.copied && f.state.wal.size == 0 && !hot(f.resolved+"-journal") {
		return nil
	}
	f.reads.file.Close()
	return f.copyPrivately(ctx, o)
}

// unlocked waits until no other process keeps readers out. A transaction that
// is being committed takes milliseconds; a lock that stays is told.
func (f *File) unlocked(ctx context.Context, wait time.Duration) error {
	file, err := os.Open(f.resolved)
	if err != nil {
		return fileError(f.path, err)
	}
	defer file.Close()
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		pid, locked := lockHolder(file)
		if !locked {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timeout.C:
			return lockedError(f.path, pid)
		case <-time.After(lockPoll):
		}
	}
}

func lockedError(path string, pid int) error {
	who := "another process"
	if pid > 0 {
		who = fmt.Sprintf("process %d", pid)
		if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil {
			who += fmt.Sprintf(" (%q)", strings.TrimSpace(string(name)))
		}
	}
	return &InputError{
		Path: path, PID: max(pid, 0), kind: ErrLocked,
		Reason: who + " has it locked for writing; end its transaction, or analyse a copy",
	}
}

// hot reports whether a rollback journal may have to be played back: it is
// not empty and its header was not cleared, as a committed one is.
func hot(journal string) bool {
	f, err := os.Open(journal)
	if err != nil {
		return false
	}
	defer f.Close()
	var first [1]byte
	n, _ := f.Read(first[:])
	return n == 1 && first[0] != 0
}

// Copying a database that is being written: attempts, and the pause before the
// second one, which doubles each time.
const (
	copyAttempts = 8
	copyPause    = 20 * time.Millisecond
)

// copyPrivately copies the database with its log and journal into a folder of
// its own, again until none of them changed meanwhile, and recovers the copy.
func (f *File) copyPrivately(ctx context.Context, o options) error {
	var err error
	if f.folder, f.discard, err = PrivateDir(o.tempDir); err != nil {
		return fmt.Errorf("make a private copy: %w", err)
	}
	target := filepath.Join(f.folder, "incident.db")
	pause := copyPause
	for range copyAttempts {
		if err := f.unlocked(ctx, o.lockWait); err != nil {
			return err
		}
		whole, err := f.copyOnce(ctx, target)
		if err != nil {
			return err
		}
		if whole {
			if err := f.recover(ctx, target); err != nil {
				return err
			}
			return f.readCopy(target, o.hold)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
			pause *= 2
		}
	}
	return &InputError{
		Path: f.path, kind: ErrChanged,
		Reason: "it is being written all the time; stop the writer, or analyse a backup",
	}
}

// recover lets SQLite bring the copy into one file: leaving WAL mode moves the
// rows of the log into it, and opening it plays a hot journal back.
func (f *File) recover(ctx context.Context, copied string) error {
	db, err := sqlfile.Open(sqlfile.URI(copied), sqlfile.ReadWrite)
	if err != nil {
		return readError(f.path, err)
	}
	defer db.Close()
	return readError(f.path, db.Exec(ctx, "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = DELETE; SELECT count(*) FROM sqlite_schema"))
}

// readCopy reads a copy, in the folder that was made for it. Its name is taken away
// where an open file needs none, so that it is gone with the process, however that
// ends.
func (f *File) readCopy(name string, hold int64) (err error) {
	if f.reads, err = pin(name, f.path, hold); err != nil {
		return fmt.Errorf("read a private copy: %w", err)
	}
	f.private = true
	if f.discard() == nil {
		f.folder = ""
	}
	return nil
}

// sizeOf is 0 for a file that is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
