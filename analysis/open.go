package analysis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"idem/engine/sqlitestore/sqlfile"
)

// File is one SQLite database that is read and never touched. It holds no lock
// and no cursor between calls, but keeps open what it reads, so that this is what
// was opened whatever becomes of the path.
type File struct {
	path     string       // as given
	resolved string       // with symbolic links followed, as SQLite does
	reads    *pinned      // the original, or a private copy of it
	private  bool         // a copy is read
	folder   string       // of the copy, where it still has a name
	discard  func() error // removes the folder
	state    state        // of the original when it was opened
	sums     []string     // SHA-256 of what was copied, by siblings
}

// Incident is one incident database, opened for reading. Its methods may run at
// the same time.
type Incident struct {
	File
	tables     []table
	passRows   int64 // see the constant
	clustering clustering
	density    density
	whole      *Incident // that this is a part of, nil where it is none
	narrowing  Narrowing
}

// An Option changes how Open works.
type Option func(*options)

type options struct {
	copied   bool
	lockWait time.Duration
	tempDir  string
	hold     int64
}

// LockWait is how long Open waits for a process that keeps the file locked;
// 3 seconds unless told.
func LockWait(d time.Duration) Option { return func(o *options) { o.lockWait = d } }

// Copied reads a private copy also where the file could be read in place: for a
// file that was found to change while it was read.
func Copied() Option { return func(o *options) { o.copied = true } }

// Hold is up to which size, in bytes, a file is held in memory, so that nothing
// done to it later matters; 16 MiB unless told.
func Hold(bytes int64) Option { return func(o *options) { o.hold = bytes } }

// TempDir is where private copies are made; os.TempDir unless told.
func TempDir(dir string) Option { return func(o *options) { o.tempDir = dir } }

