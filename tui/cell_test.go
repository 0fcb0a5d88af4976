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

// The rounds of a lesson, the fields of an import and the sections of a report
// are copied with the same keys.
func TestCopyOnScreensOfTheirOwnKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, importConfig(t), 120, 40)
		for _, c := range []struct{ keys, says string }{
			{"7 y", "y: no lesson has begun"}, {"enter y", "y: no request was sent yet"}, {"c Y", "row copied"},
			{"y", "key copied (y again: client)"}, {"y y y y", "right engine copied (y again: wrong engine)"}, {"enter y", "key copied"}, {"c y", "key copied"},
			{"8 y", "y: no field is filled in"}, {"c", "c: name files of requests"}, {"Y", "Y: nothing was understood yet"},
			{"enter " + typed("requests.csv") + " enter " + typed("transfers.csv") + " g y", "requests copied (y again: transfers)"}, {"c", "command copied"}, {"d Y", "what was understood copied"}, {"q c", "command copied"},
			{"4 y", "y: there is no report yet"}, {"enter 4 y", "이중 송금 사고 보고서 copied"}, {"n y", "무엇이 잘못됐나 copied"}, {"Y", "report copied"}, {"c", "command copied"},
		} {
			d.keys(c.keys)
			d.has(c.says)
		}
	})
}

func TestRoundAsJSON(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("7 enter c p")
		c := d.m.screens[classroomRoom].(*classroomScreen).class
		var row struct {
			Lesson, Said, Right_engine string
			N                          int
			Broken                     []string
		}
		if err := json.Unmarshal([]byte(c.roundJSON()), &row); err != nil || row.Lesson != c.lesson.Name || row.N != 2 ||
			row.Said != "replayed" || row.Right_engine != "created" || row.Broken == nil {
			t.Errorf("%v: %s", err, c.roundJSON())
		}
	})
}

func TestImportCommand(t *testing.T) {
	for _, c := range []struct {
		form ImportForm
		want string
	}{
		{ImportForm{Requests: "a b.csv,c.csv"}, "idem import --requests 'a b.csv,c.csv' --dry-run"},
		{ImportForm{Requests: "a", Transfers: "t", Accounts: "x", Mapping: "m.toml", Settings: " --zone  +09:00", Out: "-o'"},
			`idem import --requests a --transfers t --accounts x --map m.toml --zone '+09:00' --out '-o'\'''`},
	} {
		if got := c.form.command(); got != c.want {
			t.Errorf("%+v is %s", c.form, got)
		}
	}
}
