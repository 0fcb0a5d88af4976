package findings

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"idem/analysis"
)

const (
	// blockRows is how many rows are written and read at a time.
	blockRows = 4096
	// heldRows is how many rows stay in memory: a shorter day needs no file.
	heldRows = 1 << 16
)

// spool keeps rows that several readers find, by part: in memory first, and from
// so many rows on in a file without a name. A row holds no pointers, and the file
// is read by the process that wrote it, so rows are written as they lie.
type spool[T any] struct {
	held  int // rows that stay in memory
	block int // rows of a block
	see   func(rows []T)

	open [][]T // of each part, what is in no block yet

	mu     sync.Mutex // guards what follows while readers add
	parts  [][]block[T]
	spare  [][]T
	file   *os.File
	name   string
	size   int64
	rows   int
	failed error

	blocks []block[T] // of all parts, in their order
}

// block is some rows of one part.
type block[T any] struct {
	n           int
	first, last T
	rows        []T // nil: in the file, at this place
	at          int64
}

func (s *spool[T]) plan(parts int) { s.open, s.parts = make([][]T, parts), make([][]block[T], parts) }

// add takes a row of a part. Each part has one reader.
func (s *spool[T]) add(part int, v T) {
	if s.open[part] == nil {
		s.open[part] = s.borrow()
	}
	s.open[part] = append(s.open[part], v)
	if len(s.open[part]) == s.block {
		s.flush(part)
	}
}

func (s *spool[T]) borrow() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.spare) - 1; n >= 0 {
		rows := s.spare[n]
		s.spare = s.spare[:n]
		return rows[:0]
	}
	return nil
}

// flush makes a block of what a part has open. see is told of its rows, one block
// at a time.
func (s *spool[T]) flush(part int) {
	rows := s.open[part]
	s.open[part] = nil
	if len(rows) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.see != nil {
		s.see(rows)
	}
	b := block[T]{n: len(rows), first: rows[0], last: rows[len(rows)-1], rows: rows}
	if s.rows += b.n; s.rows > s.held {
		b.rows, b.at = nil, s.size
		s.write(rows)
		s.spare = append(s.spare, rows)
	}
	s.parts[part] = append(s.parts[part], b)
}

func (s *spool[T]) write(rows []T) {
	if s.file == nil && s.failed == nil {
		s.create()
	}
	if s.failed != nil {
		return
	}
	n, err := s.file.WriteAt(bytesOf(rows), s.size)
	if s.size += int64(n); err != nil {
		s.failed = analysis.TempError(fmt.Errorf("keep rows aside: %w", err))
	}
}

func (s *spool[T]) create() {
	f, err := os.CreateTemp("", "idem-rows-*")
	if err != nil {
		s.failed = fmt.Errorf("there is no place for temporary files; set TMPDIR to another one: %w", err)
		return
	}
	s.file, s.name = f, f.Name()
	if os.Remove(s.name) == nil { // what a killed program leaves has no name
		s.name = ""
	}
}

// finish ends the adding. What fails then and before is told here.
func (s *spool[T]) finish() error {
	for i := range s.open {
		s.flush(i)
	}
	for _, p := range s.parts {
		s.blocks = append(s.blocks, p...)
	}
	s.open, s.parts, s.spare = nil, nil, nil
	return s.failed
}

// close forgets the rows. It may be called again.
func (s *spool[T]) close() {
	s.blocks = nil
	if s.file == nil {
		return
	}
	s.file.Close() // nothing in it is needed again
	s.file = nil
	if s.name != "" {
		os.Remove(s.name)
	}
}

// read gives the rows of a block; those from the file lie in buf, which grows.
func (s *spool[T]) read(i int, buf *[]T) ([]T, error) {
	b := &s.blocks[i]
	if b.rows != nil {
		return b.rows, nil
	}
	if cap(*buf) < b.n {
		*buf = make([]T, s.block)
	}
	rows := (*buf)[:b.n]
	if _, err := s.file.ReadAt(bytesOf(rows), b.at); err != nil {
		return nil, fmt.Errorf("read rows kept aside: %w", err)
	}
	return rows, nil
}

// each gives all rows in their order.
func (s *spool[T]) each(do func(i int, v *T)) error {
	var buf []T
	n := 0
	for i := range s.blocks {
		rows, err := s.read(i, &buf)
		if err != nil {
			return err
		}
		for k := range rows {
			do(n+k, &rows[k])
		}
		n += len(rows)
	}
	return nil
}

// bytesOf is the memory of rows without pointers.
func bytesOf[T any](rows []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows)*int(unsafe.Sizeof(rows[0])))
}
