package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSlowestSpeeds(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 - - - -")
		d.has("paused 0.25x")
		d.keys("-")
		d.has("-: this is the slowest")
		d.keys("space")
		d.wait(4*time.Second + 10*time.Millisecond)
		d.has("▶ 0.25x", " 1/120 ")
		d.keys("+")
		d.has("▶ 0.50x")
		d.wait(2*time.Second + 10*time.Millisecond)
		d.has(" 2/120 ")
	})
}

// The log of a fake has a request a second.
func TestLogsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 40, text: "k"}), 100, 30)
		d.keys("2 n - - o space")
		d.has("▶ 1x of the log's time")
		before := d.m.screens[replayRoom].(*replayScreen).page
		gap := before.next.Sub(before.at.At)
		if gap <= 0 || gap > idleCap {
			gap = idleCap
		}
		d.wait(gap - 20*time.Millisecond)
		d.has(" 1/40 ")
		d.wait(40 * time.Millisecond)
		d.has(" 2/40 ")
		d.keys("o")
		d.has("▶ 1x ")
		d.hasNot("log's time")
		d.keys("space")
	})
}
