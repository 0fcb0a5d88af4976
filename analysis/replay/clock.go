package replay

import "time"

// clock is the replay's: the log's own time, which never goes back. A row whose
// time lies before an earlier one, or cannot be read, happens at the last time
// that could.
type clock struct{ now time.Time }

// reading is what the clock made of one row's time.
type reading uint8

const (
	read0 reading = iota // the row's own time
	readBack
	readNone
)

// at gives the time at which a row that claims time t arrives.
func (c clock) at(t time.Time) (time.Time, reading) {
	switch {
	case t.IsZero():
		return c.now, readNone
	case t.Before(c.now):
		return c.now, readBack
	}
	return t, read0
}
