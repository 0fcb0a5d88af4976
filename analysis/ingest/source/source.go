// Package source reads other people's files: from a path or a stream, plain,
// gzip or zstd (told by their first bytes, never by the name), UTF-8 with or
// without a byte order mark or UTF-16, lines ended by LF or CRLF. Whatever the
// size, memory is bounded: a line that is longer than allowed is skipped and
// told, and a stream that expands without end is refused.
package source

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// HeadSize is how many bytes of text can be looked at before they are read.
const HeadSize = 256 << 10

// Source is one file being read. Its text is UTF-8 without a byte order mark.
type Source struct {
	Path        string // "-" for standard input
	Compression string // "", "gzip" or "zstd"
	Encoding    string // "UTF-8", "UTF-16LE" or "UTF-16BE"

	raw    *counted
	text   *bufio.Reader
	closes []func() error
}

// Open opens path, or stdin where path is "-".
func Open(path string, stdin io.Reader) (*Source, error) {
	s := &Source{Path: path}
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &fileError{"open", path, err}
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			f.Close()
			return nil, &fileError{"open", path, errDirectory}
		}
		in = f
		s.closes = append(s.closes, f.Close)
	}
	s.raw = &counted{in: in, sum: sha256.New()}
	if err := s.unwrap(); err != nil {
		return nil, errors.Join(&fileError{"open", path, err}, s.Close())
	}
	return s, nil
}

// From reads a text that is made elsewhere; close ends its making.
func From(path string, in io.Reader, close func() error) (*Source, error) {
	s := &Source{Path: path, closes: []func() error{close}}
	s.raw = &counted{in: in, sum: sha256.New()}
	if err := s.unwrap(); err != nil {
		return nil, errors.Join(&fileError{"open", path, err}, s.Close())
	}
	return s, nil
}

// unwrap puts decompression and decoding over the raw bytes.
func (s *Source) unwrap() error {
	packed := bufio.NewReaderSize(s.raw, 64<<10)
	plain, err := s.decompress(packed)
	if err != nil {
		return err
	}
	s.text = bufio.NewReaderSize(plain, HeadSize)
	head, err := s.text.Peek(HeadSize)
	if err != nil && err != io.EOF {
		return explained(err)
	}
	switch s.Encoding = encodingOf(head); s.Encoding {
	case "UTF-16LE":
		s.decode(unicode.LittleEndian)
	case "UTF-16BE":
		s.decode(unicode.BigEndian)
	default:
		if bytes.HasPrefix(head, bom8) {
			_, err = s.text.Discard(len(bom8))
			return err
		}
	}
	return nil
}

func (s *Source) decode(order unicode.Endianness) {
	utf16 := unicode.UTF16(order, unicode.UseBOM)
	s.text = bufio.NewReaderSize(transform.NewReader(s.text, utf16.NewDecoder()), HeadSize)
}

// Magic numbers of RFC 1952 and RFC 8878.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

func (s *Source) decompress(in *bufio.Reader) (io.Reader, error) {
	magic, err := in.Peek(len(zstdMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		s.Compression = "gzip"
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, explained(err)
		}
		return &unbombed{in: z, raw: s.raw}, nil
	case bytes.HasPrefix(magic, zstdMagic):
		s.Compression = "zstd"
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, explained(err)
		}
		s.closes = append(s.closes, func() error { z.Close(); return nil })
		return &unbombed{in: z, raw: s.raw}, nil
	}
	return in, nil
}

// maxWindow bounds the memory of the zstd decoder, in bytes.
const maxWindow = 32 << 20

var (
	bom8  = []byte{0xef, 0xbb, 0xbf}
	bomLE = []byte{0xff, 0xfe}
	bomBE = []byte{0xfe, 0xff}
)

// encodingOf tells UTF-16 by its byte order mark, or by the zero bytes that
// ASCII text has at every second place in it.
func encodingOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, bomLE):
		return "UTF-16LE"
	case bytes.HasPrefix(head, bomBE):
		return "UTF-16BE"
	}
	var zeros [2]int
	head = head[:min(len(head), 512)&^1]
	for i, b := range head {
		if b == 0 {
			zeros[i&1]++
		}
	}
	switch most, few := len(head)*3/10, len(head)/20; {
	case zeros[1] > most && zeros[0] <= few:
		return "UTF-16LE"
	case zeros[0] > most && zeros[1] <= few:
		return "UTF-16BE"
	}
	return "UTF-8"
}

// Head is the beginning of the text, up to HeadSize bytes; reading is not
// affected. It is valid until the first read.
func (s *Source) Head() ([]byte, error) {
	head, err := s.text.Peek(HeadSize)
	if err == io.EOF {
		err = nil
	}
	if err != nil {
		return nil, s.wrap(err)
	}
	return head, nil
}

// Read reads text.
func (s *Source) Read(p []byte) (int, error) {
	n, err := s.text.Read(p)
	if err != nil && err != io.EOF {
		err = s.wrap(err)
	}
	return n, err
}

func (s *Source) wrap(err error) error { return &fileError{"read", s.Path, explained(err)} }

// Position is how many bytes of the file were read so far.
func (s *Source) Position() int64 { return s.raw.n }

// Sum reads what is left and gives the size in bytes and the SHA-256 of the
// file as it lies on the disk.
func (s *Source) Sum() (size int64, sum string, err error) {
	if _, err := io.Copy(io.Discard, s.raw); err != nil {
		return 0, "", s.wrap(err)
	}
	return s.raw.n, hex.EncodeToString(s.raw.sum.Sum(nil)), nil
}

// Close releases the file.
func (s *Source) Close() error {
	var errs []error
	for i := len(s.closes) - 1; i >= 0; i-- {
		errs = append(errs, s.closes[i]())
	}
	s.closes = nil
	return errors.Join(errs...)
}

// counted counts and hashes the bytes of the file.
type counted struct {
	in  io.Reader
	n   int64
	sum hash.Hash
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	c.sum.Write(p[:n])
	return n, err
}

// ErrUnreadable is what every error about a file is.
var ErrUnreadable = errors.New("source is unreadable")

var errDirectory = errors.New("it is a directory; name the files in it")

// fileError is an ErrUnreadable.
type fileError struct {
	did, path string
	err       error
}

func (e *fileError) Error() string {
	if p := new(os.PathError); errors.As(e.err, &p) {
		return fmt.Sprintf("%s %s: %v", e.did, e.path, p.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.did, e.path, e.err)
}

func (e *fileError) Unwrap() []error { return []error{ErrUnreadable, e.err} }

// ErrExpands: a compressed file holds so much more than its size that it was
// made to fill a disk.
var ErrExpands = errors.New("it expands more than 200 times: unpack it first if that is meant")

// A log compresses 10 to 100 times. Below the free size every ratio is fine.
const (
	maxRatio     = 200
	freeExpanded = 64 << 20
)

// unbombed ends a stream that expands too much.
type unbombed struct {
	in  io.Reader
	raw *counted
	n   int64
}

func (u *unbombed) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if u.n += int64(n); u.n > freeExpanded && u.n/maxRatio > u.raw.n {
		return n, ErrExpands
	}
	return n, err
}

// explained says what to do about an error of a decoder.
func explained(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the compressed file is cut; unpack what is left of it and import that: %w", err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("it was compressed with a window above 32 MiB; unpack it first: %w", err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the compressed file is damaged: %w", err)
	}
	return err
}
