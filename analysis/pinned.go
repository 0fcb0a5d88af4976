package analysis

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// heldBytes is up to which size a file is held in memory.
const heldBytes = 16 << 20

// pinned is a file that is read as it was when it was opened, whatever becomes of
// its name: another file may have it by then, or nobody. A small one is held in
// memory, and so stays what it was. Where a larger one was written to since, every
// read is an ErrChanged: what was read before and what is read now always belong
// together.
type pinned struct {
	path string // for errors
	file *os.File
	held *bytes.Reader // nil where the file is read
	was  stat
}

func pin(name, path string, hold int64) (*pinned, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	p := &pinned{path: path, file: file}
	if err := p.look(hold); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

func (p *pinned) look(hold int64) error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	if p.was = statOf(info); p.was.size > hold {
		return nil
	}
	all := make([]byte, p.was.size)
	if _, err := io.ReadFull(io.NewSectionReader(p, 0, p.was.size), all); err != nil {
		return err
	}
	p.held = bytes.NewReader(all)
	return nil
}

// ReadAt asks for the file's state after each read, and not before: what a writer
// has changed by then it has marked as changed, too.
func (p *pinned) ReadAt(b []byte, off int64) (int, error) {
	if p.held != nil {
		return p.held.ReadAt(b, off)
	}
	n, err := p.file.ReadAt(b, off)
	if changed := p.unchanged(); changed != nil {
		return 0, changed
	}
	if err != nil && err != io.EOF {
		return n, fileError(p.path, err)
	}
	return n, err
}

// unchanged is an ErrChanged where the file was written to since it was opened.
func (p *pinned) unchanged() error {
	info, err := p.file.Stat()
	switch {
	case errors.Is(err, fs.ErrClosed):
		return err
	case err == nil && p.was.same(statOf(info)):
		return nil
	}
	return p.changed(err)
}

func (p *pinned) changed(cause error) error {
	return &InputError{
		Path: p.path, kind: ErrChanged, cause: cause,
		Reason: "it was written to after it was opened, so what is read now would not belong to what was read before; open it again, or open a copy of it",
	}
}
