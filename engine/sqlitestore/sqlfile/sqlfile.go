// Package sqlfile is a narrow door to SQLite for bulk work: it steps through
// rows without copying a value and inserts rows without allocating one.
//
// An incident of a million rows is read in one pass, and database/sql would
// spend more time boxing each cell than SQLite spends finding it. A DB and its
// statements belong to one goroutine at a time; open one DB for each worker.
package sqlfile

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Mode says what a DB may do with its file.
type Mode int32

// The modes of Open.
const (
	ReadOnly  Mode = sqlite3.SQLITE_OPEN_READONLY
	ReadWrite Mode = sqlite3.SQLITE_OPEN_READWRITE
	Create    Mode = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE
)

// Error is a failure of SQLite. Code is its extended result code.
type Error struct {
	Code    int
	Message string
}

// Primary is the primary result code: Corrupt, NotADB, Busy and so on.
func (e *Error) Primary() int { return e.Code & 0xff }

func (e *Error) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.Message, e.Code) }

// Primary result codes that callers tell apart.
const (
	Busy      = sqlite3.SQLITE_BUSY
	IOErr     = sqlite3.SQLITE_IOERR
	Corrupt   = sqlite3.SQLITE_CORRUPT
	CantOpen  = sqlite3.SQLITE_CANTOPEN
	NotADB    = sqlite3.SQLITE_NOTADB
	Full      = sqlite3.SQLITE_FULL
	Interrupt = sqlite3.SQLITE_INTERRUPT
)

// DB is one connection.
type DB struct {
	tls *libc.TLS
	db  uintptr
	// word is room for one pointer, for the out-parameters of the C interface.
	word uintptr
	from *contents // that OpenAt was given
}

// URI is the "file:" form of path, with every byte escaped that would end the
// name or begin a query, so that a path is opened and no other. Parameters
// such as "immutable=1" are joined after it.
func URI(path string, params ...string) string {
	var b strings.Builder
	b.WriteString("file:")
	for i := range len(path) {
		if c := path[i]; plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if len(params) > 0 {
		b.WriteString("?" + strings.Join(params, "&"))
	}
	return b.String()
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("/._-~", c) >= 0
}

// Open opens name, a URI or ":memory:". SQLite reads the file only when the
// first statement is prepared, so a file that is no database fails there.
func Open(name string, mode Mode) (*DB, error) {
	return openIn(0, name, int32(mode)|sqlite3.SQLITE_OPEN_URI, nil)
}

// openIn opens name in a file system, 0 for the one of the machine.
func openIn(vfs uintptr, name string, flags int32, from *contents) (*DB, error) {
	d := &DB{tls: libc.NewTLS(), from: from}
	if d.word = libc.Xmalloc(d.tls, 8); d.word == 0 {
		d.tls.Close()
		return nil, errMemory
	}
	cname, err := libc.CString(name)
	if err != nil {
		d.Close()
		return nil, err
	}
	defer libc.Xfree(d.tls, cname)
	flags |= sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE
	rc := sqlite3.Xsqlite3_open_v2(d.tls, cname, d.word, flags, vfs)
	d.db = *(*uintptr)(pointer(d.word))
	if rc != sqlite3.SQLITE_OK {
		err := d.fail(context.Background(), rc)
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close releases the connection. Statements must have been closed before.
func (d *DB) Close() error {
	if d.tls == nil {
		return nil
	}
	rc := sqlite3.Xsqlite3_close_v2(d.tls, d.db)
	libc.Xfree(d.tls, d.word)
	d.tls.Close()
	d.tls = nil
	if d.from != nil {
		opened.Delete(d.from.number)
	}
	if rc != sqlite3.SQLITE_OK {
		return &Error{Code: int(rc), Message: "close"}
	}
	return nil
}

// ReadOnly reports whether the file can only be read, whatever the mode asked
// for: SQLite opens one that must not be written so, and says nothing.
func (d *DB) ReadOnly() bool { return sqlite3.Xsqlite3_db_readonly(d.tls, d.db, 0) == 1 }

// Exec runs statements separated by semicolons and drops their rows.
func (d *DB) Exec(ctx context.Context, sql string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	csql, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(d.tls, csql)
	defer d.interruptOn(ctx)()
	if rc := sqlite3.Xsqlite3_exec(d.tls, d.db, csql, 0, 0, 0); rc != sqlite3.SQLITE_OK {
		return d.fail(ctx, rc)
	}
	return nil
}

// Changes is how many rows the latest INSERT, UPDATE or DELETE changed.
func (d *DB) Changes() int64 { return sqlite3.Xsqlite3_changes64(d.tls, d.db) }

// interruptAgain is how soon an interrupt is repeated. SQLite forgets one that
// comes while no statement is in a step, so a single one could miss a statement
// that is about to begin.
const interruptAgain = 2 * time.Millisecond

// interruptOn makes the end of ctx end the statement that is running. The
// returned function lifts that again, and waits for an interrupt under way so
// that it cannot meet a closed connection.
func (d *DB) interruptOn(ctx context.Context) func() {
	if ctx.Done() == nil {
		return func() {}
	}
	lifted, done := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		// A TLS is not safe for two goroutines, so the interrupt has its own.
		tls := libc.NewTLS()
		defer tls.Close()
		again := time.NewTicker(interruptAgain)
		defer again.Stop()
		for {
			sqlite3.Xsqlite3_interrupt(tls, d.db)
			select {
			case <-lifted:
				return
			case <-again.C:
			}
		}
	})
	return func() {
		close(lifted)
		if !stop() {
			<-done
		}
	}
}

// fail is the error of a statement, which is ctx's own when that ended it, and
// the one of a read when that failed.
func (d *DB) fail(ctx context.Context, rc int32) error {
	err := d.err(rc)
	if err.Primary() == Interrupt && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failed := d.readError(); failed != nil {
		return failed
	}
	return err
}

// readError is what the reader of OpenAt said.
func (d *DB) readError() error {
	if d.from == nil {
		return nil
	}
	return d.from.err
}

func (d *DB) err(rc int32) *Error {
	e := &Error{Code: int(rc)}
	if d.db != 0 {
		e.Message = libc.GoString(sqlite3.Xsqlite3_errmsg(d.tls, d.db))
	}
	return e
}

// errMemory is SQLITE_NOMEM, also for allocations outside of SQLite.
var errMemory = &Error{Code: sqlite3.SQLITE_NOMEM, Message: "out of memory"}

// pointer is the address p of memory that SQLite owns. It is outside of Go's
// heap, so the collector neither moves nor frees it.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
