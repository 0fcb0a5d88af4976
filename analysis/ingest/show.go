package ingest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"idem/analysis/printable"
)

// JSON writes the result as one JSON object.
func (r *Result) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// Text writes the result for people: what was understood of each file, what
// became of its rows, and the day as a whole.
func (r *Result) Text(w io.Writer, dry bool) error {
	b := &strings.Builder{}
	for i := range r.Sources {
		r.Sources[i].text(b)
	}
	r.rejects(b)
	fmt.Fprintf(b, "requests   %d, of them %d payments, from %s to %s\n", r.Requests, r.Payments, r.First, r.Last)
	if r.Payments > 0 && r.Body.AmountUnit != "" {
		fmt.Fprintf(b, "           amounts in bodies are %s units\n", r.Body.AmountUnit)
	}
	if r.Completed > 0 {
		fmt.Fprintf(b, "           %d of them show no payment in their body; the ledger tells it (a --map with [body] says where it stands)\n", r.Completed)
	}
	fmt.Fprintf(b, "transfers  %d", r.Transfers)
	for _, c := range r.Totals.Currencies() {
		fmt.Fprintf(b, ", %d %s minor units", r.Totals.Of(c), printable.Text(c, 20))
	}
	fmt.Fprintf(b, "\naccounts   %d, of them %d assumed\n", r.Accounts, r.Assumed)
	for _, j := range r.Joins {
		fmt.Fprintf(b, "joined     %d by %s, %s\n", j.Count, strings.ReplaceAll(j.Kind, "_", " "), j.Confidence)
	}
	fmt.Fprintf(b, "unmatched  %d transfers without a request, %d paid requests without a transfer\n", r.Unmatched, r.Unanswered)
	if r.Secrets > 0 {
		fmt.Fprintf(b, "secrets    %d dropped or replaced by pseudonyms\n", r.Secrets)
	}
	if dry {
		b.WriteString("\nNothing was written. This mapping repeats the import:\n\n")
		for line := range strings.Lines(r.Mapping) {
			b.WriteString(printable.Text(strings.TrimSuffix(line, "\n"), 1000) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *SourceResult) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s  %s: %s", s.Role, printable.Text(s.Path, 200), s.Format)
	for _, how := range []string{s.Compression, s.Encoding} {
		if how != "" && how != "UTF-8" {
			fmt.Fprintf(b, ", %s", how)
		}
	}
	fmt.Fprintf(b, ", %d bytes, sha256 %.16s\n", s.Size, s.SHA256)
	fmt.Fprintf(b, "  rows     %d read = %d accepted + %d rejected", s.Read, s.Accepted, s.Rejected)
	if s.Aside > 0 {
		fmt.Fprintf(b, " (%d set aside, %d of them overlapping)", s.Aside, s.Overlapping)
	}
	b.WriteByte('\n')
	for _, fact := range s.facts() {
		fmt.Fprintf(b, "  %-8s %s\n", fact[0], printable.Text(fact[1], 200))
	}
}

// facts are what a file was taken for.
func (s *SourceResult) facts() [][2]string {
	m := &s.Mapping
	var list [][2]string
	say := func(name, column string, notes ...string) {
		if places := m.Columns[column]; len(places) > 0 {
			text := strings.Join(places, ", ")
			for _, n := range notes {
				if n != "" {
					text += ", " + n
				}
			}
			list = append(list, [2]string{name, text})
		}
	}
	edge := ""
	if m.TimeIs != "" {
		edge = "the " + m.TimeIs + " of the request"
	}
	zone := ""
	if m.Zone != "" {
		zone = "zone " + m.Zone
	}
	say("time", "time", edge, m.TimeUnit, zone)
	say("duration", "duration", m.DurationUnit)
	say("key", "key")
	say("amount", "amount", m.AmountUnit+" units")
	say("currency", "currency")
	for _, f := range fieldNames(s.Role) {
		if !slices.Contains([]string{"time", "duration", "key", "amount", "currency"}, f) {
			say(f, f)
		}
	}
	if len(s.Unused) > 0 {
		list = append(list, [2]string{"not used", strings.Join(s.Unused, ", ")})
	}
	return list
}

func (r *Result) rejects(b *strings.Builder) {
	for _, x := range r.Rejects {
		word := "rejected"
		if x.Aside {
			word = "aside"
		}
		fmt.Fprintf(b, "%s  %s line %d: %s\n", word, printable.Text(x.Path, 100), x.Line, printable.Text(x.Reason, 200))
	}
	var all int64
	for i := range r.Sources {
		all += r.Sources[i].Rejected
	}
	if more := all - int64(len(r.Rejects)); more > 0 {
		fmt.Fprintf(b, "and %d more; the table reject of the incident has all of them\n", more)
	}
}
