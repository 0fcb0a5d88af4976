package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/analysis/whatif"
	"idem/engine"
	"idem/report"
)

// whatifOutput is what whatif found: a comparison or a curve.
type whatifOutput struct {
	comparison *whatif.Comparison
	curve      *whatif.Curve
	evidence   analysis.Evidence
	narrowed   analysis.Narrowing
}

func (o *whatifOutput) writeText(w io.Writer) error {
	if err := report.NarrowedLine(w, o.narrowed); err != nil {
		return err
	}
	if o.curve != nil {
		return writeCurve(w, o.curve)
	}
	return writeComparison(w, o.comparison)
}

// writeComparison writes one line a policy. The name comes last, so that no
// width of a name can shift a column.
func writeComparison(w io.Writer, c *whatif.Comparison) error {
	fmt.Fprintf(w, "%s requests, %s keys; v1 made %s transfers, of which %s were extra: %s\n\n", printable.Digits(c.Requests),
		printable.Digits(c.Keys), printable.Digits(c.V1.Count), printable.Digits(c.V1Extra.Count), report.PlainMoney(c.V1Extra.ByCurrency))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "extra\tmoney left\tstopped\tmissing\thonest refused\t409\t422\tother body\trun again\t  policy")
	for i := range c.Lines {
		l := &c.Lines[i]
		f := &l.Figures
		fmt.Fprintf(table, "%s\t%s\t", printable.Digits(f.Extra.Count), report.PlainMoney(f.Extra.ByCurrency))
		for _, n := range []int64{f.Stopped.Count, f.Missing.Count, f.HonestRefused, f.InFlight, f.Mismatch, f.OtherBody, f.ExpiredReruns} {
			fmt.Fprintf(table, "%s\t", printable.Digits(n))
		}
		fmt.Fprintf(table, "  %s\n", printable.Text(l.Name, 60))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	writeWarnings(w, c)
	for i := range c.Lines {
		if l := &c.Lines[i]; l.Source != "" {
			fmt.Fprintf(w, "\n%s: %s\n  %s\n", l.Name, l.Source, l.Note)
		}
	}
	return nil
}

func writeWarnings(w io.Writer, c *whatif.Comparison) {
	for i := range c.Lines {
		if l := &c.Lines[i]; l.RetentionTooShort {
			warn(w, &l.Case, c.LongestGap)
		}
	}
}

func warn(w io.Writer, c *whatif.Case, gap time.Duration) {
	fmt.Fprintf(w, "\nwarning: %s keeps a key for %s, which is not longer than the longest gap between two sends of one key, %s\n",
		printable.Text(c.Name, 60), whatif.SpanText(c.Policy.Retention), whatif.SpanText(gap))
}

// barWidth is how many cells the longest bar of a curve takes.
const barWidth = 30

