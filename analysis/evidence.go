package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// siblings are the suffixes of the files that make up one database.
var siblings = []string{"", "-wal", "-journal"}

// copyOnce copies the database and its siblings to target. It is not whole
// when one of them changed meanwhile.
func (f *File) copyOnce(ctx context.Context, target string) (whole bool, err error) {
	before, err := look(f.resolved)
	if err != nil {
		return false, fileError(f.path, err)
	}
	var sums []string
	for _, suffix := range siblings {
		sum, err := copyFile(ctx, f.resolved+suffix, target+suffix)
		if err != nil {
			return false, copyError(f.path, err)
		}
		sums = append(sums, sum)
	}
	after, err := look(f.resolved)
	if err != nil || !before.same(after) {
		return false, nil
	}
	if before.recent(target) {
		// The clock of the file system may not have ticked since a write.
		for i, suffix := range siblings {
			if sum, err := hashFile(ctx, f.resolved+suffix, nil); err != nil || sum != sums[i] {
				return false, nil
			}
		}
	}
	f.state, f.sums = before, sums
	return true, nil
}

// errCopy marks what went wrong with the copy, not with the file.
var errCopy = errors.New("write a private copy")

// copyError explains why a file could not be copied. The name of the copy is left
// out: it is gone when this is read.
func copyError(path string, err error) error {
	if !errors.Is(err, errCopy) {
		return fileError(path, err)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return TempError(fmt.Errorf("copy %q: %w", path, err))
}

// tick is the coarsest modification time in use, that of FAT.
const tick = 2 * time.Second

// recent reports whether one of the files was modified within a tick before
// copy was written.
func (s state) recent(copy string) bool {
	info, err := os.Stat(copy)
	if err != nil {
		return true
	}
	for _, f := range []stat{s.main, s.wal, s.journal} {
		if f.exists && info.ModTime().Sub(f.mtime) < tick {
			return true
		}
	}
	return false
}

// copyFile copies from to to, and gives the SHA-256 of what it copied. A file
// that is missing is missing in the copy, too.
func copyFile(ctx context.Context, from, to string) (sum string, err error) {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", errors.Join(errCopy, err)
	}
	sum, err = hashFile(ctx, from, out)
	err = errors.Join(err, out.Close())
	if sum == "" {
		err = errors.Join(err, os.Remove(to))
	}
	return sum, err
}

// hashFile gives the SHA-256 of a file in hex, "" where it does not exist, and
// writes its bytes to tee unless that is nil.
func hashFile(ctx context.Context, path string, tee io.Writer) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if err := stream(ctx, f, h, tee); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// stream reads r to its end into h and, unless nil, into tee.
func stream(ctx context.Context, r io.Reader, h hash.Hash, tee io.Writer) error {
	buf := make([]byte, 1<<20)
	for {
		n, err := r.Read(buf)
		h.Write(buf[:n])
		if tee != nil {
			if _, err := tee.Write(buf[:n]); err != nil {
				return errors.Join(errCopy, err)
			}
		}
		switch {
		case err == io.EOF:
			return ctx.Err()
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

// Evidence identifies the input: SHA-256 and size of the file as it stood on
// disk when it was opened, and of its write-ahead log or journal where rows
// came from there. It reads the whole file unless a copy was made, at some
// 400 MB/s; progress, which may be nil, is told the bytes read. Errors:
// ErrChanged where the file was written to since.
func (f *File) Evidence(ctx context.Context, progress func(done, total int64)) (Evidence, error) {
	e := Evidence{File: filepath.Base(f.path), Size: f.state.main.size}
	if f.private {
		e.SHA256 = f.sums[0]
		for i, s := range []stat{f.state.wal, f.state.journal} {
			if s.size > 0 && e.Log == "" {
				e.Log, e.LogSHA256, e.LogSize = e.File+siblings[i+1], f.sums[i+1], s.size
			}
		}
		return e, nil
	}
	var meter io.Writer
	if progress != nil {
		meter = &byteMeter{total: e.Size, tell: progress}
	}
	h := sha256.New()
	if err := stream(ctx, io.NewSectionReader(f.reads, 0, e.Size), h, meter); err != nil {
		return e, fmt.Errorf("hash input: %w", err)
	}
	e.SHA256 = hex.EncodeToString(h.Sum(nil))
	return e, nil
}

// byteMeter tells a caller how much went by.
type byteMeter struct {
	done, total int64
	tell        func(done, total int64)
}

func (m *byteMeter) Write(b []byte) (int, error) {
	m.done += int64(len(b))
	m.tell(m.done, m.total)
	return len(b), nil
}
