package ingest

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// jsonLinesFormat is one JSON object a line.
var jsonLinesFormat = &Format{
	Name:    "jsonl",
	About:   "one JSON object a line; members are known by name or mapped",
	Roles:   []Role{Requests, Transfers, Accounts},
	General: true,
	Sniff:   func(head []byte) bool { return len(leaves(head)) > 0 },
	Map: func(head []byte, role Role, given Mapping) (Mapping, error) {
		return detect(role, leaves(head), given, lastStep)
	},
	Columns: leaves,
	Read:    readJSONLines,
}

// lastStep is the name of the member itself.
func lastStep(path string) string {
	steps, err := place.Split(path)
	if err != nil {
		return path
	}
	return steps[len(steps)-1].Name
}

// sampled is how many lines are looked at for the names of members.
const sampled = 100

// leaves are the paths of the members of the first lines: none where the first
// line is no object. Members of what is the body are not looked at.
func leaves(head []byte) []string {
	var list []string
	seen := map[string]bool{}
	for range sampled {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		if !more && len(list) > 0 {
			break // the last line may be cut
		}
		dec := jsontext.NewDecoder(bytes.NewReader(line))
		if dec.PeekKind() != '{' {
			break
		}
		if collect(dec, "$", &list, seen) != nil {
			break
		}
		head = rest
	}
	return list
}

const maxDepth = 5

// collect lists the members of the object that comes next.
func collect(dec *jsontext.Decoder, path string, list *[]string, seen map[string]bool) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		at := path + "." + name
		if strings.ContainsAny(name, ".[]") {
			at = path + `["` + name + `"]`
		}
		if dec.PeekKind() == '{' && !isBody(name) && strings.Count(at, ".") < maxDepth {
			if err := collect(dec, at, list, seen); err != nil {
				return err
			}
			continue
		}
		if err := dec.SkipValue(); err != nil {
			return err
		}
		if !seen[at] {
			seen[at] = true
			*list = append(*list, at)
		}
	}
	_, err := dec.ReadToken()
	return err
}

func isBody(name string) bool {
	f, _ := fieldNamed(Requests, "body")
	for _, alias := range f.aliases {
		if plainName(name) == alias {
			return true
		}
	}
	return false
}

func readJSONLines(in *Input, m *Mapping, out *Sink) error { return readJSONRows(in, m, out, fixes{}) }

func readJSONRows(in *Input, m *Mapping, out *Sink, fix fixes) error {
	rows, err := newRowReader(out.Role(), m, fix)
	if err != nil {
		return err
	}
	finder, err := place.NewFinder(rows.places...)
	if err != nil {
		return err
	}
	return in.EachJSON(out, finder, func(line []byte, n int64) {
		rows.hand(out, n, func() []byte { return line }, finder.Text)
	})
}
