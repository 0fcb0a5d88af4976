package printable

import (
	"fmt"
	"strconv"
)

// Digits is n in decimal with its thousands grouped by commas: -1,234,567.
func Digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	head := (len(s)-1)%3 + 1
	out := sign + s[:head]
	for i := head; i < len(s); i += 3 {
		out += "," + s[i:i+3]
	}
	return out
}

// Count is a number of things: "1 request", "1,234 requests".
func Count(n int64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return Digits(n) + " " + several
}

// Size is n bytes in the largest decimal unit that fits: 999 B, 1.5 kB, 10.0 MB.
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f := float64(n) / 1000
	for _, unit := range []string{"kB", "MB", "GB"} {
		if f < 999.95 {
			return fmt.Sprintf("%.1f %s", f, unit)
		}
		f /= 1000
	}
	return fmt.Sprintf("%.1f TB", f)
}
