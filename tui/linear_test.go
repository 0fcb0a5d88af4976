package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode"
)

// speak runs commands, one a line, and returns what was said.
func speak(t *testing.T, cfg Config, commands ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := RunLinear(t.Context(), cfg, strings.NewReader(strings.Join(commands, "\n")+"\n"), &out, false); err != nil {
		t.Fatal(err)
	}
	checkSpoken(t, out.String())
	return out.String()
}

// checkSpoken fails unless a text is lines of printable text without drawings.
func checkSpoken(t *testing.T, text string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			t.Errorf("an empty line in\n%s", text)
		}
		for _, r := range line {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0x2500 && r <= 0x28ff {
				t.Fatalf("%q in %q", r, line)
			}
		}
	}
}

func says(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("%q was not said in\n%s", part, said)
		}
	}
}

// Every command on the lab's day, in words.
func TestLinear(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands []string
		says     []string
	}{
		{"welcome", nil, []string{"Requests: 120, under 100 keys.", "Paid twice: 23,074,200 KRW, in 20 extra transfers under 18 keys."}},
		{"steps", []string{"next", "n 5", "previous"}, []string{
			"Request 1 of 120, 2026-03-10 09:04:21.\nOutcome: created.", "Request 6 of 120", "Outcome: replayed.\nThat is: the same request again", "Its key was claimed by request 5.",
			"The engine moved nothing.\nThe old service moved 1,046,600 KRW, again.", "Request 5 of 120"}},
		{"find", []string{"find 409", "find 422", "back duplicate", "find client:shop-2 amount>1800000"}, []string{
			"Request 46 of 120", "Outcome: 409 in flight.", "Request 64 of 120", "Outcome: 422 mismatch.", "Request 63 of 120, 2026-03-10 13:37:27"}},
		{"find runs no further than it has to", []string{"find 409", "report"}, []string{"Error: the day is not through"}},
		{"nothing to find", []string{"find refused", "find", "find amount>x"}, []string{"There is no refused after request 0.", "Error: say what to find", "Error: "}},
		{"empty lines", []string{"", "next", "", ""}, []string{"Say a command", "Request 3 of 120"}},
		{"goto", []string{"goto 57", "goto 12:15:49", "goto 8418cc84", "goto 999", "goto", "goto nowhere"}, []string{
			"Request 57 of 120", "Request 46 of 120", "Request 68 of 120", "Error: the last request is 120.", "Error: say where", "There is no request with nowhere after request 68."}},
		{"detail", []string{"detail", "goto 46", "detail"}, []string{"Error: no request has been sent yet.", `Body: {"src":"acc-04","dst":"acc-08","amount":269700,"currency":"KRW"}`,
			"same as #45", "Record before: in_progress", "Record after: unchanged.", "The old service made transfer T000046 of 269,700 KRW.", "Account acc-04: 52,165,500 with the engine, 50,115,400 with the old service."}},
		{"duplicates", []string{"duplicates", "", "key 1", "key 99", "key"}, []string{
			"Duplicate 1: 4 requests and 4 transfers under key 8418cc84-24dc-4401-8c74-555e9e31a400 of client shop-1, endpoint /v1/transfers; paid again 4,761,600 KRW.",
			"8 more", "Duplicate 18:", "That is all", "It moved 1,587,200 KRW by transfer T000069, extra.", "Error: say the number of a duplicate, 1 to 18"}},
		{"here", []string{"goto 46", "here"}, []string{"So far created: 38.", "So far 409 in flight: 1.", "Stopped so far: 9,005,500 KRW."}},
		{"policy", []string{"policy"}, []string{"retention_hours: 72. That is how long a key is valid"}},
		{"captions", []string{"captions", "next", "captions"}, []string{"Outcomes are not explained.", "Outcome: created.\nClient shop-1", "Outcomes are explained."}},
		{"findings", []string{"findings"}, []string{"Finding 1, certain: ", "because of this: ", " in all."}},
		{"help", []string{"help"}, []string{"next [COUNT]: the next request", "quit: end."}},
		{"mistakes", []string{"frob", "p", "next x", "f"}, []string{"Error: there is no command frob; help lists them.", "Error: p can be previous or policy.", "Error: x is no number", "Error: f can be first or find or findings."}},
		{"end of the line", []string{"quit", "next"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := speak(t, labConfig(t), c.commands...)
			says(t, said, c.says...)
			if c.name == "end of the line" && strings.Contains(said, "Request 1 of") {
				t.Error("it goes on after quit")
			}
		})
	}
}

