package tui

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"idem/crash"
)

// fallingScreen panics where it is told to.
type fallingScreen struct {
	screen
	where string
}

func (f *fallingScreen) view(w, h int) []string {
	if f.where == "view" {
		panic("the view broke")
	}
	return f.screen.view(w, h)
}

func (f *fallingScreen) wheel(int) tea.Cmd {
	switch f.where {
	case "update":
		panic("the update broke")
	case "command":
		return tea.Batch(nil, func() tea.Msg { panic("the command broke") })
	}
	f.where = "view"
	return nil
}

// Wherever the app panics, it ends with the terminal as it was, exit code 1 and
// a panic that says where.
func TestPanicEndsTheApp(t *testing.T) {
	for _, where := range []string{"update", "command", "view later"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := start(t, fakeConfig(&fake{total: 9, text: "k"}), 80, 24)
				p.m.alarm = func(broken *crash.Panic) { go p.tea.Send(endMsg{exitFailed, broken}) }
				p.m.screens[replayRoom] = &fallingScreen{screen: p.m.screens[replayRoom], where: where}
				p.keys("2 F2")
				p.m.mouse = true
				p.tea.Send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, Y: 10})
				<-p.done
				code, err := endCode(p.m, 0, nil)
				if broken := new(crash.Panic); code != exitFailed || !errors.As(err, &broken) || !strings.Contains(broken.Stack(), "fallingScreen") {
					t.Errorf("code %d, %v", code, err)
				}
				if p.term.vt.IsAltScreen() || p.term.vt.CursorHidden() {
					t.Error("the terminal is not as it was")
				}
			})
		})
	}
}

// The log has messages, commands and views with their times and sizes, and no
// word of what was opened or typed.
func TestLogHasNoData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		cfg := fakeConfig(&fake{total: 9, text: "canary"})
		cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		d := drive(t, cfg, 100, 30)
		d.keys("enter / c a n a r y enter y Y 2 n n : c a n a r y enter enter q / k e y : c a n a r y enter G 3 4 5 6 7 8")
		d.send(pasteMsg("canary"))
		d.m.View()
		for _, want := range []string{"msg=message type=tea.KeyPressMsg took=", "msg=command name=idem/tui.", "msg=view width=100 height=30 bytes="} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %q:\n%.2000s", want, log.String())
			}
		}
		if found := regexp.MustCompile(`(?m)^.*canary.*$`).FindString(log.String()); found != "" {
			t.Errorf("the log has data: %s", found)
		}
	})
}
