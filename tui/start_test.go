package tui

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/whatif"
	"idem/engine"
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
		{"s s S g", " --screen incident --sort first-time:turned", Start{Screen: "incident", Sort: "first-time:turned"}},
		{"2 G s s", " --screen replay --at 120 --sort engine", Start{At: 120, Sort: "engine"}},
		{"2 G / o u t c o m e : 4 2 2 enter s S", " --screen replay --at 120 --filter 'outcome:422' --sort v1-moved:turned", Start{At: 120, Filter: "outcome:422", Sort: "v1-moved:turned"}},
		{"5 s S g", " --screen findings --sort money:turned", Start{Screen: "findings", Sort: "money:turned"}},
		{"6", " --screen what-if", Start{Screen: "what-if"}},
		{"6 l", " --screen what-if --against 'scope=client_id,endpoint,idem_key,amount'", Start{Screen: "what-if", Against: "scope=client_id,endpoint,idem_key,amount"}},
		{"9", " --screen compare", Start{Screen: "compare"}},
		{"9 tab", " --screen compare --against stripe-v1", Start{Screen: "compare", Against: "stripe-v1"}},
		{"9 l", " --screen compare --against adyen", Start{Screen: "compare", Against: "adyen"}},
		{"9 e s c o p e = i d e m _ k e y enter", " --screen compare --against 'scope=idem_key'", Start{Screen: "compare", Against: "scope=idem_key"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := labConfig(t)
				d := drive(t, cfg, 100, 30)
				d.keys(c.keys)
				if got, want := d.m.startLine(), "idem open "+quoted(cfg.File)+c.line; got != want {
					t.Errorf("%s, want %s", got, want)
				}
				d.keys("ctrl+y")
				d.has("command copied")
				d.keys("ctrl+l") // takes the notice away
				if err := c.start.Check(engine.DefaultPolicy()); err != nil {
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
	for _, s := range []Start{{Screen: "nosuch"}, {At: -1}, {Screen: "policy", At: 3}, {Screen: "report", Filter: "x"}, {Filter: "amount>x"}, {Screen: "replay", Filter: "amount>x"},
		{Sort: "nosuch"}, {Sort: "engine"}, {At: 1, Sort: "gap"}, {Screen: "policy", Sort: "key"}, {Against: "adyen"}, {Screen: "compare", Against: "nosuch"}, {Screen: "what-if", Against: "scope=x"}} {
		if s.Check(engine.DefaultPolicy()) == nil {
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

// Breakpoints do not keep one from where the workbench is told to begin.
func TestStartIsNotStopped(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("2")
		d.typed("b", "code:409")
		d.m.cfg.Start = Start{At: 120}
		d.m.begin()
		d.run(d.m.screens[replayRoom].(*replayScreen).seek())
		d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
		d.has(" 120/120 ")
	})
}

// What no flag brings back is told with the command line.
func TestStartLineTellsWhatItLacks(t *testing.T) {
	for keys, want := range map[string]string{
		"j":                 "command without the chosen row copied",
		"enter":             "command without what is opened copied",
		"2 G s j":           "command without the chosen row copied",
		"2 / 8 enter f":     "command without the lifted filter copied",
		"6 c":               "command without the curve copied",
		"9 o a":             "command without what counts as a difference, what is hidden",
		"5 a":               "command without the findings that accuse nobody copied",
		"2 G 4":             "command without the replay that the report is of copied",
		"7 enter":           "command without the lesson copied",
		"/ 8 4 enter s S 2": "command copied",
		"6 j l k l 9 tab l": "command copied", "6 j": "command without the chosen row copied",
	} {
		inBubble(t, 120, 30, func(t *testing.T, d *driver) {
			d.keys(keys + " ctrl+y")
			d.has(want)
		})
	}
}

// Any policy that knobs make can be said.
func TestAgainstSaysEveryPolicy(t *testing.T) {
	own := published()
	for _, mine := range own {
		for _, other := range own {
			for _, name := range []string{other.Name, turnedName} {
				word, ok := againstWord(whatif.Case{Name: name, Policy: other.Policy}, mine.Policy)
				got, err := Start{Against: word}.against(compareRoom, mine.Policy)
				if !ok || err != nil || got.Policy.Hash() != other.Policy.Hash() {
					t.Errorf("%s beside %s is %q: %v, %v", other.Name, mine.Name, word, ok, err)
				}
			}
		}
	}
}