// The tour in words comes to the same stops as the one on the screen, each with
// what it is about.
func TestLinearTour(t *testing.T) {
	cfg := labConfig(t)
	cfg.Tour = true
	said := speak(t, cfg, make([]string, len(tourStops))...)
	for i, s := range tourStops {
		says(t, said, fmt.Sprintf("Stop %d of %d: %s.", i+1, len(tourStops), s.title))
	}
	says(t, said, "An empty line begins the guided tour", "Request 6 is a retry of 5:", "Outcome: replayed.", "20 times, 23,074,200 KRW in all", "Request 46 came while 45 still ran", "Outcome: 409 in flight.",
		"Request 64 has the key of 63", "Outcome: 422 mismatch.", "It moved 1,587,200 KRW by transfer T000071, extra.", "retention_hours: 72", "무엇이 잘못됐나", "Go on with findings")
	if missing := unfilled.FindString(said); missing != "" {
		t.Errorf("no figure for %s", missing)
	}
	if strings.Contains(said, "Error") {
		t.Error(said)
	}
}

// At the end of the day its files are written once, and the report is told
// without a table or a sign of Markdown.
func TestLinearReport(t *testing.T) {
	cfg := labConfig(t)
	said := speak(t, cfg, "report", "last", "first", "last", "report")
	says(t, said, "Error: the day is not through", "Request 120 of 120", "The day is through.", "The old service moved 125,902,000 KRW, the engine 102,827,800 KRW.",
		"5 files written into ", "무엇이 잘못됐나")
	if n := strings.Count(said, "5 files written"); n != 1 {
		t.Errorf("written %d times", n)
	}
	for _, line := range strings.Split(said, "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") {
			t.Errorf("Markdown: %s", line)
		}
	}
	if _, err := os.Stat(cfg.OutDir + "/day.db"); err != nil {
		t.Error(err)
	}
}

// Whatever the data holds, only printable text is said.
func TestLinearHostile(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x2500 && r <= 0x28ff }) {
				t.Skip("drawings that the data has are the data's")
			}
			cfg := fakeConfig(&fake{total: 9, text: text})
			speak(t, cfg, "next", "detail", "n", "n", "detail", "duplicates", "key 1", "goto "+strings.ReplaceAll(text, "\n", " "), "last", "report", "findings", text)
		})
	}
}

// meddler changes a file between two commands.
type meddler struct {
	path  string
	reads int
}

func (m *meddler) Read(b []byte) (int, error) {
	m.reads++
	switch m.reads {
	case 2:
		f, err := os.OpenFile(m.path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(strings.Repeat("x", 4096))
			f.Close()
		}
		if err != nil {
			return 0, err
		}
	case 4:
		return 0, io.EOF
	}
	return copy(b, "next\n"), nil
}

// A file that changes meanwhile is told of, once.
func TestLinearTellsOfChange(t *testing.T) {
	cfg := labConfig(t)
	var out bytes.Buffer
	if err := RunLinear(t.Context(), cfg, &meddler{path: cfg.File}, &out, false); err != nil {
		t.Fatal(err)
	}
	_, rest, told := strings.Cut(out.String(), "Warning: the file has changed")
	if !told || strings.Contains(rest, "Warning") || !strings.Contains(rest, "Request 3 of") {
		t.Error(out.String())
	}
}

// That the day's files have no place is told at the start.
func TestLinearLooksAtTheFolderFirst(t *testing.T) {
	cfg := labConfig(t)
	if err := os.WriteFile(cfg.OutDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := RunLinear(t.Context(), cfg, strings.NewReader("next\n"), &out, false); err != nil {
		t.Fatal(err)
	}
	warning, first := strings.Index(out.String(), "Warning: the files will find no place"), strings.Index(out.String(), "Request 1 of")
	if warning < 0 || first < warning {
		t.Error(out.String())
	}
}

// blocking has nothing to be read until its context ends.
type blocking struct{ ctx context.Context }

func (b blocking) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, io.EOF }

// A signal ends the wait for a command, and a full disk the program.
func TestLinearEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("a signal")
	read, finish := context.WithCancel(t.Context())
	defer finish()
	go cancel(cause)
	if err := RunLinear(ctx, labConfig(t), blocking{read}, io.Discard, true); !errors.Is(err, cause) {
		t.Errorf("ended with %v", err)
	}
	if err := RunLinear(t.Context(), labConfig(t), strings.NewReader("next\n"), fullDisk{}, false); !errors.Is(err, errFull) {
		t.Errorf("a full disk gave %v", err)
	}
	for commands, want := range map[string]bool{"first": false, "last": true, "last\nquit": true} {
		cfg := labConfig(t)
		cfg.OutDir = cfg.File // where a file stands, no folder can be
		err := RunLinear(t.Context(), cfg, strings.NewReader(commands), io.Discard, false)
		if got := err != nil && strings.Contains(err.Error(), "the day's files are not in"); got != want {
			t.Errorf("%q without a place for the files: %v", commands, err)
		}
	}
}

var errFull = errors.New("no space")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestSpokenMarkdown(t *testing.T) {
	got := strings.Join(spokenMarkdown("# A\n\n- b\n\n| x | y |\n|---|---:|\n| 1 | a\\|b |\n\n| x | y | z |\n|---|---|---|\n| 1 | 2 | 3 |\n> c\n"), "\n")
	if want := "A\nb\n1: a|b\nx: 1; y: 2; z: 3\nc"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
