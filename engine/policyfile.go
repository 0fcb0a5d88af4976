package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Validate checks what several knobs must agree on, and each by itself. The
// error wraps [ErrPolicy].
func (p Policy) Validate() error {
	for _, k := range knobs {
		checked := p
		if err := k.Set(&checked, k.Get(p)); err != nil {
			return err
		}
	}
	if p.Retention <= p.Lease {
		return fmt.Errorf("%w: retention_hours (%v) must exceed lease_seconds (%v), or a key would be new while its first request runs", ErrPolicy, p.Retention, p.Lease)
	}
	return nil
}

// JSON writes the policy as policy.json has it: one member a knob, in the order
// of [Knobs], indented by two spaces, with a newline at the end.
func (p Policy) JSON() []byte {
	var b bytes.Buffer
	for i, k := range knobs {
		b.WriteString(map[bool]string{true: "{\n  ", false: ",\n  "}[i == 0])
		fmt.Fprintf(&b, "%q: %s", k.Name, knobJSON(k, p))
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// knobJSON is the value of a knob: the scope as a list, a number as a number,
// a word as a string.
func knobJSON(k Knob, p Policy) []byte {
	text := k.Get(p)
	var value any = text
	switch {
	case k.Name == "scope":
		value = strings.Split(text, ",")
	case strings.Trim(text, "0123456789.") == "":
		value = json.RawMessage(text)
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic("engine: knob does not marshal: " + err.Error())
	}
	return b
}

// Hash is the SHA-256 of the policy's JSON, in lower-case hex: two policies that
// behave alike have one hash, however their files were written.
func (p Policy) Hash() string {
	sum := sha256.Sum256(p.JSON())
	return hex.EncodeToString(sum[:])
}

// ParsePolicy reads a policy file: a JSON object with some of the knobs; those
// that it does not name keep the value of base. Unknown and duplicate members
// are errors that name them. All errors wrap [ErrPolicy].
func ParsePolicy(text []byte, base Policy) (Policy, error) {
	// Editors put a byte order mark before what people write.
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	members, err := objectMembers(text)
	if err != nil {
		return Policy{}, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	if jsontext.Value(text).Kind() != '{' {
		return Policy{}, fmt.Errorf("%w: not a JSON object", ErrPolicy)
	}
	p := base
	var failures []error
	for _, k := range knobs {
		value, given := members[k.Name]
		delete(members, k.Name)
		if !given {
			continue
		}
		if err := k.Set(&p, knobText(k, value)); err != nil {
			failures = append(failures, err)
		}
	}
	for _, name := range sortedNames(members) {
		failures = append(failures, fmt.Errorf("%w: unknown member %q; known are %s", ErrPolicy, name, knobNames()))
	}
	if err := errors.Join(failures...); err != nil {
		return Policy{}, err
	}
	return p, p.Validate()
}

// knobText is the inverse of knobJSON; what cannot be a knob's value gives a
// text that no knob accepts.
func knobText(k Knob, v jsontext.Value) string {
	switch {
	case v.Kind() == '"':
		s, _ := stringOf(v)
		return s
	case v.Kind() == '0': // 422, 422.0 and 4.22e2 are one number in JSON
		return decimalOf(string(v)).plain()
	case k.Name == "scope":
		var names []string
		if json.Unmarshal(v, &names) == nil {
			return strings.Join(names, ",")
		}
	}
	return string(v)
}

func sortedNames(members map[string]jsontext.Value) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func knobNames() string {
	names := make([]string, len(knobs))
	for i, k := range knobs {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}
