package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// fakeScenes are states that every screen can be drawn in.
var fakeScenes = []string{"", "enter", "u", "2", "2 n n n n", "2 n n n enter", "2 G", "3", "4", "2 G 4", "?", "ctrl+p", "/ a", "2 :", "2 n n / k enter n", "2 n b k enter B", "2 n m k enter M",
	"5", "5 enter", "5 j enter", "5 j j", "5 b", "5 a G", "5 x",
	"6", "6 c", "6 c c", "6 tab j j", "6 l l - -", "6 enter",
	importKey, importForm + " d", importForm + " d q", importForm + " d i", importForm + " G k enter " + typed("--bad") + " d",
	importForm + " G k enter " + typed("--open") + " d enter",
	"t", "2 n t j space j space t", "2 s", "2 n n n s", "2 G s S j s G",
	"9", "9 d o", "9 l n G", "9 e x",
	"7", "7 enter", "7 enter c p", "7 enter s", "7 enter s c enter", "7 enter o n e", "7 j j j enter C d"}

// hostile are texts that would take a terminal over or misalign its columns.
var hostile = map[string]string{
	"csi":          "\x1b[2J\x1b[31mred",
	"osc title":    "\x1b]0;title\x07",
	"osc link":     "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
	"osc 52":       "\x1b]52;c;aGk=\x07",
	"osc open":     "\x1b]0;never ends",
	"dcs":          "\x1bPq#0\x1b\\",
	"apc":          "\x1b_Gi=1\x1b\\",
	"c1":           "\u009b31m\u009d0;x\u009c",
	"c1 bytes":     "\x9b31m\xff\xfe",
	"controls":     "a\rb\bc\td\ne\x00f\x07g\x7f",
	"bidi":         "abc\u202edef\u2066ghi\u200f",
	"conceal":      "\x1b[8mhidden",
	"wide":         "한글 漢字 かな",
	"emoji":        "👨‍👩‍👧‍👦❤️🇰🇷1️⃣",
	"combining":    "e\u0301\u0302\u0303a\u20dd" + strings.Repeat("\u0301", 50),
	"zero width":   "a\u200bb\u2060c\ufeffd",
	"markup":       "[red]{{x}}%s%d|`<b>**_#",
	"long":         strings.Repeat("x", 100_000),
	"empty":        "",
	"spaces":       "   ",
	"line breaks":  "one\r\ntwo\n\nthree\u2028four\u0085five",
	"rgb":          "\x1b[38;2;1;2;3mx\x1b[m",
	"half escapes": "\x1b\x1b[\x1b]",
}

func TestHostileTextsStayVisible(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, keys := range fakeScenes {
					d := drive(t, fakeConfig(&fake{total: 12, text: text}), 80, 24)
					d.keys(keys)
					for _, size := range [][2]int{{80, 24}, {60, 15}, {140, 50}} {
						d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						checkView(t, d.m.View().Content, size[0], size[1])
					}
				}
			})
		})
	}
}

// FuzzKeys: no sequence of keys and sizes breaks a view.
func FuzzKeys(f *testing.F) {
	keys := strings.Fields("1 2 3 4 n p j k g G space e E d D f b B x + - s S / : a 7 enter esc q ? u v y Y w r f2 ctrl+d ctrl+u ctrl+p ctrl+l backspace up down 5 6 7 c i m o tab h l 0 C T L R 9 t I F N z Z")
	f.Add([]byte("\x01\x04\x04\x05\x09\x0b\x00\x0f\x10\x13"))
	for _, pressed := range []string{"5 enter esc x b a s / a enter", "6 j l l - enter 7 enter c c tab G enter 0", "7 enter c p o n T e R C d enter esc esc", "9 d n N o a l h tab t space t v s S G enter I F"} {
		var seed []byte
		for _, k := range strings.Fields(pressed) {
			seed = append(seed, byte(slices.Index(keys, k)))
		}
		f.Add(seed)
	}
	f.Add([]byte("\x01\x0a\x0a\x0c\x14\x16\x17\x18\x19\x15\x1a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, fakeConfig(&fake{total: 30, text: "한글 \x1b[31m"}), 80, 24)
			w, h := 80, 24
			for _, b := range data[:min(len(data), 60)] {
				if int(b) < len(keys) {
					d.keys(keys[b])
				} else {
					w, h = int(b), int(b)/3
					d.send(tea.WindowSizeMsg{Width: w, Height: h})
				}
				checkView(t, d.m.View().Content, w, h)
			}
		})
	})
}

// A million groups scroll like a hundred: the list is a window.
func TestMillionGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("sorts a million groups")
	}
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 1_000_000, text: "k"}), 80, 24)
		d.keys("G")
		start := time.Now()
		for range 20 {
			d.keys("k ctrl+u")
			checkView(t, d.m.View().Content, 80, 24)
		}
		if spent := time.Since(start); spent > 0 {
			t.Errorf("moving took %v of the day's time", spent)
		}
		d.has("›")
	})
}

