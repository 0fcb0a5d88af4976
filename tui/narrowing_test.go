package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/analysis"
)

// What is narrowed once is narrowed on every screen, which says so, until it is
// lifted.
func TestNarrowingIsSeenOnEveryScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labConfig(t), 100, 30)
		d.keys("z c l i e n t : s h o p - 2 enter")
		for _, screen := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			d.keys(screen)
			d.has("92 of 120 requests hidden: narrowed to client:shop-2 · z changes it, Z lifts it")
		}
		d.keys("1")
		d.has("6,853,400", "28 requests")
		d.keys("2 G")
		d.has("28/28", "23 created")
		d.keys("5")
		d.has("5 findings")
		d.keys("6")
		d.has("28")
		d.keys("1 Z")
		d.hasNot("narrowed to")
		d.has("23,074,200", "120 requests")
		d.keys("Z")
		d.has("all of the incident is here")
	})
}

// Times without a date are of the incident's day; what is wrong is told while one
// types, and what is narrowed stands in the prompt.
func TestNarrowingByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labConfig(t), 100, 30)
		d.keys("z 1 0 : 0 0 . . 0 9 : 0 0")
		d.has("nothing lies between")
		d.keys("enter esc")
		d.hasNot("narrowed to")
		d.keys("z ctrl+u a m o u n t > 3")
		d.has("cannot be asked here")
		d.keys("ctrl+u . . 1 2 : 0 0 enter")
		d.has("narrowed to ..2026-03-10T12:00:00")
		d.keys("z")
		d.has("..2026-03-10T12:00:00")
		d.keys("ctrl+u enter")
		d.hasNot("narrowed to")
	})
}

// The command line that is copied gives what is on the screen.
func TestNarrowedCommandLine(t *testing.T) {
	d := &desk{cfg: Config{File: "-a.db", Narrow: analysis.Filter{From: time.Unix(0, 0), Client: "it's -me", Account: "-x"}}}
	if got, want := d.command("analyze"), `idem analyze ./-a.db --from=1970-01-01T00:00:00Z --client='it'\''s -me' --account=-x`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A part whose names are hostile is drawn within the screen like any other.
func TestNarrowedToHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := "\x1b[2J\u202e" + strings.Repeat("긴이름", 40)
		cfg := fakeConfig(&fake{total: 5, frontier: 5, text: name, part: analysis.Filter{Client: name}})
		cfg.Narrow.Client = name
		for _, size := range goldenSizes {
			d := drive(t, cfg, size[0], size[1])
			checkView(t, d.m.View().Content, size[0], size[1])
			if !tooSmallFor(size) {
				d.has("15 requests hidden: narrowed to")
			}
		}
	})
}

// A part that cannot be opened is told, and can be left again.
func TestPartThatCannotBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := fakeConfig(&fake{total: 5, frontier: 5, text: "day"})
		open := cfg.Open
		cfg.Open = func(ctx context.Context, x analysis.Filter) (Session, error) {
			if !x.IsZero() {
				return nil, errors.New("a balance does not fit")
			}
			return open(ctx, x)
		}
		d := drive(t, cfg, 80, 24)
		d.keys("z c l i e n t : a enter")
		d.has("a balance does not fit")
		d.keys("Z")
		d.hasNot("a balance does not fit")
		d.has("5 requests")
	})
}
