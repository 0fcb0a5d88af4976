package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"idem/analysis/ingest/secret"
	"idem/analysis/ingest/source"
	"idem/analysis/ingest/tables"
	"idem/crash"
)

// file is one source and how it is read.
type file struct {
	id      int64
	role    Role
	src     *source.Source
	head    []byte
	format  *Format
	mapping Mapping
	// size and sum are of the database file, where a table is read.
	size int64
	sum  string
}

// job is an import, planned: every file is open and settled, none is read.
type job struct {
	o     Options
	files []*file
	body  Body
	key   []byte // of the pseudonyms
	size  int64  // bytes of all files, 0 where it is unknown
}

func (j *job) close() {
	for _, f := range j.files {
		f.src.Close()
	}
}

// plan opens the files and settles how each is read.
func plan(ctx context.Context, o Options) (*job, error) {
	j := &job{o: o, body: o.Map.Body}
	for _, group := range []struct {
		role  Role
		paths []string
	}{{Requests, o.Requests}, {Transfers, o.Transfers}, {Accounts, o.Accounts}} {
		for _, path := range group.paths {
			if slices.ContainsFunc(j.files, func(f *file) bool { return f.src.Path == tables.Shown(path) }) {
				return j, usage("%s is named twice", tables.Shown(path))
			}
			if err := j.open(ctx, group.role, path); err != nil {
				return j, err
			}
		}
	}
	j.size = j.allBytes()
	if j.key = o.PseudonymKey; j.key == nil {
		j.key = j.derivedKey()
	}
	for _, f := range j.files {
		if err := j.settle(f); err != nil {
			return j, fmt.Errorf("%s: %w", f.src.Path, err)
		}
	}
	return j, nil
}

func (j *job) open(ctx context.Context, role Role, path string) error {
	f := &file{id: int64(len(j.files)) + 1, role: role}
	var err error
	if tables.Named(path) {
		err = f.openTable(ctx, path)
	} else {
		in := io.Reader(nil)
		if path == "-" {
			in = interruptible(ctx, j.o.Stdin)
		}
		f.src, err = source.Open(path, in)
	}
	if err != nil {
		return err
	}
	j.files = append(j.files, f)
	head, err := f.src.Head()
	f.head = bytes.Clone(head)
	if bytes.HasPrefix(head, []byte(sqliteMagic)) {
		return databaseError(ctx, path)
	}
	return err
}

// interruptible ends a read from a terminal or pipe, which may wait for ever, when
// ctx ends. The read itself is left behind.
func interruptible(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	go func() {
		defer crash.Catch(func(p *crash.Panic) { w.CloseWithError(p) })
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}

func (j *job) allBytes() (n int64) {
	for _, f := range j.files {
		info, err := os.Stat(f.src.Path)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		n += info.Size()
	}
	return n
}

func (f *file) openTable(ctx context.Context, path string) error {
	t, err := tables.Open(ctx, path)
	if err != nil {
		return misfit("%w", err)
	}
	f.size, f.sum = t.Size, t.SHA256
	f.src, err = source.From(t.Path, t, t.Close)
	return err
}

// derivedKey makes the key of the pseudonyms from the beginnings of the files,
// so that the same files give the same pseudonyms. Who has the files needs no
// pseudonyms; who has the incident alone does not have the key.
func (j *job) derivedKey() []byte {
	sum := sha256.New()
	fmt.Fprint(sum, "idem pseudonyms 1\n")
	for _, f := range j.files {
		fmt.Fprintf(sum, "%d\n", len(f.head))
		sum.Write(f.head)
	}
	return sum.Sum(nil)
}

// settle finds the format and mapping of a file, and reads its beginning for
// what could be read in two ways.
func (j *job) settle(f *file) error {
	given := *j.o.Map.section(f.role)
	var err error
	if f.format, err = formatOf(given.Format, f.role, f.head); err != nil {
		return err
	}
	given.Format = f.format.Name
	if f.mapping, err = f.format.Map(f.head, f.role, given); err != nil {
		return err
	}
	if _, err := f.mapping.rules(); err != nil {
		return usage("%w", err)
	}
	return j.probe(f)
}

// probe reads the beginning of a file and keeps nothing of it.
func (j *job) probe(f *file) error {
	text := f.head
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 && len(text) >= source.HeadSize {
		text = text[:i+1]
	}
	out, err := j.sink(context.Background(), f, func(b *batch) (*batch, error) { b.reset(); return b, nil })
	if err != nil {
		return err
	}
	// The text is cut, which a format may well complain about.
	err = f.format.Read(&Input{bytes.NewReader(text)}, &f.mapping, out)
	switch {
	case out.first != nil:
		return out.first
	case err != nil && len(f.head) < source.HeadSize:
		return err
	case out.Err() != nil:
		return out.Err()
	}
	return nil
}

// unused are the columns of a file that nothing is read from.
func (f *file) unused() (list []string) {
	if f.format.Columns == nil {
		return nil
	}
	for _, name := range f.format.Columns(f.head) {
		used := false
		for _, places := range f.mapping.Columns {
			used = used || slices.ContainsFunc(places, func(p string) bool { return strings.TrimPrefix(p, "$.") == strings.TrimPrefix(name, "$.") })
		}
		if !used {
			list = append(list, name)
		}
	}
	return list
}

func (j *job) sink(ctx context.Context, f *file, send func(*batch) (*batch, error)) (*Sink, error) {
	bodies, err := newBodyReader(j.body)
	if err != nil {
		return nil, err
	}
	s := &Sink{ctx: ctx, role: f.role, bodies: bodies, batch: &batch{source: f.id}, send: send}
	if !j.o.KeepSecrets {
		s.clean = secret.NewCleaner(j.key)
	}
	return s, nil
}
