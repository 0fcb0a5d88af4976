package tui

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// A column that was chosen away stays away, in other incidents and after a
// restart, and nothing is written beside the evidence.
func TestColumnsAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = filepath.Join(t.TempDir(), "state")
		d := drive(t, cfg, 100, 30)
		d.keys("2 n")
		d.has("client", "code", "67eb")
		d.keys("t")
		d.has("Columns of the list", "[x] time", "[x] client")
		d.keys("j space")
		d.has("[ ] client")
		d.keys("j j enter t")
		d.hasNot("code")
		d.keys("s")
		d.hasNot("code")
		d.keys("esc 1 t space")
		d.has("[ ] client")

		again := labConfig(t)
		again.StateDir = cfg.StateDir
		e := drive(t, again, 100, 30)
		e.hasNot("client")
		e.keys("2 n")
		e.hasNot("code")
		e.has("67eb")
		e.keys("t j space")
		e.has("[x] client", "[ ] code")
		if list, err := os.ReadDir(filepath.Dir(again.File)); err != nil || len(list) != 1 {
			t.Errorf("beside the evidence: %v, %v", list, err)
		}
	})
}

func TestColumnsWithoutList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = t.TempDir()
		if err := os.WriteFile(filepath.Join(cfg.StateDir, columnsFile), []byte("no JSON"), 0o600); err != nil {
			t.Fatal(err)
		}
		d := drive(t, cfg, 100, 30)
		d.has("the choice of columns cannot be read")
		d.keys("3 t")
		d.has("t: this screen has no list whose columns can be chosen")
	})
}

// Keys that are short leave their room to clients with long names.
func TestShortKeysLeaveTheirRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, changedLab(t, "UPDATE req_log SET client_id = 'merchant-' || client_id, idem_key = substr(idem_key, 1, 4)"), 80, 24)
		d.has("merchant-shop-", " 8418 ")
	})
}
