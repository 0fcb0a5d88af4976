package ingest

import (
	"regexp"
	"slices"
	"strings"
)

// Format is one way in which logs or ledgers are written. Formats stand in one
// table and each has a file of its own; see the package's documentation.
type Format struct {
	Name  string // as --format and the mapping file name it
	About string // one line for people
	Roles []Role

	// Sniff reports whether a text begins like this format. It must say no to
	// the samples of every other format, which a test checks.
	Sniff func(head []byte) bool

	// General formats hold anything; they are asked when no other one knows the
	// text.
	General bool

	// Map settles how a file is read: what the format fixes by itself, and what
	// it can tell from the beginning of the text. What given already holds (by
	// flag or mapping file) must be kept. It is shown to people and stored.
	Map func(head []byte, role Role, given Mapping) (Mapping, error)

	// Columns are the names of what a row holds, as Mapping.Columns names them, to
	// tell which are not used; nil where there is nothing to choose from.
	Columns func(head []byte) []string

	// Read reads a whole text and hands over every row: each one exactly once,
	// as a Request, Transfer, Account, reject or row set aside. Its error is
	// that of the reader.
	Read func(in *Input, m *Mapping, out *Sink) error
}

// formats is the one table of formats. A text is asked about in this order, but
// the order decides nothing: where two know it, the import wants to be told.
// General formats are asked last.
var formats = []*Format{
	nginxFormat,
	envoyFormat,
	caddyFormat,
	traefikFormat,
	kongFormat,
	haproxyFormat,
	albFormat,
	apiGatewayFormat,
	cloudflareFormat,
	harFormat,
	goreplayFormat,
	otlpFormat,
	stripeEventsFormat,
	stripeChargesFormat,
	stripeBalanceFormat,
	stripePaymentsFormat,
	adyenSettlementFormat,
	adyenAccountingFormat,
	paypalActivityFormat,
	paypalReportFormat,
	squareFormat,
	squareCSVFormat,
	shopifyFormat,
	shopifyCSVFormat,
	modernTreasuryFormat,
	camtFormat,
	mt940Format,
	ofxFormat,
	csvFormat,
	jsonLinesFormat,
}

// FormatNames are the names of all formats for a role, sorted.
func FormatNames(role Role) []string {
	var list []string
	for _, f := range formats {
		if slices.Contains(f.Roles, role) {
			list = append(list, f.Name)
		}
	}
	slices.Sort(list)
	return list
}

// Formats are all formats, in the order of their table.
func Formats() []*Format { return slices.Clone(formats) }

// commonLine is the beginning of a line as nginx and Apache log unless told
// otherwise. Payments cannot be told apart by it, but it is the log that people have
// at hand, and they are told what is missing.
var commonLine = regexp.MustCompile(`^\S+ \S+ \S+ \[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}\] "`)

// formatOf finds the format of a file: the named one, or the one that knows the
// beginning of its text.
func formatOf(name string, role Role, head []byte) (*Format, error) {
	if name != "" {
		for _, f := range formats {
			if f.Name == name && slices.Contains(f.Roles, role) {
				return f, nil
			}
		}
		return nil, usage("there is no format %q for %s; there are %s", name, role, strings.Join(FormatNames(role), ", "))
	}
	for _, general := range []bool{false, true} {
		var known []string
		var found *Format
		for _, f := range formats {
			if f.General == general && slices.Contains(f.Roles, role) && f.Sniff(head) {
				known, found = append(known, f.Name), f
			}
		}
		switch {
		case len(known) == 1:
			return found, nil
		case len(known) > 1:
			return nil, unsettled("--format", "the text could be of the formats %s", strings.Join(known, ", "))
		}
	}
	if role == Requests && commonLine.Match(head) {
		return nil, misfit("the lines are in the common or combined log format, which holds no key and no body: let the server log in JSON (log_format with escape=json in nginx), or turn the lines into CSV with a header line")
	}
	return nil, unsettled("--format", "the format is not known; there are %s", strings.Join(FormatNames(role), ", "))
}
