package sqlfile

import (
	"errors"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// OpenAt opens the database that the first size bytes of r are, for reading. No
// name leads to it, so it stays the same whatever becomes of the name under which
// r was found. SQLite takes it as immutable: it locks nothing and looks for no log
// or journal.
//
// An error of r comes back as it is from the statement that needed the bytes. r
// must allow as many reads at a time as there are DBs that read it.
func OpenAt(r io.ReaderAt, size int64) (*DB, error) {
	vfs, err := readerVFS()
	if err != nil {
		return nil, err
	}
	c := &contents{number: uintptr(lastContents.Add(1)), r: r, size: size}
	opened.Store(c.number, c)
	d, err := openIn(vfs, strconv.FormatUint(uint64(c.number), 10), int32(ReadOnly), c)
	if err != nil {
		opened.Delete(c.number)
	}
	return d, err
}

// contents are what one DB reads, known to SQLite by its number.
type contents struct {
	number uintptr
	r      io.ReaderAt
	size   int64
	err    error // the first of a read
}

var (
	opened       sync.Map // *contents by number
	lastContents atomic.Uint32
)

// read fills b. Beyond the end there are zeros, as SQLite wants it.
func (c *contents) read(b []byte, offset int64) int32 {
	within := b[:max(0, min(int64(len(b)), c.size-offset))]
	n, err := c.r.ReadAt(within, offset)
	switch {
	case n < len(within):
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if c.err == nil {
			c.err = err
		}
		return sqlite3.SQLITE_IOERR_READ
	case n < len(b):
		clear(b[n:])
		return sqlite3.SQLITE_IOERR_SHORT_READ
	}
	return sqlite3.SQLITE_OK
}

// The virtual file system, https://www.sqlite.org/vfs.html: the one of the machine
// but for the main file of a database, so that what a large sort puts aside goes
// where it always does.

// readerFile is what SQLite knows of an opened file.
type readerFile struct {
	methods uintptr
	number  uintptr
}

func contentsOf(file uintptr) *contents {
	c, _ := opened.Load((*readerFile)(pointer(file)).number)
	return c.(*contents)
}

// SQLite keeps the addresses of these. They are variables of the package because
// the collector does not move such.
var (
	readerSystem  sqlite3.Tsqlite3_vfs
	readerMethods sqlite3.Tsqlite3_io_methods
	machineSystem uintptr
)

const readerName = "idem-reader"

// readerVFS registers the file system and gives its name as SQLite wants it.
var readerVFS = sync.OnceValues(func() (name uintptr, err error) {
	tls := libc.NewTLS()
	defer tls.Close()
	if name, err = libc.CString(readerName); err != nil {
		return 0, err
	}
	if machineSystem = sqlite3.Xsqlite3_vfs_find(tls, 0); machineSystem == 0 {
		return 0, errors.New("sqlite: there is no file system")
	}
	m := &readerMethods
	m.FiVersion = 1
	m.FxClose = function(func(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_OK })
	m.FxRead = function(readerRead)
	m.FxWrite = function(func(*libc.TLS, uintptr, uintptr, int32, int64) int32 { return sqlite3.SQLITE_READONLY })
	m.FxTruncate = function(func(*libc.TLS, uintptr, int64) int32 { return sqlite3.SQLITE_READONLY })
	nothing := function(func(*libc.TLS, uintptr, int32) int32 { return sqlite3.SQLITE_OK })
	m.FxSync, m.FxLock, m.FxUnlock = nothing, nothing, nothing
	m.FxFileSize = function(readerSize)
	m.FxCheckReservedLock = function(readerReserved)
	m.FxFileControl = function(func(*libc.TLS, uintptr, int32, uintptr) int32 { return sqlite3.SQLITE_NOTFOUND })
	m.FxSectorSize = function(func(*libc.TLS, uintptr) int32 { return 0 })
	m.FxDeviceCharacteristics = function(func(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_IOCAP_IMMUTABLE })

	readerSystem = *(*sqlite3.Tsqlite3_vfs)(pointer(machineSystem))
	readerSystem.FpNext, readerSystem.FzName = 0, name
	readerSystem.FszOsFile = max(readerSystem.FszOsFile, int32(unsafe.Sizeof(readerFile{})))
	readerSystem.FxOpen, readerSystem.FxFullPathname = function(readerOpen), function(readerFullName)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&readerSystem)), 0); rc != sqlite3.SQLITE_OK {
		return 0, &Error{Code: int(rc), Message: "register a file system"}
	}
	return name, nil
})

// function is the address of a function that is no closure, as SQLite calls it.
func function(f any) uintptr {
	return (*[2]uintptr)(unsafe.Pointer(&f))[1]
}

type openFunction = func(tls *libc.TLS, system, name, file uintptr, flags int32, outFlags uintptr) int32

func readerOpen(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	if flags&sqlite3.SQLITE_OPEN_MAIN_DB == 0 {
		machine := (*sqlite3.Tsqlite3_vfs)(pointer(machineSystem)).FxOpen
		return (*(*openFunction)(unsafe.Pointer(&struct{ uintptr }{machine})))(tls, machineSystem, name, file, flags, outFlags)
	}
	f := (*readerFile)(pointer(file))
	f.methods = 0 // nothing to close yet
	number, err := strconv.ParseUint(libc.GoString(name), 10, 64)
	if _, known := opened.Load(uintptr(number)); err != nil || !known {
		return sqlite3.SQLITE_CANTOPEN
	}
	f.methods, f.number = uintptr(unsafe.Pointer(&readerMethods)), uintptr(number)
	if outFlags != 0 {
		*(*int32)(pointer(outFlags)) = sqlite3.SQLITE_OPEN_READONLY
	}
	return sqlite3.SQLITE_OK
}

// readerFullName leaves a name as it is: it is a number, and of no folder.
func readerFullName(_ *libc.TLS, _, name uintptr, size int32, out uintptr) int32 {
	text, room := libc.GoString(name), unsafe.Slice((*byte)(pointer(out)), size)
	if len(text) >= len(room) {
		return sqlite3.SQLITE_CANTOPEN
	}
	room[copy(room, text)] = 0
	return sqlite3.SQLITE_OK
}

func readerRead(_ *libc.TLS, file, buf uintptr, size int32, offset int64) int32 {
	return contentsOf(file).read(unsafe.Slice((*byte)(pointer(buf)), size), offset)
}

func readerSize(_ *libc.TLS, file, size uintptr) int32 {
	*(*int64)(pointer(size)) = contentsOf(file).size
	return sqlite3.SQLITE_OK
}

func readerReserved(_ *libc.TLS, _, held uintptr) int32 {
	*(*int32)(pointer(held)) = 0
	return sqlite3.SQLITE_OK
}
