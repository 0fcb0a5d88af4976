package tui

import (
	"fmt"
	"slices"
	"strings"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/tui/cells"
)

// labelWidth is the room for the names at the left of a step's facts.
const labelWidth = 12

// fact is one line of a step: a name and what there is to say.
type fact struct{ name, text string }

// detailLines is everything about the step at the position. Under the list each
// fact has one line; beside it and alone they take as many as they need.
func (r *replayScreen) detailLines(w int, at place) []string {
	if r.current() == nil {
		return nil
	}
	d, known := r.page.detail, r.page.detail != nil
	if !known {
		d = &replay.Detail{Step: *r.current()}
	}
	facts := r.factList(d, at)
	if !known {
		facts = []fact{{"request", "looking…"}, {"reply", replyText(d, false)}, {"moved", movedText(d)}}
	}
	lines := []string{r.detailHead(d, w)}
	if said := r.caption(); said != "" && (at == beside || at == alone) {
		lines = append(lines, r.factLines(fact{"that is", said}, w, true)...)
	}
	if n, marked := r.notes.book.At(d.N); marked {
		facts = append([]fact{{"marked", visible(n.Text)}}, facts...)
	}
	for _, f := range facts {
		lines = append(lines, r.factLines(f, w, at == beside || at == alone)...)
	}
	return append(lines, r.balanceLines(d, w, at)...)
}

func (r *replayScreen) detailHead(d *replay.Detail, w int) string {
	word := r.theme.outcome(d.Class).bold().Render(glyph(d.Class) + " " + d.Class.String())
	who := fmt.Sprintf("#%s  %s  %s", number(d.N), show(d.Request.ClientID, 20), show(d.Request.Endpoint, 30))
	return cells.Spread(" "+r.theme.strong.Render(cells.Cut(who, w-20)), word+" ", w)
}

func (r *replayScreen) factList(d *replay.Detail, at place) []fact {
	whole := at == alone
	if at == squeezed {
		return []fact{{"record", recordText(d.Before) + "  →  " + afterText(d)}, {"moved", movedText(d)}}
	}
	list := []fact{
		{"key", keyText(d, whole)},
		{"body", requestText(&d.Request, whole)},
		{"fingerprint", fingerprintText(d, whole)},
		{"record", recordText(d.Before) + "  →  " + afterText(d)},
		{"reply", replyText(d, whole)},
		{"moved", movedText(d)},
	}
	if !whole {
		return list
	}
	more := []fact{
		{"seq", fmt.Sprint(d.Request.Seq)},
		{"received", stamp(d.Request.ReceivedAt) + "  (in the file: " + show(d.Request.RawTime, 64) + ")"},
		{"log says", loggedText(d)},
	}
	return append(more, list...)
}

func (r *replayScreen) factLines(f fact, w int, wrap bool) []string {
	name := " " + r.theme.dim.Render(cells.Fit(f.name, labelWidth)) + " "
	room := w - labelWidth - 3
	if !wrap {
		return []string{name + cells.Cut(f.text, room)}
	}
	lines := cells.Wrap(f.text, room)
	for i := range lines {
		if i == 0 {
			lines[i] = name + lines[i]
		} else {
			lines[i] = cells.Blank(labelWidth+2) + lines[i]
		}
	}
	return lines
}

func keyText(d *replay.Detail, whole bool) string {
	switch {
	case d.Request.BadKey != "":
		return "unusable: " + show(d.Request.BadKey, 60)
	case d.Request.Key == "":
		return nothing(d.Request.NullKey)
	case d.Request.Keyless():
		return "blank: " + show(d.Request.Key, 20)
	case whole:
		return visible(d.Request.Key)
	}
	return show(d.Request.Key, 200)
}

func requestText(r *analysis.Request, whole bool) string {
	if len(r.Body) == 0 {
		return nothing(r.NullBody)
	}
	return bodyText(r.Body, whole)
}

func bodyText(body []byte, whole bool) string {
	most := 400
	if whole {
		most = bodyMost
	}
	if len(body) == 0 {
		return "none"
	}
	text := visible(string(body[:min(len(body), most)]))
	if len(body) > most {
		text += fmt.Sprintf(" … cut, %s in all", many(int64(len(body)), "byte", "bytes"))
	}
	return text
}

// nothing is a missing text: which of the two there are can be what is wrong.
func nothing(null bool) string {
	if null {
		return "none (NULL)"
	}
	return "none (empty)"
}

