package tui

import (
	"testing"
	"testing/synctest"
)

// FuzzData: whatever stands in the day, every screen that shows it is drawn
// exactly, at any size, and lets none of it through to the terminal.
func FuzzData(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 1000 {
			f.Add(text, uint8(80), uint8(24), uint8(len(text)))
		}
	}
	f.Fuzz(func(t *testing.T, text string, w, h, scene uint8) {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, fakeConfig(&fake{total: 12, text: text}), int(w), int(h))
			d.send(sizeMsg(max(int(w), leastWidth), max(int(h), leastHeight)))
			d.keys(fakeScenes[int(scene)%len(fakeScenes)])
			checkView(t, d.m.View().Content, max(int(w), leastWidth), max(int(h), leastHeight))
			d.send(sizeMsg(int(w), int(h)))
			checkView(t, d.m.View().Content, int(w), int(h))
		})
	})
}
