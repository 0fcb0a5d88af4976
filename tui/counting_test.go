package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

// A long day is on the screen at once, and what is not counted yet says so.
func TestCountsAreMarkedUntilTheyAreExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 12_000, text: "k", preparing: time.Minute}), 110, 30)
		d.has("counting… at most 12,000 requests")
		d.keys("2 n")
		d.has("0/")
		d.wait(time.Minute + time.Second)
		d.has("12,000 requests", " 1/12,000 ")
		d.hasNot("at most")
	})
}
