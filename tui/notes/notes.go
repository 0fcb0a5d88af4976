// Package notes keeps what people noted on an incident: texts that belong to a
// moment of its day. They live in the user's state folder under the hash of the
// incident's bytes, never beside the evidence, so that a copy of the file under
// another name has them too.
package notes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"idem/analysis/printable"
)

// Note is a text about the request at a position; "" is a bare mark.
type Note struct {
	N    int64     `json:"n"`
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"` // UTC, the day's clock
	Text string    `json:"text"`
}

// Book is the notes on one incident, in the order of the day, one a position.
type Book []Note

// At is the note at a position.
func (b Book) At(n int64) (Note, bool) {
	i, found := b.find(n)
	if !found {
		return Note{}, false
	}
	return b[i], true
}

func (b Book) find(n int64) (int, bool) {
	return slices.BinarySearchFunc(b, n, func(a Note, n int64) int { return cmp.Compare(a.N, n) })
}

// With is the book with a note in it, in place of one at the same position.
func (b Book) With(note Note) Book {
	i, found := b.find(note.N)
	out := slices.Clone(b)
	if found {
		out[i] = note
		return out
	}
	return slices.Insert(out, i, note)
}

// Without is the book without the note at a position.
func (b Book) Without(n int64) Book {
	return slices.DeleteFunc(slices.Clone(b), func(a Note) bool { return a.N == n })
}

// path is where the notes on the content with a hash are.
func path(dir, sha256 string) (string, error) {
	if len(sha256) != 64 || strings.Trim(sha256, "0123456789abcdef") != "" {
		return "", errors.New("notes: the incident's hash is not known")
	}
	return filepath.Join(dir, "notes-"+sha256+".json"), nil
}

// Load reads the notes of an incident; one that nobody noted anything on has none.
func Load(dir, sha256 string) (Book, error) {
	name, err := path(dir, sha256)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	var list []Note
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("notes in %s are damaged: %w", name, err)
	}
	var b Book
	for _, n := range list {
		b = b.With(n)
	}
	return b, nil
}

// Save keeps the notes of an incident, whole or not at all.
func Save(dir, sha256 string, b Book) error {
	name, err := path(dir, sha256)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return fmt.Errorf("notes: %w", err)
	}
	return Replace(name, append(text, '\n'))
}

// Replace writes a file that only its owner reads, whole or not at all. Its
// folder is made where it is missing.
func Replace(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".idem-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Timeline is the notes in Markdown, for a file beside the report.
func (b Book) Timeline(file, sha256 string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Notes on %s\n\nsha256 `%s`\n\n| # | seq | time (UTC) | note |\n|---|---|---|---|\n", cell(file), sha256)
	for _, n := range b {
		at := "no time"
		if !n.At.IsZero() {
			at = n.At.UTC().Format("2006-01-02 15:04:05.000")
		}
		fmt.Fprintf(&out, "| %d | %d | %s | %s |\n", n.N, n.Seq, at, cell(n.Text))
	}
	return out.String()
}

// cell is a text that stays in its cell and shows what it holds.
func cell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(printable.Text(s, 4096))
}
