package tui

import (
	"strings"
	"testing"
	"testing/synctest"
)

// Every key that a screen answers to on an open incident stands in the table.
func TestKeyTableNamesEveryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := KeyTable()
		d := drive(t, labConfig(t), 80, 24)
		for i := range rooms {
			for _, b := range append(d.m.screens[i].keys().bindings, d.m.ownKeys().bindings...) {
				if first := strings.Fields(b.name)[0]; !strings.Contains(table, "`"+first+"`") {
					t.Errorf("%s lacks %s", d.m.screens[i].keys().title, b.name)
				}
			}
		}
	})
}

// No two keys of a map are one, and no key of a screen hides one of the
// workbench's but esc, which closes what is on the screen first.
func TestKeysAreDistinct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labConfig(t), 80, 24)
		for i, s := range d.m.screens {
			seen := map[string]string{}
			for _, part := range []section{s.keys(), d.m.ownKeys()} {
				for _, b := range part.bindings {
					for _, k := range b.keys {
						if was, twice := seen[k]; twice && k != "esc" {
							t.Errorf("%s: %s is both %q and %q", rooms[i].title, k, was, b.help)
						}
						seen[k] = b.help
					}
				}
			}
		}
	})
}
