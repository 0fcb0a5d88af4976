package cli

import (
	"errors"
	"fmt"
	"slices"

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

// emptyFlag is about the first flag that was given an empty text: a variable of a
// script that was never set. To take it as a flag that was left out would look at
// the whole day instead of a client's, or run another policy than was meant.
func emptyFlag(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && holdsEmpty(f.Value) {
			err = usageError("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return err
}

func holdsEmpty(value pflag.Value) bool {
	if list, ok := value.(pflag.SliceValue); ok {
		texts := list.GetSlice()
		return len(texts) == 0 || slices.Contains(texts, "")
	}
	return value.Type() == "string" && value.String() == ""
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
