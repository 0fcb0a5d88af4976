package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/replay"
	"idem/tui/cells"
	"idem/tui/rows"
)

func (r *replayScreen) keys() section {
	if r.stops.open {
		return section{title: "Breakpoints", bindings: r.stopsKeys()}
	}
	if r.notes.open {
		return section{title: "Marks", bindings: r.notesKeys()}
	}
	if r.rank.open {
		return section{title: "Sorted steps", bindings: r.rankingKeys()}
	}
	if r.open {
		own := []binding{r.nextKey(), r.previousKey(), r.noteKey()}
		return section{title: "Replay", bindings: slices.Concat(own, scrollKeys(&r.scroll), r.findKeys(), r.copyKeys())}
	}
	return section{title: "Replay", bindings: slices.Concat(r.moveKeys(), r.findKeys(), r.listKeys(), r.copyKeys())}
}

func (r *replayScreen) nextKey() binding {
	return binding{keys: []string{"n", "right"}, name: "n →", help: "one step forward", hint: "step", why: r.whyNoNext(), do: func() tea.Cmd { return r.step(1) }}
}

func (r *replayScreen) previousKey() binding {
	return binding{keys: []string{"p", "left"}, name: "p ←", help: "one step back", hint: "back", why: r.whyNoPrevious(), do: func() tea.Cmd { return r.step(-1) }}
}

func (r *replayScreen) moveKeys() []binding {
	half := int64(max(1, (r.height-8)/4))
	return []binding{
		{keys: []string{"space"}, name: "space", help: "play or pause", hint: map[bool]string{true: "pause", false: "play"}[r.playing || r.running()], why: r.whyNoPlay(), do: r.toggle},
		r.nextKey(), r.previousKey(),
		{keys: []string{"G", "end"}, name: "G", help: "run to the end of the day", hint: "to the end", why: r.whyNoEnd(), do: r.toEnd},
		{keys: []string{"g", "home"}, name: "g", help: "first step", do: func() tea.Cmd { r.stop(); return r.runTo(1) }},
		{keys: []string{"j", "down"}, name: "j ↓", help: "one step forward", why: r.whyNoNext(), do: func() tea.Cmd { return r.step(1) }},
		{keys: []string{"k", "up"}, name: "k ↑", help: "one step back", why: r.whyNoPrevious(), do: func() tea.Cmd { return r.step(-1) }},
		{keys: []string{"ctrl+d", "pgdown"}, name: "ctrl+d", help: "some steps forward", why: r.whyNoNext(), do: func() tea.Cmd { return r.step(half) }},
		{keys: []string{"ctrl+u", "pgup"}, name: "ctrl+u", help: "some steps back", why: r.whyNoPrevious(), do: func() tea.Cmd { return r.step(-half) }},
		{keys: []string{"+", "="}, name: "+", help: "faster", hint: "faster", why: unless(r.speed < len(speeds)-1, "this is full speed"), do: func() tea.Cmd { return r.faster(1) }},
		{keys: []string{"-"}, name: "-", help: "slower", why: unless(r.speed > 0, "this is the slowest"), do: func() tea.Cmd { return r.faster(-1) }},
		{keys: []string{"F"}, name: "F", help: "follow: play on from the last request sent", why: r.whyNoFollow(), do: r.follow},
		{keys: []string{"o"}, name: "o", help: "play in the log's own time, gaps cut to 2 s, or in even steps", do: r.ownTiming},
		{keys: []string{"enter"}, name: "enter", help: "everything about the step", hint: "open", why: unless(r.page.detail != nil, "no request has been sent yet"), do: act(r.openDetail)},
		{keys: []string{"esc"}, name: "esc", help: "stop; end the filter", why: unless(r.playing || r.running() || r.sieve.text() != "", "nothing runs"), do: r.stopOrEndFilter},
	}
}

