package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Playback speeds, in steps a second; 0 is as fast as the engine runs.
var speeds = []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0}

const startSpeed = 2 // 4 steps a second

// toggle starts playback, or stops whatever moves.
func (r *replayScreen) toggle() tea.Cmd {
	if r.stop() {
		return nil
	}
	r.playing = true
	return r.beat()
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

// beat begins a playback: with a tick a step up to 16 a second, above that with
// 16 ticks of more steps, and at full speed with none, page after page.
func (r *replayScreen) beat() tea.Cmd {
	r.ticks++
	per := speeds[r.speed]
	if per == 0 {
		total, _ := r.total()
		return r.runTo(total)
	}
	playback := tickMsg{r.ticks}
	return tea.Tick(time.Second/time.Duration(min(per, maxTicks)), func(time.Time) tea.Msg { return playback })
}

// maxTicks is how many times a second playback moves.
const maxTicks = 16

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
		cmd = r.goTo(r.page.pos + max(1, speeds[r.speed]/maxTicks))
	}
	return tea.Batch(cmd, r.beat())
}
