package ingest

import "errors"

// fixes are what a format does to a row after its columns are filled, before it
// is handed over. An error rejects the row; one made by [aside] sets it aside.
type fixes struct {
	request  func(r *Request) error
	transfer func(t *Transfer) error
}

// aside is the error of a row that is sound, but tells of no request or transfer
// of its own.
func aside(why string) error { return &asideError{why} }

type asideError struct{ why string }

func (a *asideError) Error() string { return a.why }

// refuseRow rejects a row or sets it aside, as err says.
func (s *Sink) refuseRow(line int64, text []byte, err error) {
	if a := new(asideError); errors.As(err, &a) {
		s.Aside(line, text, a.why)
		return
	}
	s.Reject(line, text, err)
}