// Stop answers at once, however long the run that it ends would take.
func TestRunStopsWithinTenthOfSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 1 << 40, text: "k", step: time.Millisecond}), 80, 24)
		d.keys("2")
		d.update(press("G"))
		d.wait(time.Second)
		d.has("▶ running to 1,099,511,627,776")
		for _, key := range []string{"space", "esc", "p", "n"} {
			d.update(press(key))
			d.wait(100 * time.Millisecond)
			d.has("paused")
			d.update(press("G"))
			d.wait(300 * time.Millisecond)
			d.has("▶ running")
		}
		d.update(press("esc"))
	})
}

// An answer about an incident that was closed meanwhile is dropped.
func TestLateAnswersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := &fake{total: 3, text: "old"}
		d := drive(t, fakeConfig(&fake{total: 5, text: "new"}), 80, 24)
		for _, msg := range []tea.Msg{
			foundMsg{of: old}, evidenceMsg{of: old}, loadMsg{of: old}, resultMsg{of: old}, wroteMsg{of: old},
			pageMsg{of: old, page: page{pos: 3}}, storyMsg{of: old}, detailMsg{of: old, pos: 1}, reportMsg{of: old, lines: []string{"old"}},
			watchMsg{of: old, changed: true},
		} {
			d.send(msg)
		}
		d.has("new", "5 requests")
		d.hasNot("CHANGED")
		d.keys("2")
		d.has(" 0/5 ")
	})
}

// Whoever quits while the files are being written gets them, and can insist.
func TestQuitWaitsForTheFiles(t *testing.T) {
	for _, insist := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{total: 3, text: "k", writing: time.Second}
			d := drive(t, fakeConfig(f), 80, 24)
			d.keys("2 G q")
			if d.quit {
				t.Fatal("left while the files were being written")
			}
			d.has("leaving once the files are written")
			if insist {
				d.keys("q")
			} else {
				d.wait(2 * time.Second)
			}
			if !d.quit || (f.writes == 1) == insist {
				t.Errorf("insisted %v: quit %v after %d writes", insist, d.quit, f.writes)
			}
		})
	}
}

func TestMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labConfig(t), 80, 24)
		click := func(x, y int) { d.screen(); d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
		wheel := func(b tea.MouseButton) { d.send(tea.MouseWheelMsg{Button: b}) }
		d.keys("f2")
		if d.m.View().MouseMode != tea.MouseModeCellMotion {
			t.Error("F2 does not turn the mouse on")
		}
		click(10, 10)
		d.has("›  ca59641c")
		wheel(tea.MouseWheelUp)
		d.has("›  8418cc84")
		d.keys("2 G g")
		click(40, 4)
		d.has(" 61/120 ")
		wheel(tea.MouseWheelDown)
		d.has(" 64/120 ")
		click(10, 8)
		d.has("› ")
		d.keys("f2")
		if d.m.View().MouseMode != tea.MouseModeNone {
			t.Error("F2 does not turn the mouse off")
		}
	})
}

func TestEmptyDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{text: "none"}
		d := drive(t, fakeConfig(f), 80, 24)
		d.keys("2 n p space g e d")
		d.has(" 0/0 ")
		if f.writes != 0 {
			t.Error("files were written unasked")
		}
		d.keys("G")
		if f.writes != 1 {
			t.Errorf("%d writes, want 1", f.writes)
		}
	})
}

func TestFailedAnswersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 5, text: "x"}), 80, 24)
		s := d.m.session
		d.send(foundMsg{of: s, err: context.DeadlineExceeded})
		d.has("context deadline exceeded", "r opens the incident again")
		d.send(pageMsg{of: s, err: context.DeadlineExceeded})
		d.keys("2")
		d.has("context deadline exceeded")
	})
}

// Every term of the difference that is not zero stands beside what was stopped,
// and a retention that is too short is told on the replay and the policy screen.
func TestEndTellsTheOtherTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 3, text: "USD"}), 100, 30)
		d.keys("2 G")
		d.has("=  stopped USD 0.01", "+ unmatched ₩ 2", "− only the replay moved USD 0.02", "retention of 72h0m0s is not longer")
		d.hasNot("amount differs")
		d.m.found.LongestGap = 100 * time.Hour
		d.keys("3")
		d.has("Retention is too short", "100h0m0s")
	})
}

func TestHugeTextsAreCutWithTheirSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 3, text: strings.Repeat("k", 10_000_000)}), 100, 30)
		d.has("10.0 MB")
		d.keys("2 n enter")
		d.has("kkkk")
		d.keys("y")
		d.has("key is too long to copy: 10.0 MB")
		checkView(t, d.m.View().Content, 100, 30)
	})
}

func TestCopyGoesThroughTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 3, text: "k"}), 100, 30)
		for _, keys := range []string{"y", "Y", "2 n y", "Y", "3 y", "Y"} {
			d.keys(keys)
			d.has("copied")
		}
	})
}
