package tui

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/vt"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cast"
)

// Read, Close and Fd make the emulator look like a file that is no terminal.
func (s *terminal) Read([]byte) (int, error) { select {} }
func (s *terminal) Close() error             { return nil }
func (s *terminal) Fd() uintptr              { return ^uintptr(0) }

// player is an emulator that a recording is played on.
type castPlayer struct {
	t    *testing.T
	term *terminal
	at   float64
}

// play plays a recording, and checks what holds of every one: a version 2
// header, times that do not go back, events of known kinds.
func play(t *testing.T, file []byte) *castPlayer {
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 1<<20)
	var head struct{ Version, Width, Height int }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version != 2 {
		t.Fatalf("no header: %s", lines.Bytes())
	}
	p := &castPlayer{t: t, term: &terminal{vt: vt.NewEmulator(head.Width, head.Height)}}
	for lines.Scan() {
		p.event(lines.Bytes())
	}
	return p
}

func (p *castPlayer) event(line []byte) {
	var event []any
	if err := json.Unmarshal(line, &event); err != nil || len(event) != 3 {
		p.t.Fatalf("%v: %s", err, line)
	}
	if at := event[0].(float64); at < p.at {
		p.t.Fatalf("back to %v: %s", at, line)
	} else {
		p.at = at
	}
	switch data := event[2].(string); event[1] {
	case "o":
		_, _ = p.term.Write([]byte(data))
	case "r":
		var w, h int
		fmt.Sscanf(data, "%dx%d", &w, &h)
		p.term.vt.Resize(w, h)
	default:
		p.t.Fatalf("unknown kind: %s", line)
	}
}

// A recording shows at its end, and at any line it is cut at, what was on the
// screen; a new size is in it, what was copied is not, and no pause is long.
func TestRecordingShowsTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		begun := time.Now()
		rec := cast.New(&file, cast.Options{Width: 80, Height: 24, Clock: time.Now, Idle: 2 * time.Second})
		p := startOn(t, labConfig(t), 80, 24, func(term *terminal) *watched {
			return &watched{term: term, rec: rec, log: slog.New(slog.DiscardHandler)}
		})
		for _, keys := range []string{"enter", "y q", "2 n n n", "G", "4"} {
			p.keys(keys)
			time.Sleep(time.Hour)
			p.frame()
			p.sameAs(play(t, file.Bytes()))
		}
		p.term.vt.Resize(100, 30)
		p.tea.Send(tea.WindowSizeMsg{Width: 100, Height: 30})
		p.frame()
		last := play(t, file.Bytes())
		p.sameAs(last)
		if last.at > 120 || time.Since(begun) < 5*time.Hour {
			t.Errorf("%v long, of %v", last.at, time.Since(begun))
		}
		if !strings.Contains(file.String(), `"r","100x30"`) || strings.Contains(file.String(), "]52;") {
			t.Error("the new size is missing, or the clipboard is not")
		}
		p.tea.Quit()
		<-p.done
		if play(t, file.Bytes()).term.vt.IsAltScreen() {
			t.Error("the recording ends in the alternate screen")
		}
	})
}

func (p *program) sameAs(played *castPlayer) {
	p.t.Helper()
	want, got := p.term.lines(), played.term.lines()
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			p.t.Fatalf("line %d of the recording is\n%q, want\n%q", i, got, want[i])
		}
	}
}
