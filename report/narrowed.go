package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/engine"
)

// condition is one of a filter: the name of its text and its value.
type condition struct {
	Name  string
	Value any // a time, or a string of the data
}

func conditions(x *analysis.Filter) []condition {
	var list []condition
	for _, c := range []struct {
		name string
		at   time.Time
	}{{"part_from", x.From}, {"part_to", x.To}} {
		if !c.at.IsZero() {
			list = append(list, condition{c.name, c.at})
		}
	}
	for _, c := range []struct{ name, text string }{{"part_client", x.Client}, {"part_endpoint", x.Endpoint}, {"part_account", x.Account}} {
		if c.text != "" {
			list = append(list, condition{c.name, c.text})
		}
	}
	return list
}

// FilterText is a filter for plain text: "the time from 2026-03-10T09:00:00Z, client shop-2".
func FilterText(x analysis.Filter) string {
	var parts []string
	for _, c := range conditions(&x) {
		switch v := c.Value.(type) {
		case time.Time:
			parts = append(parts, map[string]string{"part_from": "the time from ", "part_to": "the time before "}[c.Name]+engine.FormatInstant(v))
		case string:
			parts = append(parts, strings.TrimPrefix(c.Name, "part_")+" "+printable.Text(v, shownCells))
		}
	}
	return strings.Join(parts, ", ")
}

// NarrowedLine says in a line of plain text to which part of an incident figures
// are narrowed, and nothing about all of one.
func NarrowedLine(w io.Writer, n analysis.Narrowing) error {
	if n.IsZero() {
		return nil
	}
	_, err := fmt.Fprintf(w, "narrowed to %s\n  %s of %s requests and %s of %s transfers are hidden\n\n", FilterText(n.Filter),
		printable.Digits(n.HiddenRequests), printable.Digits(n.Requests+n.HiddenRequests),
		printable.Digits(n.HiddenTransfers), printable.Digits(n.Transfers+n.HiddenTransfers))
	return err
}

// FilterJSON says in a file which part of an incident it is about.
type FilterJSON struct {
	From            *string `json:"from"`
	To              *string `json:"to"`
	ClientID        string  `json:"client_id,omitempty"`
	Endpoint        string  `json:"endpoint,omitempty"`
	Account         string  `json:"account,omitempty"`
	HiddenRequests  int64   `json:"hidden_requests"`
	HiddenTransfers int64   `json:"hidden_transfers"`
}

// FilterOf is nil where a file is about all of the incident.
func FilterOf(n analysis.Narrowing) *FilterJSON {
	if n.IsZero() {
		return nil
	}
	return &FilterJSON{instant(n.From), instant(n.To), valid(n.Client), valid(n.Endpoint), valid(n.Account), n.HiddenRequests, n.HiddenTransfers}
}