func fingerprintText(d *replay.Detail, whole bool) string {
	if d.Fingerprint == "" {
		return "none"
	}
	text := show(d.Fingerprint, 20)
	if whole {
		text = show(d.Fingerprint, 100)
	}
	if d.Before == nil || d.Holder == 0 || d.Holder == d.N {
		return text
	}
	if held := d.Before.Fingerprint; held.String() != d.Fingerprint {
		return text + "  differs from " + held.Short() + " of #" + number(d.Holder)
	}
	return text + "  same as #" + number(d.Holder)
}

func recordText(r *engine.Record) string {
	if r == nil {
		return "absent"
	}
	text := fmt.Sprintf("%s, attempt %d, fence %d, claimed %s", r.State, r.Attempt, r.Fence, clock(r.ClaimedAt))
	if r.State == engine.Completed {
		text += fmt.Sprintf(", %d", r.Reply.Status)
	}
	return text
}

func afterText(d *replay.Detail) string {
	if d.Before != nil && d.After != nil && sameRecord(d.Before, d.After) {
		return "unchanged"
	}
	return recordText(d.After)
}

func sameRecord(a, b *engine.Record) bool {
	return a.State == b.State && a.Fence == b.Fence && a.Attempt == b.Attempt && a.Fingerprint == b.Fingerprint &&
		a.LeaseUntil.Equal(b.LeaseUntil) && a.Reply.Status == b.Reply.Status
}

func replyText(d *replay.Detail, whole bool) string {
	if d.Class == replay.Running {
		return "still running; its effect and its record come together"
	}
	text := fmt.Sprint(d.Status)
	if d.Class == replay.Replayed {
		text += " again"
	}
	if d.Reason != "" {
		text += " " + reasonText(d.Reason)
	}
	if len(d.Reply.Body) > 0 {
		text += "  " + bodyText(d.Reply.Body, whole)
	}
	return text
}

// movedText is the engine's transfer beside those of the unprotected service.
func movedText(d *replay.Detail) string {
	text := "engine " + moved(d.Moved, d.Currency) + "  │  v1"
	if len(d.Request.Transfers) == 0 {
		return text + " " + moved(d.V1Moved, d.V1Currency)
	}
	for i, t := range d.Request.Transfers[:min(len(d.Request.Transfers), 20)] {
		if i > 0 {
			text += ","
		}
		text += " " + show(t.ID, 20) + " " + money(t.Amount, t.Currency)
	}
	if isDuplicate(&d.Step) {
		text += "  AGAIN"
	}
	return text
}

func loggedText(d *replay.Detail) string {
	text := "took an unknown time"
	if d.Request.HasDur {
		text = "took " + d.Request.Duration.String()
	}
	if d.Request.Status != 0 {
		text += fmt.Sprintf(", answered %d", d.Request.Status)
	}
	if d.Request.Method != "" {
		text += ", " + show(d.Request.Method, 16)
	}
	if d.Request.Node != "" {
		text += ", at " + show(d.Request.Node, 32)
	}
	if d.Request.Unusable != "" {
		text += ", unusable: " + show(d.Request.Unusable, 80)
	}
	return text
}

// balanceLines are the accounts of the request after the step, in the engine's
// ledger and in the unprotected one. Where that is too wide for a line, the
// figures stand below each other.
func (r *replayScreen) balanceLines(d *replay.Detail, w int, at place) []string {
	known := slices.DeleteFunc([]replay.Balances{d.Src, d.Dst}, func(b replay.Balances) bool { return b.Account == "" })
	var lines []string
	id, figures := balanceWidths(known)
	gap := "  │  "
	if at == beside && labelWidth+id+2*figures+30 > w {
		gap = "\n"
	}
	for i, b := range known {
		f := fact{text: r.balance(b, id, figures, gap)}
		if i == 0 {
			f.name = "balances"
		}
		for _, line := range strings.Split(f.text, "\n") {
			lines = append(lines, r.factLines(fact{f.name, line}, w, false)...)
			f.name = ""
		}
	}
	return lines
}

func balanceWidths(list []replay.Balances) (id, figures int) {
	for _, b := range list {
		id = max(id, cells.Width(show(b.Account, 16)))
		figures = max(figures, len(number(b.Engine)), len(number(b.V1)))
	}
	return id, figures
}

func (r *replayScreen) balance(b replay.Balances, id, figures int, gap string) string {
	account := cells.Fit(show(b.Account, 16), id)
	if !b.Known {
		return account + "  no such account"
	}
	if gap == "\n" {
		gap += cells.Blank(id + 2)
	}
	text := account + "  engine " + cells.Right(number(b.Engine), figures) + gap + cells.Fit("v1", 6) + " " + cells.Right(number(b.V1), figures)
	if off := b.V1 - b.Engine; off > 0 {
		return text + r.theme.extra.Render("  +"+number(off))
	} else if off < 0 {
		return text + r.theme.extra.Render("  "+number(off))
	}
	return text
}
