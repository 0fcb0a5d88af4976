package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"idem/analysis"
	"idem/analysis/printable"
)

// Summary writes the duplicate analysis as plain text, for a pipe or a terminal
// that is none: the figures, the costliest keys, and what was left out of them.
// No byte of the data reaches the output unless it is printable.
func Summary(w io.Writer, d *analysis.Duplicates, part analysis.Narrowing) error {
	out := bufio.NewWriter(w)
	if err := NarrowedLine(out, part); err != nil {
		return err
	}
	cards := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(cards, "double paid\t%s\n", PlainMoney(d.DoublePaid))
	for _, card := range []struct {
		name string
		n    int64
	}{
		{"extra transfers", d.ExtraTransfers}, {"duplicate keys", d.DuplicateKeys},
		{"unique keys", d.UniqueKeys}, {"requests", d.Requests}, {"transfers", d.Transfers},
	} {
		fmt.Fprintf(cards, "%s\t%s\n", card.name, printable.Digits(card.n))
	}
	if err := cards.Flush(); err != nil {
		return err
	}
	if d.Requests == 0 && part.IsZero() {
		fmt.Fprintf(out, "\nThe log is empty: there was no request, so nothing could go out twice.\n")
	}
	summaryGroups(out, d)
	summaryNotes(out, d)
	return out.Flush()
}

// summaryGroups lists the costliest keys. The figures come first and the names
// last, so that no width of a name can shift a column.
func summaryGroups(w io.Writer, d *analysis.Duplicates) {
	top := largest(d)
	if len(top) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%d of %s, the costliest first:\n", len(top), printable.Count(d.DuplicateKeys, "duplicate key", "duplicate keys"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "extra paid\textra\trequests\tgap\t  key, client, endpoint\n")
	for _, g := range top {
		fmt.Fprintf(table, "%s\t%d\t%d\t+%s s\t  %s  %s  %s\n", PlainMoney(g.Paid), len(g.Extra), g.Requests, seconds(g.Gap),
			printable.Text(g.Key, shownCells), printable.Text(g.ClientID, shownCells), printable.Text(g.Endpoint, shownCells))
	}
	table.Flush() // its errors are those of w, which the caller flushes
}

// summaryNotes tells what is counted beside the duplicates.
func summaryNotes(w io.Writer, d *analysis.Duplicates) {
	notes := []struct {
		n            int64
		one, several string
	}{
		{d.KeylessRequests, "request without a key", "requests without a key"},
		{d.UnmatchedCount, "transfer without its request", "transfers without their request"},
		{d.KeyDiffersCount, "transfer whose key is not its request's; the request's was counted", "transfers whose key is not their request's; the request's was counted"},
		{d.NegativeTransfers, "transfer with a negative amount", "transfers with a negative amount"},
		{d.BadRequests, "request that cannot be used", "requests that cannot be used"},
		{d.BadTransfers, "transfer that cannot be used, in no sum", "transfers that cannot be used, in no sum"},
		{d.BadAccounts, "account that cannot be used", "accounts that cannot be used"},
	}
	more := map[int]string{
		0: ", which moved money " + printable.Count(d.KeylessTransfers, "time", "times"),
		1: ", " + PlainMoney(d.UnmatchedTotal),
		3: ", " + PlainMoney(d.NegativeTotal) + ": in every sum as it stands, so double paid may be too little",
	}
	if !d.BadTotal.IsZero() {
		more[5] = ": " + PlainMoney(d.BadTotal)
	}
	var lines []string
	for i, note := range notes {
		if note.n > 0 {
			lines = append(lines, printable.Count(note.n, note.one, note.several)+more[i])
		}
	}
	if len(lines) == 0 {
		return
	}
	if len(d.Bad)+len(d.Unmatched)+len(d.KeyDiffers) > 0 {
		lines = append(lines, "idem analyze DB --json lists these rows.")
	}
	fmt.Fprintln(w, "\n"+strings.Join(lines, "\n"))
}

// PlainMoney is a sum for plain text: "8,412,300 KRW / 49.99 USD".
func PlainMoney(m analysis.Money) string {
	var list []string
	for _, c := range m.Currencies() {
		list = append(list, PlainAmount(m.Of(c), c))
	}
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, " / ")
}

// PlainAmount is an amount of minor units for plain text: "49.99 USD".
func PlainAmount(minor int64, currency string) string {
	major, known := Major(minor, currency)
	text := major + " " + printable.Text(currency, shownCells)
	if !known {
		text += " (minor units)"
	}
	return text
}
