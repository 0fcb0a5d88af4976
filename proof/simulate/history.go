//go:build faults

package simulate

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"

	"idem/engine"
	"idem/proof/linear"
)

// history is what happened, and what of it the clients saw.
type history struct {
	lines []byte
	seen  []porcupine.Operation
	told  []engine.Answer // what was answered with a transfer
	steps int64
	// renewed is true when a key may have begun a second life: for the clients'
	// model it has one.
	renewed bool
}

func (h *history) add(format string, args ...any) {
	h.lines = append(fmt.Appendf(h.lines, format, args...), '\n')
}

func (h *history) text() string { return string(h.lines) }

// sent notes a request, unanswered until it is answered.
func (h *history) sent(client int, in linear.Input) (place int) {
	h.steps++
	h.seen = append(h.seen, porcupine.Operation{ClientId: client, Input: in, Call: h.steps, Output: linear.Output{}, Return: math.MaxInt64})
	return len(h.seen) - 1
}

func (h *history) answered(place int, out linear.Output, a engine.Answer) {
	h.steps++
	if h.seen[place].Output = out; out.Kind != linear.Unknown {
		h.seen[place].Return = h.steps
	}
	if a.Status == 201 {
		h.told = append(h.told, a)
	}
}
