// Package notes keeps what people noted on an incident: texts that belong to a
// moment of its day, and the breakpoints they set in it. They live in the user's state folder under the hash of the
// incident's bytes, never beside the evidence, so that a copy of the file under
// another name has them too.
//
// Several workbenches may be open on one incident. What each of them knows is
// merged, one by one: the newer edit wins, and that one was removed is an
// edit, too.
package notes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"idem/analysis/printable"
)

// Note is a text about the request at a position; "" is a bare mark.
type Note struct {
	N    int64     `json:"n"`
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"` // UTC, the day's clock
	Text string    `json:"text"`
	Edit
}

// Edit is the last thing that was done to what is kept. Its fields are public for
// their JSON alone; a book sets them.
type Edit struct {
	Edited time.Time `json:"edited,omitzero"` // UTC, the user's clock; zero is older than any
	Gone   bool      `json:"gone,omitempty"`  // it was removed
}

func (e Edit) edit() Edit { return e }

// compare orders edits of one thing. At one instant a removal gives way, so that
// nothing is lost to a coarse clock.
func (e Edit) compare(other Edit) int {
	c := e.Edited.Compare(other.Edited)
	switch {
	case c != 0 || e.Gone == other.Gone:
		return c
	case e.Gone:
		return -1
	}
	return 1
}

// after is an edit now of what was edited last before: it is newer even where the
// clock was set back meanwhile, or is another machine's.
func (e Edit) after(now time.Time, gone bool) Edit {
	now = now.UTC().Round(0)
	if !now.After(e.Edited) {
		now = e.Edited.Add(1)
	}
	return Edit{now, gone}
}

// Book is the notes on one incident, one a position, and its breakpoints. It is never
// changed in place. What was removed stays in it as such.
type Book struct {
	notes []Note // in the order of the day
	stops []Stop // in the order in which they were made
}

// Blank reports whether nothing was ever done to the book.
func (b Book) Blank() bool { return len(b.notes) == 0 && len(b.stops) == 0 }

// Notes are those there are, in the order of the day.
func (b Book) Notes() []Note {
	return slices.DeleteFunc(slices.Clone(b.notes), func(n Note) bool { return n.Gone })
}

// At is the note at a position.
func (b Book) At(n int64) (Note, bool) {
	i, found := b.find(n)
	if !found || b.notes[i].Gone {
		return Note{}, false
	}
	return b.notes[i], true
}

func (b Book) find(n int64) (int, bool) {
	return slices.BinarySearchFunc(b.notes, n, func(a Note, n int64) int { return cmp.Compare(a.N, n) })
}

// With is the book with a note made now in it, in place of one at the same position.
func (b Book) With(note Note, now time.Time) Book {
	var last Edit
	if i, found := b.find(note.N); found {
		last = b.notes[i].Edit
	}
	note.Edit = last.after(now, false)
	return b.Merge(Book{notes: []Note{note}})
}

// Without is the book whose note at a position is removed now.
func (b Book) Without(n int64, now time.Time) Book {
	i, found := b.find(n)
	if !found {
		return b
	}
	return b.Merge(Book{notes: []Note{{N: n, Edit: b.notes[i].after(now, true)}}})
}

// Merge is what two books come to, whichever is named first.
func (b Book) Merge(other Book) Book {
	list := merge(b.notes, other.notes, func(n Note) int64 { return n.N }, func(a, b Note) int { return cmp.Compare(a.Text, b.Text) })
	slices.SortFunc(list, func(a, b Note) int { return cmp.Compare(a.N, b.N) })
	return Book{list, mergeStops(b.stops, other.stops)}
}

// merge is both lists, with the newer edit of what is in both: of edits at one
// instant the one that order has last. What only b has comes last.
func merge[K comparable, T interface{ edit() Edit }](a, b []T, key func(T) K, order func(a, b T) int) []T {
	out := slices.Clone(a)
	at := make(map[K]int, len(a)+len(b))
	for i := range out {
		at[key(out[i])] = i
	}
	for _, t := range b {
		i, both := at[key(t)]
		switch {
		case !both:
			at[key(t)] = len(out)
			out = append(out, t)
		case cmp.Or(t.edit().compare(out[i].edit()), order(t, out[i])) > 0:
			out[i] = t
		}
	}
	return out
}

// Timeline is the notes in Markdown, for a file beside the report.
func (b Book) Timeline(file, sha256 string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Notes on %s\n\nsha256 `%s`\n\n| # | seq | time (UTC) | note |\n|---|---|---|---|\n", cell(file), sha256)
	for _, n := range b.Notes() {
		at := "no time"
		if !n.At.IsZero() {
			at = n.At.UTC().Format("2006-01-02 15:04:05.000")
		}
		fmt.Fprintf(&out, "| %d | %d | %s | %s |\n", n.N, n.Seq, at, cell(n.Text))
	}
	return out.String()
}

// cell is a text that stays in its cell and shows what it holds.
func cell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(printable.Text(s, 4096))
}
