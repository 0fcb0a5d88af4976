package rows

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever is done to a window, its cursor is in the list and on the screen, and
// the screen is full where the list is long enough.
func TestWindowHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			n := rapid.IntRange(-30, 30).Draw(t, "n")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				w.SetLen(n)
			case 1:
				w.SetHeight(n)
			case 2:
				w.Move(n)
			case 3:
				w.Half(n)
			case 4:
				w.To(n)
			case 5:
				w.Scroll(n)
			}
			holds(t, &w)
		}
	})
}

func holds(t *rapid.T, w *Window) {
	from, to := w.Range()
	switch {
	case w.Cursor() < 0 || (w.Len() > 0 && w.Cursor() >= w.Len()):
		t.Fatalf("cursor outside the list: %+v", *w)
	case from < 0 || to > w.Len() || (to < from && w.Len() > 0):
		t.Fatalf("range outside the list: %+v", *w)
	case w.height > 0 && w.Len() > 0 && (w.Cursor() < from || w.Cursor() >= to):
		t.Fatalf("cursor not on the screen: %+v", *w)
	case w.height > 0 && to-from < min(w.height, w.Len()):
		t.Fatalf("the screen is not full: %+v", *w)
	}
}

func TestMoves(t *testing.T) {
	var w Window
	w.SetLen(1_000_000_000)
	w.SetHeight(10)
	if !w.To(999_999_999) || w.Move(1) {
		t.Error("the last row is where it ends")
	}
	if from, to := w.Range(); from != 999_999_990 || to != 1_000_000_000 {
		t.Errorf("range %d..%d", from, to)
	}
	if row, ok := w.At(3); !ok || row != 999_999_993 {
		t.Errorf("At(3) = %d, %v", row, ok)
	}
	if _, ok := w.At(10); ok {
		t.Error("a row below the window")
	}
	w.Half(-1)
	if w.Cursor() != 999_999_994 {
		t.Errorf("half a screen up is %d", w.Cursor())
	}
}
