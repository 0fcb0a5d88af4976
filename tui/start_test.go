package tui

import (
	"testing"
	"testing/synctest"
)

// The command line that is copied brings back what is on the screen.
func TestStartBringsTheScreenBack(t *testing.T) {
	for _, c := range []struct {
		keys, line string
		start      Start
	}{
		{"", " --screen incident", Start{Screen: "incident"}},
		{"/ 8 4 enter", " --screen incident --filter 84", Start{Screen: "incident", Filter: "84"}},
		{"2 e", " --screen replay --at 46", Start{At: 46}},
		{"2 G / o u t c o m e : 4 2 2 enter", " --screen replay --at 120 --filter 'outcome:422'", Start{Screen: "replay", At: 120, Filter: "outcome:422"}},
		{"5 / c l a s s : d i f f enter", " --screen findings --filter 'class:diff'", Start{Screen: "findings", Filter: "class:diff"}},
		{"6", " --screen what-if", Start{Screen: "what-if"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := labConfig(t)
				d := drive(t, cfg, 100, 30)
				d.keys(c.keys)
				if got, want := d.m.startLine(), "idem open "+cfg.File+c.line; got != want {
					t.Errorf("%s, want %s", got, want)
				}
				d.keys("ctrl+y")
				d.has("command copied")
				d.keys("ctrl+l") // takes the notice away
				if err := c.start.Check(); err != nil {
					t.Fatal(err)
				}
				again := fileConfig(t, cfg.File)
				again.OutDir, again.Start = cfg.OutDir, c.start
				other := drive(t, again, 100, 30)
				if want, got := d.screen(), other.screen(); got != want {
					t.Errorf("have:\n%s\nwant:\n%s", got, want)
				}
			})
		})
	}
}

func TestStartThatCannotBe(t *testing.T) {
	for _, s := range []Start{{Screen: "nosuch"}, {At: -1}, {Screen: "policy", At: 3}, {Screen: "report", Filter: "x"}, {Filter: "amount>x"}, {Screen: "replay", Filter: "amount>x"}} {
		if s.Check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
}

// The lab's day has no file that would be there later.
func TestLabCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.Lab, cfg.Flags, cfg.OutDir = true, []string{"--lang=en,zh-Hans", "--theme=light"}, "out"
		d := drive(t, cfg, 80, 24)
		if got, want := d.m.startLine(), "idem open --screen incident '--lang=en,zh-Hans' '--theme=light'"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got, want := d.m.command("replay"), "idem gen --out lab.db && idem replay lab.db --out out"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
