package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// flagError says in a sentence what is wrong with a flag. What the number
// parsers say of a value names functions of the language the program is written
// in; a flag with a parser of its own says what it takes itself.
func flagError(err error) error {
	text := err
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		text = fmt.Errorf("--%s is %q, must be %s", value.GetFlag().Name, value.GetValue(), allowed(value))
	case errors.As(err, &missing):
		text = fmt.Errorf("--%s is given without a value: %s", missing.GetFlag().Name, missing.GetFlag().Usage)
	}
	return &coded{exitUsage, text}
}

// allowed says what a flag takes.
func allowed(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "bool":
		return "true or false"
	case "uint64":
		return "an integer from 0 to 18446744073709551615"
	case "int", "int64":
		return "an integer that fits 64 bits"
	case "int64Slice":
		return "an integer that fits 64 bits, or several of them, parted by commas"
	}
	return e.Unwrap().Error()
}
