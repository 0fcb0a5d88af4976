package compare

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"idem/analysis/replay"
)

// A cell takes so many bytes: 8 of money, 4 for the currency's name, 2 of
// status, 1 for the reason's name, 1 of class and whether it is mixed.
const cellBytes = 16

const (
	blockCells = 1024 // cells that are written at once
	openBlocks = 16   // blocks that are held back for what ends late
	mixedFlag  = 0x80
)

// track is one side of the day in a file, a cell a request. One goroutine writes
// it; after flush any may read.
type track struct {
	f          *os.File
	named      bool // its name is still to be removed
	currencies names
	reasons    names
	open       []block // in the order of the day
}

// block are the cells of the positions from first on.
type block struct {
	first int64 // counted from 0
	bytes []byte
}

// names are texts by number; 0 is "".
type names struct {
	list []string
	of   map[string]uint32
}

func newTrack(dir string) (*track, error) {
	f, err := os.CreateTemp(dir, "compare-*")
	if err != nil {
		return nil, fmt.Errorf("make room for a comparison: %w", err)
	}
	// Without a name it is gone with the process, however that ends. Not every system
	// lets an open file lose it.
	named := os.Remove(f.Name()) != nil
	return &track{f: f, named: named, currencies: newNames(), reasons: newNames()}, nil
}

func newNames() names { return names{list: []string{""}, of: map[string]uint32{"": 0}} }

func (m *names) number(text string) uint32 {
	n, known := m.of[text]
	if !known {
		n = uint32(len(m.list))
		m.list = append(m.list, text)
		m.of[text] = n
	}
	return n
}

// put keeps the cell of a position. Positions come nearly in order: one that
// comes long after its neighbours is written by itself.
func (t *track) put(n int64, c Cell) error {
	text := t.encode(c)
	first := (n - 1) / blockCells * blockCells
	if len(t.open) > 0 && first < t.open[0].first {
		_, err := t.f.WriteAt(text[:], (n-1)*cellBytes)
		return t.failed(err)
	}
	i, found := slices.BinarySearchFunc(t.open, first, func(b block, first int64) int { return cmp.Compare(b.first, first) })
	if !found {
		// The oldest block is always the one that goes, so one that is not open and
		// lies behind it has never been written.
		t.open = slices.Insert(t.open, i, block{first, make([]byte, blockCells*cellBytes)})
	}
	copy(t.open[i].bytes[(n-1-first)*cellBytes:], text[:])
	return t.close(len(t.open) - openBlocks)
}

// close writes the oldest open blocks.
func (t *track) close(blocks int) error {
	if blocks <= 0 {
		return nil
	}
	for _, b := range t.open[:blocks] {
		if _, err := t.f.WriteAt(b.bytes, b.first*cellBytes); err != nil {
			return t.failed(err)
		}
	}
	t.open = t.open[blocks:]
	return nil
}

func (t *track) flush() error { return t.close(len(t.open)) }

func (t *track) failed(err error) error {
	if err != nil {
		err = fmt.Errorf("keep a comparison: %w", err)
	}
	return err
}

func (t *track) encode(c Cell) (b [cellBytes]byte) {
	binary.LittleEndian.PutUint64(b[:], uint64(c.Moved))
	binary.LittleEndian.PutUint32(b[8:], t.currencies.number(c.Currency))
	binary.LittleEndian.PutUint16(b[12:], uint16(max(0, min(c.Status, math.MaxUint16))))
	if n := t.reasons.number(c.Reason); n <= math.MaxUint8 { // there are few
		b[14] = byte(n)
	}
	b[15] = byte(c.Class)
	if c.Mixed {
		b[15] |= mixedFlag
	}
	return b
}

func (t *track) decode(b []byte) Cell {
	return Cell{
		Moved:    int64(binary.LittleEndian.Uint64(b)),
		Currency: t.currencies.list[binary.LittleEndian.Uint32(b[8:])],
		Status:   int(binary.LittleEndian.Uint16(b[12:])),
		Class:    replay.Class(b[15] &^ mixedFlag),
		Mixed:    b[15]&mixedFlag != 0,
		Reason:   t.reasons.list[b[14]],
	}
}

// cells are those of the positions from..to.
func (t *track) cells(from, to int64) ([]Cell, error) {
	b := make([]byte, (to-from+1)*cellBytes)
	if _, err := t.f.ReadAt(b, (from-1)*cellBytes); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read a comparison: %w", err)
	}
	list := make([]Cell, to-from+1)
	for i := range list {
		list[i] = t.decode(b[i*cellBytes:])
	}
	return list, nil
}

// remove closes the file, with which it is gone.
func (t *track) remove() error {
	err := t.f.Close()
	if t.named {
		err = errors.Join(err, os.Remove(t.f.Name()))
	}
	return err
}
