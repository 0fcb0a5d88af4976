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

// Clock is a clock of the day: Arrive gives the times at which rows arrive, in
// their order.
type Clock struct{ clock clock }

// NewClock starts at the day's first time.
func NewClock(day Opening) *Clock { return &Clock{clock{day.Start}} }

// Arrive is the time at which the next row arrives.
func (c *Clock) Arrive(r *Row) time.Time {
	c.clock.now, _ = c.clock.at(r.at)
	return c.clock.now
}
