package calendar

import (
	"testing"
	"time"
)

// Every day that instants can name, beside the standard library's count.
func TestEveryDay(t *testing.T) {
	day := time.Date(FirstYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := Days(FirstYear, 1, 1); day.Year() <= LastYear; n++ {
		y, m, d := day.Date()
		if got := Days(y, int(m), d); got != n || got*86_400 != day.Unix() {
			t.Fatalf("%v is day %d, want %d", day, got, n)
		}
		next := day.AddDate(0, 0, 1)
		if last := next.Month() != m; last != (d == DaysIn(y, int(m))) {
			t.Fatalf("%v: the month has %d days", day, DaysIn(y, int(m)))
		}
		day = next
	}
}

// Each of the years is whole in int64 nanoseconds, and no other one is.
func TestYears(t *testing.T) {
	whole := func(year int) bool {
		first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		last := time.Date(year, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
		return time.Unix(0, first.UnixNano()).Equal(first) && time.Unix(0, last.UnixNano()).Equal(last)
	}
	if !whole(FirstYear) || !whole(LastYear) || whole(FirstYear-1) || whole(LastYear+1) {
		t.Error("the years are others")
	}
}
