package tui

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
)

// terminal is an emulator that the program writes to. It has a lock of its own,
// because the emulator's safe variant races.
type terminal struct {
	mu sync.Mutex
	vt *vt.Emulator
}

// Write turns line ends as a terminal's line discipline does.
func (s *terminal) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.vt.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (s *terminal) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.vt.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

// program runs the real program against an emulator, in a synctest bubble.
type program struct {
	t    *testing.T
	term *terminal
	tea  *tea.Program
	m    *model
	done chan error
}

func start(t *testing.T, cfg Config, w, h int) *program {
	return startOn(t, cfg, w, h, func(term *terminal) *watched {
		return &watched{term: term, log: slog.New(slog.DiscardHandler)}
	})
}

// startOn has something look on.
func startOn(t *testing.T, cfg Config, w, h int, look func(*terminal) *watched) *program {
	term := &terminal{vt: vt.NewEmulator(w, h)}
	screen := look(term)
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{t: t, term: term, m: newModel(ctx, cfg), done: make(chan error, 1)}
	p.tea = tea.NewProgram(p.m, tea.WithInput(nil), tea.WithOutput(screen), tea.WithFilter(screen.resized), tea.WithFPS(30), tea.WithoutSignalHandler(),
		tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	go func() {
		_, err := p.tea.Run()
		p.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		time.Sleep(time.Minute)
	})
	p.frame()
	return p
}

// frame lets the next frames be painted.
func (p *program) frame() {
	synctest.Wait()
	time.Sleep(200 * time.Millisecond)
	synctest.Wait()
}

func (p *program) keys(keys string) {
	for _, k := range strings.Fields(keys) {
		p.tea.Send(press(k))
		p.frame()
	}
}

func (p *program) has(parts ...string) {
	p.t.Helper()
	screen := strings.Join(p.term.lines(), "\n")
	for _, part := range parts {
		if !strings.Contains(screen, part) {
			p.t.Errorf("terminal lacks %q:\n%s", part, screen)
		}
	}
}

// The whole day at four steps a second, as a terminal shows it: half a minute of
// its time, none of ours.
func TestWholeDayOnTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, labConfig(t), 80, 24)
		p.has("₩ 23,074,200", "1 Incident")
		p.keys("2 n n p")
		p.has(" 1/120 ", "+ 1 created")
		p.keys("space")
		time.Sleep(15 * time.Second)
		p.frame()
		p.has("▶ 4x")
		time.Sleep(20 * time.Second)
		p.frame()
		p.has("120/120", "+ 100 created", "= 16 replayed", "! 2 409 in flight", "x 2 422 mismatch", "5 files written into")
		p.keys("4")
		p.has("보고서")
		p.keys("q")
		select {
		case err := <-p.done:
			if err != nil || p.m.code != 0 {
				t.Errorf("ended with %v, code %d", err, p.m.code)
			}
		default:
			t.Error("q did not end the program")
		}
		if p.term.vt.IsAltScreen() {
			t.Error("the alternate screen stays")
		}
	})
}

// What the terminal shows is the view, cell by cell, whatever the data holds.
func TestTerminalShowsTheView(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := start(t, fakeConfig(&fake{total: 9, text: text}), 100, 30)
				for _, keys := range []string{"", "enter", "q 2 n n n", "enter", "q 3", "5", "j enter", "q 6", "c", "q 7 enter", "c", "enter"} {
					p.keys(keys)
					want := strings.Split(plainScreen(stripped(p.m)), "\n")
					for i, line := range p.term.lines() {
						if line != want[i] {
							t.Fatalf("after %q line %d is\n%q, want\n%q", keys, i, line, want[i])
						}
					}
				}
				p.tea.Quit()
				<-p.done
			})
		})
	}
}

// The screens beyond the day, as a terminal shows them.
func TestInquiryOnTerminal(t *testing.T) {
	for _, c := range []struct {
		name   string
		config func(*testing.T) Config
		play   func(p *program)
	}{
		{"findings", labelledConfig, func(p *program) {
			p.keys("5")
			p.has("9 findings", "proxy retry", "repeats c06t1", "← the same request")
			p.keys("j j enter")
			p.has("same key different body", "disputed")
			p.keys("q x")
			p.has("6 files written into")
		}},
		{"what if", labConfig, func(p *program) {
			p.keys("6 j")
			for range 13 {
				p.keys("-")
			}
			p.has("‹ 0.01 ›", "! a key is kept for")
			p.keys("c")
			p.has("the smallest retention", "1m1.468s", "▲")
		}},
		{"classroom", labConfig, func(p *program) {
			p.keys("7 j j j enter d")
			p.has("No fingerprint", "≠", "said paid and not ₩ 1,863,600", "x request 64: it was answered with another request's result")
			p.keys("c")
			p.has("said right 1 of 1")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := start(t, c.config(t), 80, 24)
				c.play(p)
				p.tea.Quit()
				<-p.done
			})
		})
	}
}

// A panic in a command ends the program with the terminal as it was.
func TestPanicPutsTheTerminalBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, fakeConfig(&fake{total: 9, text: "k", panics: true}), 80, 24)
		p.keys("2 n")
		if err := <-p.done; err != nil {
			t.Errorf("the library saw %v", err)
		}
		if code, err := endCode(p.m, 0, nil); code != exitFailed || !strings.Contains(err.Error(), "the engine broke") {
			t.Errorf("code %d, %v", code, err)
		}
		if p.term.vt.IsAltScreen() || p.term.vt.CursorHidden() {
			t.Error("the terminal is not as it was")
		}
	})
}

// Two hundred resizes during playback, and it plays on.
func TestResizeStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, fakeConfig(&fake{total: 1000, text: "k"}), 80, 24)
		p.keys("2 space")
		for i := range 200 {
			p.tea.Send(tea.WindowSizeMsg{Width: 1 + i*7%150, Height: 1 + i*5%60})
			time.Sleep(10 * time.Millisecond)
		}
		p.tea.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
		p.frame()
		p.has("▶ 4x")
		p.tea.Quit()
		<-p.done
	})
}
