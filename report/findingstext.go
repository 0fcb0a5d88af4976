package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"idem/analysis/findings"
	"idem/analysis/printable"
)

// FindingsSummary writes the findings as plain text: how much of what, how sure,
// the first of them, sums by client and by payee. With why, each finding that
// accuses transfers is listed with its chains.
func FindingsSummary(w io.Writer, r *findings.Result, why bool) error {
	out := bufio.NewWriter(w)
	t := &r.Totals
	fmt.Fprintf(out, "findings  %s\n", printable.Digits(t.Findings))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  sure\ttransfers\tamount\n")
	for _, c := range []struct {
		name  string
		count *findings.Count
	}{{"certain", &t.Certain}, {"probable", &t.Probable}, {"suspected", &t.Suspected}, {"disputed", &t.Disputed}} {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", c.name, printable.Digits(c.count.Transfers), PlainMoney(c.count.Money))
	}
	table.Flush() // its errors are those of out, which is flushed below
	var err error
	if why {
		err = explainAll(out, r)
	} else {
		listFindings(out, r)
	}
	if err != nil {
		return err
	}
	listSums(out, "client", r.ByClient)
	listSums(out, "payee", r.ByPayee)
	listQuiet(out, r)
	return out.Flush()
}

// listFindings shows the first findings of each class, figures before names.
func listFindings(w io.Writer, r *findings.Result) {
	top := examples(r)
	if len(top) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%d of %s, some of each class (--why explains them):\n", len(top), printable.Count(r.Totals.Findings, "finding", "findings"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  class\tsure\textra paid\tkept\textra or disputed\tclient\n")
	for _, f := range top {
		kept := "-"
		if f.Kept != nil {
			kept = printable.Text(f.Kept.ID, shownCells)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", f.Class, f.Confidence, PlainMoney(f.Paid), kept, idList(f), printable.Text(f.ClientID(), shownCells))
	}
	table.Flush()
}

// shownIDs is how many transfers a line names.
const shownIDs = 3

func idList(f *findings.Finding) string {
	var ids []string
	for _, list := range [][]findings.Transfer{f.Extra, f.Disputed} {
		for i := range list {
			ids = append(ids, printable.Text(list[i].ID, shownCells))
		}
	}
	if rest := len(ids) - shownIDs; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:shownIDs], " "), rest)
	}
	return strings.Join(ids, " ")
}

func explainAll(w io.Writer, r *findings.Result) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Accuses() {
			continue
		}
		why, err := Why(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s (%s): %s extra, %s disputed\n", f.Class, f.Confidence, counted(f.Extra, PlainMoney(f.Paid)), counted(f.Disputed, ""))
		for _, line := range why.Lines("\n    <- ") {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

// counted is a number of transfers and their sum, if it is told.
func counted(list []findings.Transfer, sum string) string {
	text := printable.Digits(int64(len(list)))
	if len(list) > 0 && sum != "" {
		text += " (" + sum + ")"
	}
	return text
}

// shownSums is how many clients or payees are listed.
const shownSums = 10

func listSums(w io.Writer, of string, list []findings.Sum) {
	if len(list) == 0 {
		return
	}
	n := min(shownSums, len(list))
	fmt.Fprintf(w, "\nby %s, %d of %s:\n", of, n, printable.Digits(int64(len(list))))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  certain\tprobable\tsuspected\tdisputed\t%s\n", of)
	for i := range list[:n] {
		s := &list[i]
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", PlainMoney(s.Certain.Money), PlainMoney(s.Probable.Money),
			PlainMoney(s.Suspected.Money), PlainMoney(s.Disputed.Money), printable.Text(s.Name, shownCells))
	}
	table.Flush()
}

// listQuiet counts what accuses nobody.
func listQuiet(w io.Writer, r *findings.Result) {
	counts := map[findings.Class]int64{}
	for i := range r.Findings {
		if f := &r.Findings[i]; !f.Accuses() {
			counts[f.Class]++
		}
	}
	first := true
	for _, class := range findings.Classes() {
		n := counts[class]
		if r.Narrowed.IsZero() { // of a part nobody knows how many more there are
			n += r.Unlisted[class]
		}
		if n == 0 {
			continue
		}
		if first {
			fmt.Fprintf(w, "\nno transfer is accused by:\n")
			first = false
		}
		fmt.Fprintf(w, "  %s %s\n", class, printable.Digits(n))
	}
}
