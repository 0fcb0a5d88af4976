package cast

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hand is a clock that is moved by hand.
type hand struct{ now time.Time }

func (h *hand) clock() time.Time { return h.now }

func begin(w *bytes.Buffer, idle time.Duration) (*Recorder, *hand) {
	h := &hand{time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)}
	return New(w, Options{Width: 80, Height: 24, Term: "xterm-256color", Clock: h.clock, Idle: idle}), h
}

// The format of the file, to the byte, with pauses cut to two seconds.
func TestFile(t *testing.T) {
	var b bytes.Buffer
	r, h := begin(&b, 2*time.Second)
	h.now = h.now.Add(1500 * time.Millisecond)
	r.Output([]byte("\x1b[31m<b>\x1b[m 한\r\n"))
	h.now = h.now.Add(time.Hour)
	r.Resize(100, 30)
	r.Resize(100, 30)
	h.now = h.now.Add(-time.Minute) // a clock that is set back
	r.Output([]byte(`"`))
	want := `{"version":2,"width":80,"height":24,"timestamp":1773133200,"env":{"TERM":"xterm-256color"}}
[1.500000,"o","\u001b[31m<b>\u001b[m 한\r\n"]
[3.500000,"r","100x30"]
[3.500000,"o","\""]
`
	if b.String() != want || r.Err() != nil {
		t.Errorf("%v\n%s\nwant\n%s", r.Err(), b.String(), want)
	}
}

func TestPausesAreKeptUnlessCapped(t *testing.T) {
	var b bytes.Buffer
	r, h := begin(&b, 0)
	h.now = h.now.Add(time.Hour)
	r.Output([]byte("x"))
	if !strings.Contains(b.String(), `[3600.000000,"o","x"]`) {
		t.Error(b.String())
	}
}

// What is on no screen is in no recording, and nothing has the viewer's terminal
// answer.
func TestOnlyWhatIsSeen(t *testing.T) {
	for _, c := range []struct{ name, written, kept string }{
		{"clipboard", "a\x1b]52;c;c2VjcmV0\ab", "ab"},
		{"clipboard, other end", "a\x1b]52;c;c2VjcmV0\x1b\\b", "ab"},
		{"title and colours", "\x1b]2;title\a\x1b]11;?\a.", "."},
		{"questions", "\x1b[c\x1b[6n\x1b[?2026$p\x1b[>q\x1b[?u.", "."},
		{"device control", "\x1bP+q544e\x1b\\.", "."},
		{"modes stay", "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H\x1b[3;4H\x1b[K\x1b[?2026h", "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H\x1b[3;4H\x1b[K\x1b[?2026h"},
		{"keyboard", "\x1b[>1u\x1b[<u\x1b[=1;1u.", "."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			r, _ := begin(&b, 0)
			r.Output([]byte(c.written))
			if got := shown(t, b.String()); got != c.kept {
				t.Errorf("kept %q, want %q", got, c.kept)
			}
		})
	}
}

// shown is everything that a recording has on the screen.
func shown(t testing.TB, file string) string {
	var all strings.Builder
	lines := bufio.NewScanner(strings.NewReader(file))
	for n := 0; lines.Scan(); n++ {
		var event []any
		if n == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if event[1] == "o" {
			all.WriteString(event[2].(string))
		}
	}
	return all.String()
}

// However the output is cut into writes, what is kept is the same.
func TestCuts(t *testing.T) {
	parts := []string{"plain", "한글", "é", "\x1b[31m", "\x1b[12;34H", "\x1b]52;c;c2VjcmV0\a", "\x1b]2;t\x1b\\", "\x1b[?2026$p", "\r\n", "\x1b7", "\x1bP1$r\x1b\\", "\x1b[m"}
	rapid.Check(t, func(t *rapid.T) {
		whole := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 12).Draw(t, "parts"), ""))
		var once, cut bytes.Buffer
		r, _ := begin(&once, 0)
		r.Output(whole)
		r, _ = begin(&cut, 0)
		for len(whole) > 0 {
			n := rapid.IntRange(1, len(whole)).Draw(t, "n")
			r.Output(whole[:n])
			whole = whole[n:]
		}
		var tb testing.TB = &testing.T{}
		if a, b := shown(tb, once.String()), shown(tb, cut.String()); a != b {
			t.Fatalf("%q, in pieces %q", a, b)
		}
	})
}

// FuzzOutput: whatever is written, each line is JSON.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("\x1b]52;c;\xff\x80한"), 3)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		var out bytes.Buffer
		r, _ := begin(&out, 0)
		cut = max(0, min(cut, len(b)))
		r.Output(b[:cut])
		r.Output(b[cut:])
		if got := shown(t, out.String()); strings.Contains(got, "\x1b]") {
			t.Errorf("%q", got)
		}
	})
}

// full takes so many writes.
type full struct{ writes int }

func (f *full) Write(b []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, errors.New("no space")
	}
	return len(b), nil
}

// The first failed write ends the recording; no line follows one that is cut.
func TestFullDisk(t *testing.T) {
	f := &full{writes: 2}
	h := &hand{}
	r := New(f, Options{Clock: h.clock})
	r.Output([]byte("a"))
	r.Output([]byte("b"))
	f.writes = 10
	r.Output([]byte("c"))
	if r.Err() == nil || f.writes != 10 {
		t.Errorf("%v, %d writes left", r.Err(), f.writes)
	}
}
