package notes

import (
	"cmp"
	"slices"
	"time"
)

// Stop is a breakpoint: a run through the day ends where its query holds.
type Stop struct {
	Query string `json:"query"`
	Off   bool   `json:"off,omitempty"`
	Edit
}

// Stops are those there are, a query each, in the order in which they were made.
func (b Book) Stops() []Stop {
	return slices.DeleteFunc(slices.Clone(b.stops), func(s Stop) bool { return s.Gone })
}

// OnlyStops is the book without its notes.
func (b Book) OnlyStops() Book { return Book{stops: b.stops} }

// WithStop is the book with a stop made, or turned on or off, now.
func (b Book) WithStop(query string, off bool, now time.Time) Book {
	return b.editStop(Stop{Query: query, Off: off}, now)
}

// WithoutStop is the book whose stop with a query is removed now.
func (b Book) WithoutStop(query string, now time.Time) Book {
	return b.editStop(Stop{Query: query, Edit: Edit{Gone: true}}, now)
}

func (b Book) editStop(s Stop, now time.Time) Book {
	var last Edit
	if i := slices.IndexFunc(b.stops, func(a Stop) bool { return a.Query == s.Query }); i >= 0 {
		last = b.stops[i].Edit
	}
	s.Edit = last.after(now, s.Gone)
	return b.Merge(Book{stops: []Stop{s}})
}

// mergeStops: of two edits at one instant, the one that has the stop on is taken.
func mergeStops(a, b []Stop) []Stop {
	on := map[bool]int{false: 1}
	return merge(a, b, func(s Stop) string { return s.Query }, func(a, b Stop) int { return cmp.Compare(on[a.Off], on[b.Off]) })
}
