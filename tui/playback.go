package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Playback speeds, in steps in four seconds; 0 is as fast as the engine runs.
var speeds = []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 0}

const startSpeed = 4 // 4 steps a second

// maxTicks is how many times a second playback moves.
const maxTicks = 16

// idleCap is how long the log's own timing waits at most between two requests.
const idleCap = 2 * time.Second

// speedName is a speed as a multiple: of a step a second, or of the log's time.
func speedName(per int64) string {
	switch {
	case per == 0:
		return "full speed"
	case per < 4:
		return fmt.Sprintf("0.%02dx", 25*per)
	}
	return number(per/4) + "x"
}

// toggle starts playback, or stops whatever moves.
func (r *replayScreen) toggle() tea.Cmd {
	if r.stop() {
		return nil
	}
	r.playing, r.detached = true, false
	return r.beat()
}

// follow goes to the last request that was sent and plays on from there.
func (r *replayScreen) follow() tea.Cmd {
	r.stop()
	r.playing, r.detached = true, false
	return tea.Batch(r.goTo(r.page.frontier), r.beat())
}

func (r *replayScreen) whyNoFollow() string {
	total, _ := r.total()
	switch {
	case r.playing && r.page.pos == r.page.frontier:
		return "it follows"
	case r.page.pos == r.page.frontier && r.page.pos == total:
		return "the day is at its end; g goes to the first step"
	}
	return ""
}

// ownPace are keys that say themselves what becomes of a run.
var ownPace = []string{"space", "esc", "+", "=", "-"}

// interrupt ends a run at full speed: any key does, but those that change its
// speed, and those that end it themselves.
func (r *replayScreen) interrupt(key string) {
	stepping := r.want.find != nil && !r.want.find.wants.Empty()
	if (r.want.run || r.want.find != nil) && !stepping && r.running() && !slices.Contains(ownPace, key) {
		r.stop()
	}
}

// faster changes the speed by d places in the table of speeds.
func (r *replayScreen) faster(d int) tea.Cmd {
	r.speed = max(0, min(r.speed+d, len(speeds)-1))
	if !r.playing {
		return nil
	}
	r.want = goal{pos: r.page.pos}
	return r.beat()
}

// ownTiming plays in the log's own time, or in even steps again.
func (r *replayScreen) ownTiming() tea.Cmd {
	r.timed = !r.timed
	return r.faster(0)
}

// timedNow reports whether the log's own time is what is played in.
func (r *replayScreen) timedNow() bool { return r.timed && speeds[r.speed] > 0 }

// beat begins a playback: with a tick a step up to 16 a second, above that with
// 16 ticks of more steps, and at full speed with none, page after page.
func (r *replayScreen) beat() tea.Cmd {
	r.ticks++
	per := speeds[r.speed]
	if per == 0 {
		total, _ := r.total()
		return r.runTo(total)
	}
	span := 4 * time.Second / time.Duration(min(per, 4*maxTicks))
	if r.timed {
		span = r.gap() * 4 / time.Duration(per)
	}
	playback := tickMsg{r.ticks}
	return tea.Tick(max(span, time.Second/maxTicks), func(time.Time) tea.Msg { return playback })
}

// gap is how long the log waited after the step on the screen, up to idleCap.
func (r *replayScreen) gap() time.Duration {
	if r.page.pos == 0 || r.page.next.IsZero() || r.page.at.At.IsZero() {
		return 0
	}
	return max(0, min(r.page.next.Sub(r.page.at.At), idleCap))
}

// tick plays on. A beat that finds the last page still on its way is left out,
// so that a slow machine plays slower and not later.
func (r *replayScreen) tick(msg tickMsg) tea.Cmd {
	if msg.playback != r.ticks || !r.playing {
		return nil
	}
	total, _ := r.total()
	if r.page.pos >= total {
		r.stop()
		return nil
	}
	var cmd tea.Cmd
	if !r.busy {
		cmd = r.goTo(r.page.pos + r.stride())
	}
	if r.timedNow() && cmd != nil {
		return cmd // the page that it brings says how long to wait
	}
	return tea.Batch(cmd, r.beat())
}

// stride is how many steps one tick takes.
func (r *replayScreen) stride() int64 {
	if r.timed {
		return 1
	}
	return max(1, speeds[r.speed]/4/maxTicks)
}
