package tui

import (
	"fmt"

	"idem/analysis"
	"idem/tui/cells"
)

// problems says in a few words what the sums leave out.
func problems(d *analysis.Duplicates) []string {
	var parts []string
	add := func(n int64, one, several string) {
		if n > 0 {
			parts = append(parts, many(n, one, several))
		}
	}
	add(d.NegativeTransfers, "negative amount", "negative amounts")
	add(d.BadRequests, "request unusable", "requests unusable")
	add(d.BadTransfers, "transfer unusable", "transfers unusable")
	add(d.BadAccounts, "account unusable", "accounts unusable")
	add(d.KeylessRequests, "request without a key", "requests without a key")
	add(d.UnmatchedCount, "transfer unmatched", "transfers unmatched")
	add(d.KeyDiffersCount, "transfer with another key", "transfers with another key")
	return parts
}

func (s *incidentScreen) problemHint() string {
	if s.found == nil || len(problems(s.found)) == 0 {
		return ""
	}
	return "unusable"
}

func (s *incidentScreen) whyNoProblems() string {
	switch {
	case s.found == nil:
		return "still counting"
	case len(problems(s.found)) == 0:
		return "every row could be used and matched"
	}
	return ""
}

// problemLines lists what the sums leave out.
func (s *incidentScreen) problemLines(w int) []string {
	d := s.found
	if d == nil {
		return nil
	}
	var lines []string
	part := func(title, why string, n int) {
		if n > 0 {
			lines = append(lines, "", " "+s.theme.title.Render(title), " "+s.theme.dim.Render(cells.Cut(why, w-2)))
		}
	}
	item := func(format string, args ...any) {
		lines = append(lines, cells.Cut("   "+fmt.Sprintf(format, args...), w))
	}
	part("Negative amounts", "money that was taken back; every sum holds it as it stands, so double paid may be too little", int(min(1, d.NegativeTransfers)))
	if d.NegativeTransfers > 0 {
		item("%s, %s", many(d.NegativeTransfers, "transfer", "transfers"), sums(d.NegativeTotal))
	}
	left := "counted, and left out of every sum"
	if nonzero(d.BadTotal) {
		left += ": " + sums(d.BadTotal)
	}
	part("Rows that cannot be used", left, len(d.Bad))
	for _, b := range d.Bad {
		item("%s %s  %s = %s  %s", show(b.Table, 16), show(b.Row, 20), show(b.Column, 16), show(b.Value, 40), show(b.Reason, 80))
	}
	part("Requests without a key", "they belong to no key and are nobody's duplicates", int(min(1, d.KeylessRequests)))
	if d.KeylessRequests > 0 {
		item("%s, which caused %s", many(d.KeylessRequests, "request", "requests"), many(d.KeylessTransfers, "transfer", "transfers"))
	}
	part("Transfers without their request", "counted apart, never as extra: "+sums(d.UnmatchedTotal), len(d.Unmatched))
	for _, t := range d.Unmatched {
		item("%s  %s  %s → %s  %s  key %s", show(t.ID, 20), stamp(t.CreatedAt), show(t.Src, 16), show(t.Dst, 16), money(t.Amount, t.Currency), short(t.Key, 36))
	}
	part("Transfers whose key is not their request's", "the request's counts", len(d.KeyDiffers))
	for _, k := range d.KeyDiffers {
		item("%s  seq %d  has %s, its request %s", show(k.TransferID, 20), k.Seq, short(k.Transfer, 30), short(k.Request, 30))
	}
	return lines
}
