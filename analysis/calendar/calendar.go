// Package calendar counts days of the Gregorian calendar. Logs hold millions of
// times, and time.Date normalises what was checked before.
package calendar

// The years that int64 nanoseconds since 1970 hold whole.
const (
	FirstYear = 1678
	LastYear  = 2261
)

// Days counts the days from 1970-01-01 to a date that exists.
// Years begin in March here, so that a leap day is the last day of its year.
func Days(year, month, day int) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return int64(365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719_468)
}

// DaysIn is the length of a month, 1 to 12, in days.
func DaysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}