func writeCurve(w io.Writer, c *whatif.Curve) error {
	money, what := "money left", "extra transfers"
	if c.Knob == whatif.Lease {
		money, what = "without a fence paid again", "taken over"
	}
	var most int64
	for i := range c.Points {
		most = max(most, c.Points[i].Through)
	}
	fmt.Fprintf(w, "%s of %s over %d values\n\n", c.Knob, printable.Text(c.Base.Name, 60), len(c.Points))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\t409\t%s\t%s\t\n", c.Knob, money, what)
	for i := range c.Points {
		p := &c.Points[i]
		sum := p.Figures.Extra.ByCurrency
		if c.Knob == whatif.Lease {
			sum = p.Figures.Unfenced.ByCurrency
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", whatif.ValueText(p.Value), printable.Digits(p.Figures.InFlight),
			report.PlainMoney(sum), printable.Digits(p.Through), bar(p.Through, most))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", smallestText(c))
	if kept := c.Base.Policy.Retention; kept != engine.Forever && kept <= c.LongestGap {
		warn(w, &c.Base, c.LongestGap)
	}
	return nil
}

func bar(n, most int64) string {
	if n == 0 {
		return ""
	}
	return "  " + strings.Repeat("#", max(1, int(n*barWidth/most)))
}

func smallestText(c *whatif.Curve) string {
	value := strings.Replace(whatif.ValueText(c.Smallest), "> ", "longer than ", 1)
	switch {
	case c.Rest > 0:
		return fmt.Sprintf("no %s stops everything: %s are left, and a %s %s leaves no more", c.Knob, printable.Digits(c.Rest), c.Knob, value)
	case c.Gap > 0:
		return fmt.Sprintf("the smallest %s that stops everything is %s", c.Knob, value)
	}
	return fmt.Sprintf("any %s that the policy may have stops everything: the smallest is %s", c.Knob, value)
}

// whatifJSON is the output of whatif --json.
type whatifJSON struct {
	Version    string             `json:"version"`
	SHA256     string             `json:"input_sha256"`
	Size       int64              `json:"input_size"`
	Requests   int64              `json:"requests,omitempty"`
	Keys       int64              `json:"unique_keys,omitempty"`
	V1         *whatif.Payments   `json:"v1,omitempty"`
	V1Extra    *whatif.Payments   `json:"v1_extra,omitempty"`
	LongestGap json.Number        `json:"longest_gap_seconds"`
	Filter     *report.FilterJSON `json:"filter"`
	Policies   []whatifCaseJSON   `json:"policies,omitempty"`
	Sweep      *whatifSweepJSON   `json:"sweep,omitempty"`
}

type whatifCaseJSON struct {
	Name     string          `json:"name"`
	Source   string          `json:"source,omitempty"`
	Note     string          `json:"note,omitempty"`
	Policy   json.RawMessage `json:"policy"`
	Hash     string          `json:"policy_hash"`
	TooShort *bool           `json:"retention_too_short,omitempty"`
	*whatif.Figures
}

type whatifSweepJSON struct {
	Knob   whatif.Knob       `json:"knob"`
	Base   whatifCaseJSON    `json:"base"`
	Points []whatifPointJSON `json:"points"`
	// Smallest must exceed above_gap_seconds, where that is not 0.
	Smallest json.Number `json:"smallest_seconds"`
	Gap      json.Number `json:"above_gap_seconds"`
	Rest     int64       `json:"rest"`
}

type whatifPointJSON struct {
	Seconds json.Number `json:"seconds"`
	Gap     json.Number `json:"above_gap_seconds"`
	Through int64       `json:"lets_through"`
	whatif.Figures
}

func (o *whatifOutput) writeJSON(w io.Writer) error {
	out := whatifJSON{Version: Version, SHA256: o.evidence.SHA256, Size: o.evidence.Size, Filter: report.FilterOf(o.narrowed)}
	if c := o.curve; c != nil {
		out.LongestGap = seconds(c.LongestGap)
		out.Sweep = &whatifSweepJSON{Knob: c.Knob, Base: caseJSON(&c.Base), Smallest: seconds(c.Smallest), Gap: seconds(c.Gap), Rest: c.Rest}
		for _, p := range c.Points {
			out.Sweep.Points = append(out.Sweep.Points, whatifPointJSON{seconds(p.Value), seconds(p.Gap), p.Through, p.Figures})
		}
	}
	if c := o.comparison; c != nil {
		out.Requests, out.Keys, out.V1, out.V1Extra, out.LongestGap = c.Requests, c.Keys, &c.V1, &c.V1Extra, seconds(c.LongestGap)
		for i := range c.Lines {
			l := &c.Lines[i]
			line := caseJSON(&l.Case)
			line.Figures, line.TooShort = &l.Figures, &l.RetentionTooShort
			out.Policies = append(out.Policies, line)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func caseJSON(c *whatif.Case) whatifCaseJSON {
	return whatifCaseJSON{Name: c.Name, Source: c.Source, Note: c.Note, Policy: c.Policy.JSON(), Hash: c.Policy.Hash()}
}

// seconds writes a duration exactly, as a decimal number of seconds.
func seconds(d time.Duration) json.Number {
	text := fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second)
	return json.Number(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}