func (r *replayScreen) findKeys() []binding {
	retry := replay.Target{Classes: retryClasses}
	look := func(s search) func() tea.Cmd { return func() tea.Cmd { return r.find(s) } }
	return []binding{
		{keys: []string{"e"}, name: "e", help: "next 409 or 422", hint: "409/422", do: look(search{dir: replay.Forward, target: retry, name: "409 or 422"})},
		{keys: []string{"E"}, name: "E", help: "previous 409 or 422", do: look(search{dir: replay.Backward, target: retry, name: "409 or 422"})},
		{keys: []string{"d"}, name: "d", help: "next duplicate", hint: "duplicate", do: look(search{dir: replay.Forward, target: replay.Target{Duplicate: true}, name: "duplicate"})},
		{keys: []string{"D"}, name: "D", help: "previous duplicate", do: look(search{dir: replay.Backward, target: replay.Target{Duplicate: true}, name: "duplicate"})},
		{keys: []string{"I"}, name: "I", help: "run to the first broken invariant", do: look(r.brokenSearch())},
		{keys: []string{":"}, name: ":", help: "go to a step by number, time of day or key", hint: "go to", do: act(r.askGoto)},
		{keys: []string{"'"}, name: "'", help: "back to where the last jump began", why: unless(r.left != r.page.pos, "nothing was jumped over"), do: r.comeBack},
	}
}

func (r *replayScreen) listKeys() []binding {
	return []binding{
		{keys: []string{"/"}, name: "/", help: "filter by words and fields; the prompt lists them, tab completes", hint: "filter", do: act(r.askFilter)},
		{keys: []string{"f"}, name: "f", help: "lift the filter for a moment, or let it down again", why: r.sieve.whyNoLift(), do: r.lift},
		{keys: []string{"s"}, name: "s", help: "the steps sent so far, sorted by any column", hint: "sort", why: unless(r.page.frontier > 0, "no request has been sent yet"), do: r.openRanking},
		{keys: []string{"b"}, name: "b", help: "a breakpoint: stop where words and fields hold", hint: "break", do: act(r.askStop)},
		{keys: []string{"B"}, name: "B", help: "the breakpoints", why: unless(len(r.stops.list) > 0, "there is none; b makes one"), do: act(r.openStops)},
		r.noteKey(),
		{keys: []string{"M"}, name: "M", help: "the marks and notes", why: unless(len(r.notes.book.Notes()) > 0, "there is none; m makes one"), do: act(r.openNotes)},
		{keys: []string{"i"}, name: "i", help: "explain each outcome in a line, or not", do: act(func() { r.mute = !r.mute })},
		{keys: []string{"w"}, name: "w", help: "write the day's files", why: r.whyNoWrite(), do: r.through},
	}
}

func (r *replayScreen) noteKey() binding {
	return binding{keys: []string{"m"}, name: "m", help: "mark the step, with a note", hint: "mark", why: unless(r.current() != nil, "no request has been sent yet"), do: act(r.askNote)}
}

// comeBack goes to where the last jump began, and the next time back here.
func (r *replayScreen) comeBack() tea.Cmd {
	to := r.left
	r.stop()
	return r.runTo(to)
}

func (r *replayScreen) copyKeys() []binding {
	return []binding{
		r.cellKey(unless(r.page.detail != nil, "no step is shown"), r.stepCells),
		{keys: []string{"Y"}, name: "Y", help: "copy the row as JSON", why: unless(r.current() != nil, "no step is shown"), do: func() tea.Cmd { return r.copyText("row", entryJSON(&r.page.at)) }},
		r.commandKey("replay"),
	}
}

func (r *replayScreen) whyNoPlay() string {
	total, _ := r.total()
	return unless(r.page.pos < total || r.running(), "the day is at its end; g goes to the first step")
}

func (r *replayScreen) whyNoNext() string {
	total, _ := r.total()
	return unless(r.want.pos < total || r.playing || r.running(), "this is the last request")
}

func (r *replayScreen) whyNoEnd() string {
	total, _ := r.total()
	return unless(r.page.pos < total || total == 0, "this is the last request")
}

func (r *replayScreen) whyNoPrevious() string {
	return unless(r.want.pos > 0 || r.playing || r.running(), "no request has been sent yet")
}

