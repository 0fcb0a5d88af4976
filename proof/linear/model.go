// Package linear checks what clients saw of a payment API against what one
// server, that does one thing after the other, could have answered: for each key
// there must be an order of its requests, in which each lies between its sending
// and its answer, that explains every answer. A request whose connection was cut
// may have happened at any time since, or never.
package linear

import "github.com/anishathalye/porcupine"

// Kind is what became of a request.
type Kind uint8

// What clients tell apart.
const (
	Unknown  Kind = iota // no answer, or one that says nothing of what happened (5xx)
	Created              // 201 for the first time
	Replayed             // 201 again
	Conflict             // 409
	Mismatch             // 422
)

// Input is a request: one of two under a key.
type Input struct {
	Key     string
	Variant uint8 // 1 or 2
}

// Output is its answer.
type Output struct {
	Kind Kind
	Body string
}

// slot is what the one server knows of a key.
type slot struct {
	variant uint8 // of the request that has the key; 0: it is free
	done    bool
	body    string // of the result; "" when nobody has seen it yet
}

// step gives the states that a request can leave behind when it is answered so.
func (s slot) step(in Input, out Output) []slot {
	mine := s.variant == 0 || s.variant == in.Variant
	running, finished := slot{variant: in.Variant}, slot{in.Variant, true, out.Body}
	switch out.Kind {
	case Created:
		if mine && !s.done {
			return []slot{finished}
		}
	case Replayed:
		if s.variant == in.Variant && s.done && (s.body == "" || s.body == out.Body) {
			return []slot{finished}
		}
	case Conflict:
		if mine && !s.done {
			return []slot{running}
		}
	case Mismatch:
		if s.variant == 0 {
			return []slot{{variant: 3 - in.Variant}} // the other one is under way
		}
		if !mine {
			return []slot{s}
		}
	case Unknown:
		if mine && !s.done {
			return []slot{s, running, finished}
		}
		return []slot{s}
	}
	return nil
}

// Model is a payment API with keys that do not expire.
func Model() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Partition: byKey,
		Init:      func() []any { return []any{slot{}} },
		Step: func(state, input, output any) (next []any) {
			for _, s := range state.(slot).step(input.(Input), output.(Output)) {
				next = append(next, s)
			}
			return next
		},
		Equal: func(a, b any) bool { return a == b },
	}
	return model.ToModel()
}

func byKey(history []porcupine.Operation) (parts [][]porcupine.Operation) {
	place := map[string]int{}
	for _, op := range history {
		key := op.Input.(Input).Key
		i, known := place[key]
		if !known {
			i = len(parts)
			place[key], parts = i, append(parts, nil)
		}
		parts[i] = append(parts[i], op)
	}
	return parts
}
