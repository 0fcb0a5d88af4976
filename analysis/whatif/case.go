package whatif

import (
	"fmt"
	"strings"

	"idem/engine"
)

// Case is one policy that the day is replayed under.
type Case struct {
	Name   string
	Policy engine.Policy
	// Source is where the behaviour is published; "" for a policy of one's own.
	Source string
	// Note says what of it is not published, and was taken how.
	Note string
}

// Default is the workbench's own policy.
func Default() Case { return Case{Name: "default", Policy: engine.DefaultPolicy()} }

// ParseChanges makes a policy of base and a list "knob=value,knob=value". A value
// that is a list holds commas itself: what has no "=" belongs to the knob before
// it. Errors wrap [engine.ErrPolicy].
func ParseChanges(text string, base engine.Policy) (engine.Policy, error) {
	var changes []string
	for _, part := range strings.Split(text, ",") {
		switch {
		case strings.Contains(part, "="):
			changes = append(changes, part)
		case len(changes) == 0:
			return engine.Policy{}, fmt.Errorf("%w: %q is no knob=value", engine.ErrPolicy, part)
		default:
			changes[len(changes)-1] += "," + part
		}
	}
	p := base
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		knob, ok := engine.KnobNamed(strings.TrimSpace(name))
		if !ok {
			return engine.Policy{}, fmt.Errorf("%w: unknown knob %q; known are %s", engine.ErrPolicy, name, knobNames())
		}
		if err := knob.Set(&p, value); err != nil {
			return engine.Policy{}, err
		}
	}
	return p, p.Validate()
}

func knobNames() string {
	var names []string
	for _, k := range engine.Knobs() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}
