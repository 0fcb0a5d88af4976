package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/tui/cells"
)

// endLines are what there is to say once the last request is through: how the
// two totals differ, where the files are, and what the policy forgets too soon.
func (r *replayScreen) endLines(w int) []string {
	total, ok := r.total()
	if !ok || r.files.state == idle {
		return nil
	}
	var lines []string
	if r.result != nil && r.page.pos == total {
		lines = r.reconciliation(w)
	}
	return append(lines, r.filesLines(w)...)
}

// reconciliation takes the difference of the two totals apart. Only what was
// stopped is called so; every other term that is not zero stands beside it.
func (r *replayScreen) reconciliation(w int) []string {
	c := &r.result.Counters
	terms := []string{"v1 moved " + sums(c.V1Total), "−  the engine " + sums(c.Transferred)}
	items := append([]string{"=  " + r.theme.stopped.Render("stopped "+sums(c.Stopped))}, otherTerms(&c.Reconciliation)...)
	if len(items) == 1 { // all of the difference was stopped, so one line says it
		terms, items = append(terms, items[0]), nil
	} else if off, err := c.V1Total.Sub(c.Transferred); err == nil {
		terms = append(terms, "=  "+sums(off))
	}
	var lines []string
	for _, l := range cells.Flow(terms, 2, w-2) {
		lines = append(lines, " "+l)
	}
	if len(items) > 0 {
		for _, l := range cells.Flow(items, 2, w-4) {
			lines = append(lines, "   "+l)
		}
	}
	if r.result.RetentionTooShort() {
		lines = append(lines, " "+r.theme.failure.Render(cells.Cut(retentionWarning(r.result), w-2)))
	}
	return lines
}

// otherTerms are the parts of the difference beside what was stopped.
func otherTerms(c *replay.Reconciliation) []string {
	var list []string
	add := func(sign, name string, m analysis.Money) {
		if nonzero(m) {
			list = append(list, sign+" "+name+" "+sums(m))
		}
	}
	add("+", "refused by the replay's ledger", c.RefusedV1)
	add("+", "without a key or unusable", c.UnusableV1)
	add("+", "unmatched", c.Unmatched)
	add("+", "amount differs from the body", c.AmountDiffers)
	add("+", "negative amounts under a used key", c.TakenBack)
	add("−", "only the replay moved", c.OnlyReplay)
	return list
}

func retentionWarning(r *replay.Result) string {
	return fmt.Sprintf("retention of %v is not longer than the longest gap between two sends of one key, %v: late retries pay again", r.Policy.Retention, r.LongestGap)
}

// filesLines say where the day's files are, or how to get them there.
func (r *replayScreen) filesLines(w int) []string {
	if r.files.state == failed {
		lines := cells.Wrap("files not written (w tries again): "+oneLine(r.files.err), w-2)
		for i := range lines {
			lines[i] = " " + r.theme.failure.Render(lines[i])
		}
		return lines[:min(len(lines), 3)]
	}
	dir := show(r.cfg.OutDir, max(10, w/2))
	if r.files.state == busy {
		return []string{" " + r.theme.notice.Render(cells.Cut("the day is through; writing its files into "+dir+" …", w-2))}
	}
	head := fmt.Sprintf("%s written into %s", many(int64(len(r.files.names)), "file", "files"), dir)
	if total, _ := r.total(); r.page.pos != total {
		return []string{" " + r.theme.dim.Render(cells.Cut(head, w-2))} // the steps need the room
	}
	lines := r.writtenLines(head+": ", w)
	for _, name := range r.files.stale {
		text := show(name, 40) + " there is of an earlier run; --lang writes it anew"
		lines = append(lines, " "+r.theme.notice.Render(cells.Cut(text, w-2)))
	}
	return lines
}

// writtenLines name every file behind head, on a second line those that the first
// has no room for.
func (r *replayScreen) writtenLines(head string, w int) []string {
	names := make([]string, len(r.files.names))
	for i, n := range r.files.names {
		names[i] = show(filepath.Base(n), 40)
	}
	lines := cells.Wrap(head+strings.Join(names, " "), w-2)
	for i, line := range lines {
		rest, first := strings.CutPrefix(line, head)
		switch {
		case first:
			lines[i] = " " + r.theme.stopped.Render(head) + r.theme.dim.Render(rest)
		case i == 0:
			lines[i] = " " + r.theme.stopped.Render(line)
		default:
			lines[i] = "   " + r.theme.dim.Render(cells.Cut(line, w-4))
		}
	}
	return lines
}
