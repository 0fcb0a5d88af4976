package notes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"idem/engine/durable"
)

// path is where the book of the content with a hash is.
func path(dir, sha256 string) (string, error) {
	if len(sha256) != 64 || strings.Trim(sha256, "0123456789abcdef") != "" {
		return "", errors.New("notes: the incident's hash is not known")
	}
	return filepath.Join(dir, "notes-"+sha256+".json"), nil
}

// Load reads the book of an incident; that of one nobody noted anything on is blank.
func Load(dir, sha256 string) (Book, error) {
	name, err := path(dir, sha256)
	if err != nil {
		return Book{}, err
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Book{}, nil
	}
	if err != nil {
		return Book{}, fmt.Errorf("read notes: %w", err)
	}
	b, err := decode(text)
	if err != nil {
		return Book{}, fmt.Errorf("notes in %s are damaged: %w", name, err)
	}
	return b, nil
}

// content is what a file holds. Before breakpoints were kept it was the notes alone.
type content struct {
	Notes []Note `json:"notes"`
	Stops []Stop `json:"stops"`
}

func decode(text []byte) (Book, error) {
	var c content
	into := any(&c)
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		into = &c.Notes
	}
	if err := json.Unmarshal(text, into); err != nil {
		return Book{}, err
	}
	return Book{}.Merge(Book{c.Notes, c.Stops}), nil
}

// Save merges a book into what is kept of the incident by now, which it returns.
// The file is replaced whole or not at all; one that cannot be read stays as it
// is. Where the system cannot hold a folder, two saves at once may lose the first.
func Save(dir, sha256 string, b Book) (Book, error) {
	name, err := path(dir, sha256)
	if err != nil {
		return b, err
	}
	release, err := hold(dir)
	if err != nil {
		return b, err
	}
	defer release()
	sweep(dir)
	kept, err := Load(dir, sha256)
	if err != nil {
		return b, err
	}
	b = kept.Merge(b)
	text, err := json.MarshalIndent(content{b.notes, b.stops}, "", " ")
	if err != nil {
		return b, fmt.Errorf("notes: %w", err)
	}
	return b, Replace(name, append(text, '\n'))
}

// holdWait is how long a save waits for another one; each takes milliseconds.
const holdWait = 5 * time.Second

// hold makes the folder and holds it for one save. A state folder may be a link.
func hold(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	const pause = 5 * time.Millisecond
	for range holdWait / pause {
		release, err = durable.Hold(dir)
		if !errors.Is(err, durable.ErrHeld) {
			return release, err
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("another workbench holds %s for long; is one stopped in the middle of a save?", dir)
}

// unfinished is how the folder begins in which a file is made, beside its name.
const unfinished = ".idem-unfinished-"

// sweep removes the files that saves of an earlier version left when they were
// killed. What this one leaves, Replace removes.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), ".idem-")
		if ours && e.Type().IsRegular() && number != "" && strings.Trim(number, "0123456789") == "" {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Replace writes a file that only its owner reads, whole or not at all, so that it
// outlasts a power cut. Its folder is made where it is missing.
func Replace(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	dir, done, err := durable.Private(filepath.Dir(name), unfinished)
	if err != nil {
		return durable.Named(err, "", name)
	}
	defer func() { _ = done() }() // what stays goes with the next one
	tmp := filepath.Join(dir, "file")
	if err := write(tmp, text); err != nil {
		return durable.Named(err, tmp, name)
	}
	if err := os.Rename(tmp, name); err != nil {
		return durable.Named(err, tmp, name)
	}
	return durable.Folder(filepath.Dir(name))
}

func write(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
