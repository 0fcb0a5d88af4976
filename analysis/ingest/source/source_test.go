package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

const text = "id,name\r\n1,한글\n2,cut"

func packed(t *testing.T, how string, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if how == "zstd" {
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	w.Write(plain)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func utf16Bytes(s string, big, mark bool) []byte {
	units := utf16.Encode([]rune(s))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var b []byte
	for _, u := range units {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestOpen(t *testing.T) {
	mark := "\xef\xbb\xbf"
	for name, c := range map[string]struct {
		raw                   []byte
		compression, encoding string
	}{
		"plain":          {[]byte(text), "", "UTF-8"},
		"BOM":            {[]byte(mark + text), "", "UTF-8"},
		"UTF-16LE":       {utf16Bytes(text, false, true), "", "UTF-16LE"},
		"UTF-16BE":       {utf16Bytes(text, true, true), "", "UTF-16BE"},
		"UTF-16LE bare":  {utf16Bytes(text, false, false), "", "UTF-16LE"},
		"gzip":           {packed(t, "gzip", []byte(text)), "gzip", "UTF-8"},
		"gzip twice":     {append(packed(t, "gzip", []byte(text[:5])), packed(t, "gzip", []byte(text[5:]))...), "gzip", "UTF-8"},
		"gzip with BOM":  {packed(t, "gzip", []byte(mark+text)), "gzip", "UTF-8"},
		"zstd":           {packed(t, "zstd", []byte(text)), "zstd", "UTF-8"},
		"zstd of UTF-16": {packed(t, "zstd", utf16Bytes(text, true, true)), "zstd", "UTF-16BE"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, c.raw, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, stdin := range []bool{false, true} {
				from := path
				if stdin {
					from = "-"
				}
				s, err := Open(from, bytes.NewReader(c.raw))
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if head, err := s.Head(); err != nil || string(head) != text {
					t.Errorf("head %q, %v", head, err)
				}
				got, err := io.ReadAll(s)
				if err != nil || string(got) != text || s.Compression != c.compression || s.Encoding != c.encoding {
					t.Errorf("%q, %s, %s, %v", got, s.Compression, s.Encoding, err)
				}
				want := sha256.Sum256(c.raw)
				if size, sum, err := s.Sum(); err != nil || size != int64(len(c.raw)) || sum != hex.EncodeToString(want[:]) {
					t.Errorf("%d bytes, %s, %v", size, sum, err)
				}
			}
		})
	}
}

func TestBadFiles(t *testing.T) {
	whole := packed(t, "gzip", bytes.Repeat([]byte("line of text\n"), 100_000))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5] ^= 1
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"cut gzip":      {whole[:len(whole)/2], "is cut"},
		"damaged gzip":  {damaged, "damaged"},
		"gzip of zeros": {packed(t, "gzip", make([]byte, 200<<20)), "expands"},
		"zstd of zeros": {packed(t, "zstd", make([]byte, 200<<20)), "expands"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open("-", bytes.NewReader(c.raw))
			if err == nil {
				defer s.Close()
				_, err = io.Copy(io.Discard, s)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Open(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// endless is a line that never ends.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range n {
		p[i] = 'x'
	}
	e.left -= n
	return n, nil
}

func TestLongLine(t *testing.T) {
	l := NewLines(io.MultiReader(strings.NewReader("a\n"), &endless{1 << 30}, strings.NewReader("\nb\r\n\nc")))
	var got []string
	for {
		line, n, err := l.Next()
		if err == io.EOF {
			break
		}
		got = append(got, fmt.Sprint(n, len(line), err == ErrTooLong))
	}
	want := []string{"1 1 false", "2 1024 true", "3 1 false", "4 0 false", "5 1 false"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if len(l.buf) > 4*MaxLine {
		t.Errorf("the buffer grew to %d bytes", len(l.buf))
	}
}

func TestCSV(t *testing.T) {
	long := strings.Repeat("x", maxRecord)
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"plain":             {"a,b\n1,2\n", []string{"1 a|b", "2 1|2"}},
		"no last end":       {"a,b\r\n1,", []string{"1 a|b", "2 1|"}},
		"empty lines":       {"a\n\n\nb\n", []string{"1 a", "4 b"}},
		"quotes":            {`"a,1","b ""q"" c",` + "\n", []string{`1 a,1|b "q" c|`}},
		"line end in field": {"\"a\nb\",c\nd,e\n", []string{"1 a\nb|c", "3 d|e"}},
		"CRLF in field":     {"\"a\r\nb\",c\r\nd,e\r\n", []string{"1 a\nb|c", "3 d|e"}},
		"stray quote":       {"5\" pipe,1\nx,2\n", []string{"1 ! 5\" pipe,1", "2 x|2"}},
		"two stray quotes":  {"5\" pipe,1\nx,2\n6\" pipe,3\ny,4\n", []string{"1 ! 5\" pipe,1", "2 x|2", "3 ! 6\" pipe,3", "4 y|4"}},
		"text behind quote": {"\"a\"b,c\nd,e\n", []string{"1 ! \"a\"b,c", "2 d|e"}},
		"never closed":      {"\"a,b\nc,d\ne,f", []string{"1 ! \"a,b", "2 c|d", "3 e|f"}},
		"closed far away":   {"\"a\n" + long + "\nz\"\n", []string{"1 ! \"a", "2 " + long, "3 ! z\""}},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewCSV(strings.NewReader(c.in), ',')
			var got []string
			for {
				fields, n, err := r.Next()
				if err == io.EOF {
					break
				}
				mark := ""
				if err != nil {
					mark = "! "
				}
				got = append(got, fmt.Sprintf("%d %s%s", n, mark, bytes.Join(fields, []byte{'|'})))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%.300q\nwant %.300q", got, c.want)
			}
		})
	}
}

// TestCSVReadsWhatIsWritten: what encoding/csv writes, fields and all, is read.
func TestCSVReadsWhatIsWritten(t *testing.T) {
	field := rapid.SampledFrom([]string{"", "a", "\"", "\"\"", ",", "\n", "a\nb", "x\"y", " ", "한", ";", "\\", "\\\""})
	rapid.Check(t, func(t *rapid.T) {
		comma := rapid.SampledFrom([]byte{',', ';', '\t'}).Draw(t, "comma")
		rows := rapid.SliceOf(rapid.SliceOfN(field, 2, 4)).Draw(t, "rows")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = rune(comma)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		w.WriteAll(rows)
		r := NewCSV(iotestReader{&b, rapid.IntRange(1, 7).Draw(t, "chunk")}, comma)
		for _, row := range rows {
			fields, _, err := r.Next()
			if err != nil {
				t.Fatalf("%q: %v", row, err)
			}
			for i, want := range row {
				if string(fields[i]) != want || len(fields) != len(row) {
					t.Fatalf("%q, want %q", fields, row)
				}
			}
		}
		if _, _, err := r.Next(); err != io.EOF {
			t.Fatal(err)
		}
	})
}

// iotestReader gives a few bytes at a time.
type iotestReader struct {
	in io.Reader
	n  int
}

func (r iotestReader) Read(p []byte) (int, error) { return r.in.Read(p[:min(len(p), r.n)]) }

func FuzzCSV(f *testing.F) {
	f.Add("a,b\n\"c\nd\",e\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewCSV(strings.NewReader(text), ',')
		last := int64(0)
		for {
			_, n, err := r.Next()
			if err == io.EOF {
				break
			}
			if n <= last {
				t.Fatalf("line %d after %d", n, last)
			}
			last = n
		}
		if lines := int64(strings.Count(text, "\n")) + 1; last > lines {
			t.Fatalf("line %d of %d", last, lines)
		}
	})
}
