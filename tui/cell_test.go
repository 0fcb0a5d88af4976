package tui

import (
	"encoding/json"
	"testing"
	"testing/synctest"
)

// y copies one cell after the other, on each screen that has rows; any other key
// begins anew.
func TestCellsOneAfterTheOther(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		for _, c := range []struct{ keys, says string }{
			{"y", "key copied (y again: client)"}, {"y", "client copied (y again: endpoint)"}, {"y y y", "extra transfers copied"},
			{"j y", "key copied"}, {"2 n y", "key copied"}, {"y y y y", "outcome copied (y again: body)"}, {"n y", "key copied"},
		} {
			d.keys(c.keys)
			d.has(c.says)
		}
	})
}

func TestFindingAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labelledConfig(t), 100, 30)
		d.keys("5")
		f := d.m.screens[findingsRoom].(*findingsScreen).list.selected()
		var row struct {
			Class string
			Extra []string
			Paid  map[string]int64 `json:"paid_again"`
		}
		if err := json.Unmarshal([]byte(findingJSON(f)), &row); err != nil || row.Class != string(f.Class) || len(row.Extra) != len(f.Extra) || len(row.Paid) == 0 {
			t.Errorf("%v: %s", err, findingJSON(f))
		}
		d.keys("y y")
		d.has("class copied")
	})
}
