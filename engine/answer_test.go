package engine_test

import (
	"bytes"
	"testing"

	"idem/engine"
)

// TestAnswerIsByteForByte: what was stored is what is answered, be it written in
// another order, with white space, or no JSON at all.
func TestAnswerIsByteForByte(t *testing.T) {
	for _, body := range [][]byte{nil, {}, []byte(`{"b":1,"a":1.0, "c":9007199254740993}`), []byte(" {}\n"), []byte("<ok/>"), {0xff, 0}} {
		for _, replay := range []bool{false, true} {
			a := engine.AnswerOf(engine.Reply{Status: 201, Body: body}, replay)
			if !bytes.Equal(a.Body, body) || (a.Body == nil) != (body == nil) || a.Replay != replay {
				t.Errorf("%q is answered as %q", body, a.Body)
			}
		}
	}
}
