package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/report"
)

// cell is a field of a row, as y copies it.
type cell struct{ name, text string }

// cellKey copies a cell of the chosen row: the first one, and pressed again the
// next, so that no cursor has to go from cell to cell.
func (d *desk) cellKey(why string, list func() []cell) binding {
	help := "copy a cell of the row; y again copies the next one"
	return binding{keys: []string{"y"}, name: "y", help: help, why: why, do: func() tea.Cmd {
		all := slices.DeleteFunc(list(), func(c cell) bool { return c.text == "" })
		if len(all) == 0 {
			d.tell("the row has nothing to copy")
			return nil
		}
		now, next := all[d.turn%len(all)], all[(d.turn+1)%len(all)]
		d.turn++
		cmd := d.copyText(now.name, now.text)
		d.tell(strings.Replace(d.notice, " copied", " copied (y again: "+next.name+")", 1))
		return cmd
	}}
}

func groupCells(g *analysis.Group) []cell {
	return []cell{
		{"key", g.Key}, {"client", g.ClientID}, {"endpoint", g.Endpoint}, {"kept transfer", g.Kept},
		{"extra transfers", strings.Join(g.Extra, " ")}, {"extra paid", report.PlainMoney(g.Paid)},
		{"first time", stamp(g.FirstAt)}, {"last time", stamp(g.LastAt)},
	}
}

func (r *replayScreen) stepCells() []cell {
	d := r.page.detail
	list := []cell{
		{"key", d.Request.Key}, {"client", d.Request.ClientID}, {"endpoint", d.Request.Endpoint}, {"time", stamp(d.At)},
		{"outcome", d.Class.String()}, {"body", string(d.Request.Body)}, {"fingerprint", d.Fingerprint}, {"reply", string(d.Reply.Body)},
	}
	for _, t := range d.Request.Transfers {
		list = append(list, cell{"v1 transfer", t.ID})
	}
	return list
}

func findingCells(f *findings.Finding) []cell {
	list := []cell{
		{"why", whyText(f)}, {"class", string(f.Class)}, {"client", f.ClientID()}, {"endpoint", f.Endpoint()},
		{"keys", strings.Join(f.Keys(), " ")}, {"extra transfers", strings.Join(idsOf(f.Extra), " ")},
	}
	if f.Kept != nil {
		list = append(list, cell{"kept transfer", f.Kept.ID})
	}
	return append(list, cell{"extra paid", report.PlainMoney(f.Paid)})
}

// findingJSON is a row of the findings screen. Amounts are minor units.
func findingJSON(f *findings.Finding) string {
	kept := ""
	if f.Kept != nil {
		kept = f.Kept.ID
	}
	return inJSON(struct {
		Class      string         `json:"class"`
		Confidence string         `json:"confidence"`
		Client     string         `json:"client_id"`
		Endpoint   string         `json:"endpoint"`
		Keys       []string       `json:"keys"`
		Kept       string         `json:"kept,omitempty"`
		Extra      []string       `json:"extra,omitempty"`
		Disputed   []string       `json:"disputed,omitempty"`
		Paid       analysis.Money `json:"paid_again"`
	}{string(f.Class), f.Confidence.String(), f.ClientID(), f.Endpoint(), f.Keys(), kept, idsOf(f.Extra), idsOf(f.Disputed), f.Paid})
}

func roundCells(r *taught) []cell {
	u := &r.about
	return []cell{
		{"key", u.key}, {"client", u.client}, {"endpoint", u.endpoint}, {"time", stamp(u.at)},
		{"right engine", r.Right.Step.Class.String()}, {"wrong engine", r.Wrong.Step.Class.String()}, {"leak", leakText(r)},
	}
}

// roundJSON is the selected row of the classroom screen: what was said, and what
// the two engines made of the request.
func (c *class) roundJSON() string {
	r := c.selected()
	said, broken := "", []string{}
	if guess, ok := c.score.guesses[r.N]; ok {
		said = guess.String()
	}
	for i := range r.Violations {
		broken = append(broken, string(r.Violations[i].Invariant))
	}
	return inJSON(struct {
		Lesson   string    `json:"lesson"`
		N        int64     `json:"n"`
		Seq      int64     `json:"seq"`
		At       time.Time `json:"at"`
		Client   string    `json:"client_id"`
		Endpoint string    `json:"endpoint"`
		Key      string    `json:"idem_key"`
		Said     string    `json:"said,omitempty"`
		Right    string    `json:"right_engine"`
		Wrong    string    `json:"wrong_engine"`
		Differs  bool      `json:"differs"`
		Broken   []string  `json:"broken"`
	}{c.lesson.Name, r.N, r.about.seq, r.about.at.UTC(), r.about.client, r.about.endpoint, r.about.key,
		said, r.Right.Step.Class.String(), r.Wrong.Step.Class.String(), r.Diverged, broken})
}