// Open opens the incident database at path without touching it; see [OpenFile].
// Close it.
func Open(ctx context.Context, path string, opts ...Option) (*Incident, error) {
	in := &Incident{File: File{path: path}, passRows: passRows}
	if err := in.open(ctx, opts); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func (in *Incident) open(ctx context.Context, opts []Option) error {
	if err := in.File.open(ctx, opts); err != nil {
		return err
	}
	return in.understand(ctx)
}

// understand finds the tables and how they are read.
func (in *Incident) understand(ctx context.Context) error {
	db, err := in.connect()
	if err != nil {
		return err
	}
	defer db.Close()
	if in.tables, err = resolve(ctx, db, in.path); err != nil {
		return err
	}
	for _, t := range []struct{ table, seq int }{{requestTable, rSeq}, {transferTable, tSeq}} {
		if err := in.tables[t.table].order(ctx, db, t.seq); err != nil {
			return readError(in.path, err)
		}
	}
	return nil
}

// OpenFile opens the database at path without touching it: nothing is written,
// created or left beside it, whatever its journal mode.
//
// A file at rest is read in place, as immutable. Where rows are still in its
// write-ahead log, or a transaction was cut off, an immutable read would give
// wrong rows: then a private copy of the file and its log is read instead. Either
// way it is what was opened that is read, also after the path has come to lead to
// another file or to none. Where the file itself was written to, later reads are
// an ErrChanged, but for one that is small enough to be held in memory.
// Errors are ErrUnreadable; ErrLocked after the wait for a lock. Close it.
func OpenFile(ctx context.Context, path string, opts ...Option) (*File, error) {
	f := &File{path: path}
	if err := f.open(ctx, opts); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) open(ctx context.Context, opts []Option) error {
	o := options{lockWait: 3 * time.Second, hold: heldBytes}
	for _, opt := range opts {
		opt(&o)
	}
	var err error
	if f.resolved, err = filepath.EvalSymlinks(f.path); err != nil {
		return fileError(f.path, err)
	}
	if f.resolved, err = filepath.Abs(f.resolved); err != nil {
		return fileError(f.path, err)
	}
	return f.acquire(ctx, o)
}

// Close closes what is read, and removes the private copy, if there is one.
func (f *File) Close() error {
	if f.reads != nil {
		f.reads.file.Close() // nothing was written, so nothing can be lost
	}
	if f.folder == "" {
		return nil
	}
	f.folder = ""
	return f.discard()
}

// Path is the path as it was given to Open.
func (f *File) Path() string { return f.path }

// Private reports whether a private copy is read, because the file's last
// rows were in its write-ahead log or journal.
func (f *File) Private() bool { return f.private }

// Connect opens a connection to the file for one reader, who closes it before
// the File. Errors are ErrUnreadable.
func (f *File) Connect() (*sqlfile.DB, error) { return f.connect() }

// connect opens the file for one reader. SQLite neither locks it nor looks for its
// siblings, which is right for both: the original was found at rest, and the copy
// has no other reader. A schema is input too: it must not call functions with side
// effects.
func (f *File) connect() (*sqlfile.DB, error) {
	db, err := sqlfile.OpenAt(f.reads, f.reads.was.size)
	if err != nil {
		return nil, readError(f.path, err)
	}
	if err := db.Exec(context.Background(), "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON"); err != nil {
		db.Close()
		return nil, readError(f.path, err)
	}
	return db, nil
}

// fileError explains why the file cannot even be looked at.
func fileError(path string, err error) error {
	switch {
	case errors.Is(err, ErrUnreadable):
		return err // and explained already
	case errors.Is(err, fs.ErrNotExist):
		return unreadable(path, nil, "there is no such file%s; name one that is there", lookedFor(path))
	case errors.Is(err, fs.ErrPermission):
		return unreadable(path, nil, "permission denied; its owner can allow reading it")
	}
	return unreadable(path, err, "it cannot be read")
}

// lookedFor says where a name that is not absolute was looked for.
func lookedFor(path string) string {
	if filepath.IsAbs(path) {
		return ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return " in " + strconv.Quote(dir)
}

// check looks at the file's kind and header, which tells more than SQLite's
// own "file is not a database".
func (f *File) check() error {
	path := f.path
	info, err := os.Stat(f.resolved)
	switch {
	case err != nil:
		return fileError(path, err)
	case info.IsDir():
		return unreadable(path, nil, "it is a directory; name a database in it")
	case !info.Mode().IsRegular():
		return unreadable(path, nil, "it is not a regular file; copy what it gives into one")
	case info.Size() == 0:
		return unreadable(path, nil, "it is empty; copy it again from where it comes from")
	}
	file, err := os.Open(f.resolved)
	if err != nil {
		return fileError(path, err)
	}
	defer file.Close()
	var head [100]byte
	if n, err := file.ReadAt(head[:], 0); err != nil && n < len(head) {
		return unreadable(path, nil, "it is no SQLite database: too short; copy it again from where it comes from")
	}
	size := info.Size()
	if hot(f.resolved+"-journal") || sizeOf(f.resolved+"-wal") > 0 {
		// A journal and a log know the size that the file will have, where one that
		// was cut off has written the first pages only; SQLite judges the copy.
		size = math.MaxInt64
	}
	if reason := head100(head).wrong(size); reason != "" {
		return unreadable(path, nil, "%s", reason)
	}
	return nil
}

// noDatabase says what may be done with a file of another kind.
const noDatabase = "it is no SQLite database, or an encrypted one; make one of a log or an export with idem import, or decrypt it"

// head100 is the header of an SQLite file, https://www.sqlite.org/fileformat2.html#the_database_header.
type head100 [100]byte

func (h head100) wrong(size int64) string {
	if string(h[:16]) != "SQLite format 3\x00" {
		return noDatabase
	}
	be32 := func(i int) int64 {
		return int64(h[i])<<24 | int64(h[i+1])<<16 | int64(h[i+2])<<8 | int64(h[i+3])
	}
	page := int64(h[16])<<8 | int64(h[17])
	if page == 1 {
		page = 65_536
	}
	// The page count is valid only where both change counters agree.
	if want := be32(28) * page; be32(24) == be32(92) && size < want {
		return fmt.Sprintf("it is cut short: %d bytes of %d are there; copy it again from where it comes from", size, want)
	}
	return ""
}
