package ingest

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
	"idem/analysis/ingest/source"
)

// Input is the text of one file, UTF-8, with the loops that most formats need.
// The loops reject what no format can read, and end early when the import ends.
type Input struct {
	io.Reader
}

// EachLine calls do for every line that is not empty. The line is valid during
// the call.
func (in *Input) EachLine(out *Sink, do func(line []byte, n int64)) error {
	lines := source.NewLines(in)
	for out.Going() {
		line, n, err := lines.Next()
		switch {
		case err == nil && len(line) > 0:
			do(line, n)
		case errors.Is(err, source.ErrTooLong):
			out.Reject(n, line, err)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
	return out.Err()
}

// EachRecord calls do for every record of a CSV text. The fields are valid
// during the call.
func (in *Input) EachRecord(out *Sink, comma byte, do func(fields [][]byte, n int64)) error {
	csv := source.NewCSV(in, comma)
	for out.Going() {
		fields, n, err := csv.Next()
		switch {
		case err == nil:
			do(fields, n)
		case errors.Is(err, source.ErrTooLong), errors.Is(err, source.ErrQuoteOpen), errors.Is(err, source.ErrQuoteStray):
			out.Reject(n, fields[0], err)
		case err == io.EOF:
			return nil
		default:
			return err
		}
	}
	return out.Err()
}

// EachJSON calls do for every line, which must be one JSON object each, with
// what finder has found in it.
func (in *Input) EachJSON(out *Sink, finder *place.Finder, do func(line []byte, n int64)) error {
	return in.EachLine(out, func(line []byte, n int64) {
		_, err := finder.Find(line)
		switch {
		case err != nil:
			out.Reject(n, line, err)
		case jsontext.Value(line).Kind() != '{':
			out.Reject(n, line, errNoObject)
		default:
			do(line, n)
		}
	})
}

var errNoObject = errors.New("the line is no JSON object")
