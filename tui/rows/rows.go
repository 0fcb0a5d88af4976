// Package rows is the window through which a list of any length is seen: which
// rows are on the screen and which one is selected. It is arithmetic alone; a
// list of ten million rows costs what one of ten costs.
package rows

// Window is a view of height rows over a list. The zero Window is empty.
type Window struct {
	length, height int
	cursor, top    int
}

// Len is the length of the list.
func (w *Window) Len() int { return w.length }

// Cursor is the selected row, 0-based; 0 in an empty list.
func (w *Window) Cursor() int { return w.cursor }

// Range is the half-open range of rows on the screen.
func (w *Window) Range() (from, to int) {
	return w.top, min(w.length, w.top+w.height)
}

// SetLen tells the window how long the list is.
func (w *Window) SetLen(n int) {
	w.length = max(0, n)
	w.clamp()
}

// SetHeight tells the window how many rows the screen has for it.
func (w *Window) SetHeight(h int) {
	if h = max(0, h); h != w.height {
		w.height = h
		w.clamp()
	}
}

// Move moves the cursor by d rows and reports whether it moved.
func (w *Window) Move(d int) bool { return w.To(w.cursor + d) }

// Half moves the cursor by half a screen, down for d > 0.
func (w *Window) Half(d int) bool { return w.Move(d * max(1, w.height/2)) }

// To selects row i, or the nearest there is, and reports whether the cursor moved.
func (w *Window) To(i int) bool {
	before := w.cursor
	w.cursor = i
	w.clamp()
	return w.cursor != before
}

// Scroll moves the window itself by d rows, for a list without a cursor, and
// reports whether it moved.
func (w *Window) Scroll(d int) bool {
	before := w.top
	w.top = max(0, min(w.top+d, w.length-w.height))
	w.cursor = max(w.top, min(w.cursor, w.top+w.height-1))
	w.clamp()
	return w.top != before
}

// At is the row that is shown on line y of the window; ok is false below the end.
func (w *Window) At(y int) (row int, ok bool) {
	from, to := w.Range()
	return from + y, y >= 0 && from+y < to
}

// clamp brings cursor and top back into the list, and the cursor into view.
func (w *Window) clamp() {
	w.cursor = max(0, min(w.cursor, w.length-1))
	w.top = max(0, min(w.top, w.length-w.height))
	if w.height > 0 {
		w.top = max(w.cursor-w.height+1, min(w.top, w.cursor))
	}
}
