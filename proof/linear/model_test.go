package linear

import (
	"math"
	"testing"

	"github.com/anishathalye/porcupine"
)

func op(call, ret int64, variant uint8, kind Kind, body string) porcupine.Operation {
	if kind == Unknown {
		ret = math.MaxInt64
	}
	return porcupine.Operation{Input: Input{"k", variant}, Call: call, Output: Output{kind, body}, Return: ret}
}

// TestModel: histories that one server could have given, and doctored ones.
func TestModel(t *testing.T) {
	for name, c := range map[string]struct {
		history []porcupine.Operation
		legal   bool
	}{
		"created and replayed":         {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 1, Replayed, "a")}, true},
		"replayed while it is created": {[]porcupine.Operation{op(1, 9, 1, Created, "a"), op(3, 4, 1, Conflict, ""), op(5, 6, 1, Replayed, "a")}, true},
		"cut off, and found paid":      {[]porcupine.Operation{op(1, 0, 1, Unknown, ""), op(3, 4, 1, Replayed, "a"), op(5, 6, 1, Replayed, "a")}, true},
		"cut off, and not paid":        {[]porcupine.Operation{op(1, 0, 1, Unknown, ""), op(3, 4, 1, Created, "a"), op(5, 6, 1, Replayed, "a")}, true},
		"cut off, and stuck for a time": {[]porcupine.Operation{op(1, 0, 1, Unknown, ""), op(3, 4, 1, Conflict, ""), op(5, 6, 2, Mismatch, ""),
			op(7, 8, 1, Created, "a"), op(9, 10, 2, Mismatch, "")}, true},
		"mismatch with one under way": {[]porcupine.Operation{op(1, 9, 1, Created, "a"), op(2, 3, 2, Mismatch, "")}, true},

		"paid twice":                      {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 1, Created, "b")}, false},
		"paid twice, at once":             {[]porcupine.Operation{op(1, 4, 1, Created, "a"), op(2, 5, 1, Created, "b")}, false},
		"both requests paid":              {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 2, Created, "b")}, false},
		"another result":                  {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 1, Replayed, "b")}, false},
		"two results of one cut off":      {[]porcupine.Operation{op(1, 0, 1, Unknown, ""), op(3, 4, 1, Replayed, "a"), op(5, 6, 1, Replayed, "b")}, false},
		"a result of nothing":             {[]porcupine.Operation{op(1, 2, 1, Replayed, "a"), op(3, 4, 1, Created, "a")}, false},
		"the other's result":              {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 2, Replayed, "a")}, false},
		"a conflict after the end":        {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 1, Conflict, "")}, false},
		"a mismatch with itself":          {[]porcupine.Operation{op(1, 2, 1, Created, "a"), op(3, 4, 1, Mismatch, "")}, false},
		"a result before it is sent":      {[]porcupine.Operation{op(1, 2, 1, Replayed, "a"), op(3, 0, 1, Unknown, "")}, false},
		"paid again after it was cut off": {[]porcupine.Operation{op(1, 0, 1, Unknown, ""), op(3, 4, 1, Replayed, "a"), op(5, 6, 1, Created, "b")}, false},
	} {
		if legal := porcupine.CheckOperations(Model(), c.history); legal != c.legal {
			t.Errorf("%s: legal %v, want %v", name, legal, c.legal)
		}
	}
}
