package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"idem/analysis"
	"idem/engine"
	"idem/fixtures"
)

// driver is the model without a terminal: keys go in, commands run beside it,
// and what they find comes back before the next key. It lives in a synctest
// bubble, so that nothing is waited for: beats of a playback come when the test
// lets time pass.
type driver struct {
	t    *testing.T
	m    *model
	msgs chan tea.Msg
	quit bool
}

func drive(t *testing.T, cfg Config, w, h int) *driver {
	ctx, cancel := context.WithCancel(t.Context())
	d := &driver{t: t, m: newModel(ctx, cfg), msgs: make(chan tea.Msg, 1<<16)}
	t.Cleanup(func() {
		cancel()
		time.Sleep(time.Minute) // the beats that are still to come end
	})
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// run runs a command as the library does.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				d.run(c)
			}
		default:
			d.msgs <- msg
		}
	}()
}

// send gives the model a message and lets everything that follows come to rest.
func (d *driver) send(msg tea.Msg) {
	d.update(msg)
	d.settle()
}

func (d *driver) update(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		d.quit = true
		return
	}
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

func (d *driver) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-d.msgs:
			d.update(msg)
		default:
			return
		}
	}
}

// wait lets time pass, in beats that are shorter than any of the app's.
func (d *driver) wait(span time.Duration) {
	const beat = 5 * time.Millisecond
	for ; span > 0; span -= beat {
		time.Sleep(beat)
		d.settle()
	}
}

// keys presses keys, separated by spaces, one after the other.
func (d *driver) keys(keys string) {
	for _, k := range strings.Fields(keys) {
		d.send(press(k))
	}
}

// press is a key as Bubble Tea sends it.
func press(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "f2": tea.KeyF2, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"tab": tea.KeyTab, "delete": tea.KeyDelete,
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(rest)[0], Mod: tea.ModCtrl}
	}
	r := []rune(name)[0]
	if unicode.IsUpper(r) {
		return tea.KeyPressMsg{Code: unicode.ToLower(r), ShiftedCode: r, Mod: tea.ModShift, Text: name}
	}
	return tea.KeyPressMsg{Code: r, Text: name}
}

// screen is what is shown, without colours.
func (d *driver) screen() string {
	return ansi.Strip(d.m.View().Content)
}

func (d *driver) has(parts ...string) {
	d.t.Helper()
	screen := d.screen()
	for _, p := range parts {
		if !strings.Contains(screen, p) {
			d.t.Errorf("screen lacks %q:\n%s", p, screen)
		}
	}
}

func (d *driver) hasNot(part string) {
	d.t.Helper()
	if screen := d.screen(); strings.Contains(screen, part) {
		d.t.Errorf("screen has %q:\n%s", part, screen)
	}
}

// checkView fails unless a view has exactly h lines of at most w cells and no
// byte in them but printable text and our own SGR sequences.
func checkView(t testing.TB, view string, w, h int) {
	t.Helper()
	new(checker).check(t, view, w, h)
}

// unprintable is the first thing in a line that is neither text nor SGR.
func unprintable(line string) string {
	var state byte
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		state, line = next, line[n:]
		sgr := strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m")
		if width == 0 && !sgr {
			return seq
		}
		for _, r := range seq {
			if !sgr && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r)) {
				return seq
			}
		}
	}
	return ""
}

// labConfig is the workbench on the lab's day.
func labConfig(t *testing.T) Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "incident.db")
	if err := fixtures.Generate(t.Context(), path, fixtures.Lab()); err != nil {
		t.Fatal(err)
	}
	return fileConfig(t, path)
}

func fileConfig(t *testing.T, path string) Config {
	t.Helper()
	source := Source{Path: path, Policy: engine.DefaultPolicy(), Version: "test", Dir: t.TempDir()}
	s, err := source.Open(t.Context(), analysis.Filter{})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return Config{
		File: path, OutDir: filepath.Join(t.TempDir(), "idem-report"), Version: "test",
		Policy: source.Policy, Session: s, OpenErr: err, Open: source.Open,
	}
}

// goldens is the folder of golden files, also after a test has changed its own.
var goldens, _ = filepath.Abs("testdata")

// golden compares text with a file of testdata; IDEM_UPDATE=1 writes it instead.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(goldens, name+".golden")
	text += "\n"
	if os.Getenv("IDEM_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; IDEM_UPDATE=1 go test makes it", err)
	}
	if string(want) != text {
		t.Errorf("%s differs; IDEM_UPDATE=1 go test takes it over\nhave:\n%s\nwant:\n%s", path, text, want)
	}
}

func pasteMsg(text string) tea.Msg { return tea.PasteMsg{Content: text} }

func sizeMsg(w, h int) tea.Msg { return tea.WindowSizeMsg{Width: w, Height: h} }

// stripped is a model's view without colours.
func stripped(m *model) string { return ansi.Strip(m.View().Content) }