func (r *replayScreen) whyNoWrite() string {
	total, _ := r.total()
	switch {
	case r.page.frontier < total:
		return "the day is not through; G runs it to the end"
	case r.files.state == busy:
		return "they are being written"
	case r.files.state == done:
		return "they are written"
	}
	return ""
}

// toEnd runs to the last request. A day without any is through at once.
func (r *replayScreen) toEnd() tea.Cmd {
	total, _ := r.total()
	r.stop()
	if total == 0 {
		return r.through()
	}
	return r.runTo(total)
}

func (r *replayScreen) openDetail() {
	r.stop()
	r.open = true
	r.scroll = rows.Window{}
}

func (r *replayScreen) askGoto() {
	r.ask(asking{label: "go to (number, hh:mm or key)", enter: r.enterGoto, once: true})
}

func (r *replayScreen) enterGoto(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if n, ok := wholeNumber(text); ok {
		if total, known := r.total(); known && n > total { // it may be part of a key
			r.tell("there is no request " + number(n) + ": this is the first that names " + show(text, 40))
			return r.find(search{dir: replay.Forward, text: text, around: true, name: "request with " + show(text, 60),
				none: fmt.Sprintf("there is no request %s, and none that names %s: the last one is %s", number(n), show(text, 40), number(total))})
		}
		r.stop()
		return r.runTo(n)
	}
	if at, ok := instant(text, r.today()); ok {
		return r.find(search{dir: replay.Forward, name: "request at or after " + text, until: func(s *replay.Step) bool { return !s.At.Before(at) }})
	}
	return r.findText(text)
}

func (r *replayScreen) findText(text string) tea.Cmd {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	text = strings.TrimPrefix(text, "key:")
	return r.find(search{dir: replay.Forward, text: text, around: true, name: "request with " + show(text, 60)})
}

// brokenSearch looks for an invariant that broke.
func (r *replayScreen) brokenSearch() search {
	total, _ := r.total()
	return search{dir: replay.Forward, breach: true, until: func(s *replay.Step) bool { return s.Broken }, name: "broken invariant",
		none: fmt.Sprintf("no invariant broke: %d hold over %s", len(replay.Watched), many(total, "request", "requests"))}
}

// breachLine says which invariant broke first.
func (r *replayScreen) breachLine(w int) string {
	b := r.page.breach
	if b == nil {
		return ""
	}
	return r.theme.failure.Render(cells.Cut(fmt.Sprintf(" ! broken at #%s by #%s: %s: %s", number(b.At), number(b.N), b.Invariant, show(b.Why, w)), w))
}

// wholeNumber reads a position; commas may stand between its digits.
func wholeNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(text), ",", ""), 10, 64)
	return n, err == nil && n >= 0
}

// today is the day that a time without a date is meant on.
func (r *replayScreen) today() time.Time {
	switch {
	case r.current() != nil:
		return r.current().At
	case r.found != nil:
		return r.found.First
	}
	return time.Time{}
}

// instant reads hh:mm or hh:mm:ss, with a date before it or on today, in UTC.
func instant(text string, today time.Time) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", time.RFC3339} {
		for _, full := range []string{text, today.UTC().Format(time.DateOnly) + " " + text} {
			if t, err := time.Parse(layout, full); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

func (r *replayScreen) wheel(d int) tea.Cmd {
	switch {
	case r.open:
		r.scroll.Scroll(d)
		return nil
	case r.stops.open:
		r.stops.window.Move(d)
		return nil
	case r.notes.open:
		r.notes.window.Move(d)
		return nil
	case r.rank.open:
		return r.moveRanking(d)
	}
	return r.step(int64(d))
}

func (r *replayScreen) click(x, y int) tea.Cmd {
	total, ok := r.total()
	switch {
	case r.covered() || !ok:
		return nil
	case y == r.railY:
		r.stop()
		return r.goTo(railOf(r, total).Position(x-1, r.width-2))
	}
	from, _ := r.visibleSteps()
	if i := from + y - r.listY; y >= r.listY && i < len(r.page.steps) && i >= from {
		r.stop()
		return r.goTo(r.page.steps[i].N)
	}
	return nil
}
