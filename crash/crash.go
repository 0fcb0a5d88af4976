// Package crash makes a panic an end like any other: what a goroutine died of
// goes to whoever waits for it, and what is written down about it holds no data.
// It knows nothing of payments, so that every room may use it.
package crash

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Panic is a panic that was caught, with the place where it happened.
type Panic struct {
	value any
	stack string
}

// Caught is the panic that recover returned as value. One that was caught before
// and raised again keeps its first place.
func Caught(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	return &Panic{value: value, stack: stack()}
}

// Catch hands the panic of a function to then, and does nothing where there is
// none. It is to be deferred itself: defer crash.Catch(then).
func Catch(then func(*Panic)) {
	if value := recover(); value != nil {
		then(Caught(value))
	}
}

// Again raises the panic that err is or wraps, and returns an err that is none:
// a panic of a goroutine is one of whoever waits for its result.
func Again(err error) error {
	if p := new(Panic); errors.As(err, &p) {
		panic(p)
	}
	return err
}

// Error is for the person at the terminal. Unlike the file of Write it may quote
// what was worked on.
func (p *Panic) Error() string { return fmt.Sprintf("internal error: %v", p.value) }

// Unwrap is the error that was the panic's value, if it was one.
func (p *Panic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// Kind says what happened without a word of data: the text of a panic of the
// runtime, which has types and numbers only, and of any other the value's type.
func (p *Panic) Kind() string {
	if err, ok := p.value.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a panic with a value of type %T", p.value)
}

// Stack is where it happened: functions, files and lines, innermost first. The
// arguments, which may be data, are not in it.
func (p *Panic) Stack() string { return p.stack }

// deepest is how many calls of a stack are kept: a stack that ran out has many.
const deepest = 128

func stack() string {
	pcs := make([]uintptr, deepest)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var b strings.Builder
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopanic" {
			b.Reset() // what stands above is the catching
		} else if f.Function != "" {
			fmt.Fprintf(&b, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return b.String()
		}
	}
}
