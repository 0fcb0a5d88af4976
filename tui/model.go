package tui

import (
	"context"
	"log/slog"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"idem/crash"
	"idem/tui/cells"
)

// The smallest terminal that is drawn on, and the one from which everything is
// shown.
const (
	leastWidth, leastHeight = 60, 15
	fullWidth, fullHeight   = 80, 24
)

// model is the workbench: the desk, its screens, and which of them is open.
type model struct {
	*desk
	screens []screen
	open    int
	over    *overlay // help or palette, over the screen; nil for none
	tour    *tour    // nil for none
	leaving bool     // as soon as the files are written
	code    int      // exit code, once it is known
	err     error
	suspend func() tea.Cmd // stops the process; nil where nothing can
	log     *slog.Logger
	broken  *crash.Panic       // of the last view
	alarm   func(*crash.Panic) // has the program end with it
	frame   pane
	top     int // lines of the header in the last view
}

func newModel(ctx context.Context, cfg Config) *model {
	d := &desk{cfg: cfg, ctx: ctx, drafts: map[string]string{}, away: chosenAway{}}
	m := &model{desk: d, log: logOr(cfg.Log), alarm: func(*crash.Panic) {}}
	m.repaint(true, manyColours)
	for _, r := range rooms {
		m.screens = append(m.screens, r.make(d))
	}
	if cfg.Tour {
		m.tour = newTour()
	}
	d.enter = m.show
	return m
}

// Init opens the incident, unless that was done or tried already.
func (m *model) Init() tea.Cmd {
	start := []tea.Cmd{tea.RequestBackgroundColor, m.loadColumns()}
	switch {
	case m.cfg.Session != nil:
		start = append(start, m.learn(openedMsg{session: m.cfg.Session}))
	case m.cfg.OpenErr != nil:
		m.openErr = m.cfg.OpenErr
	default:
		start = append(start, m.reopen())
	}
	return guard(m.log, tea.Batch(append(start, m.watch())...))
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.version++
	return m, m.guarded(msg)
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.screens[m.open].shown()
	case tea.BackgroundColorMsg:
		m.repaint(msg.IsDark(), m.has)
		return m.screens[m.open].shown()
	case tea.ColorProfileMsg:
		has := manyColours
		if msg.Profile == colorprofile.ANSI {
			has = sixteenColours
		}
		m.repaint(m.dark, has)
		return m.screens[m.open].shown()
	case tea.KeyPressMsg:
		return m.keyPress(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouseEvent(msg)
	case endMsg:
		m.code, m.err = msg.code, msg.err
		return tea.Quit
	case suspendMsg:
		return tea.Batch(m.learn(msg), m.stop())
	case resumedMsg:
		if msg.err != nil {
			m.tell("not suspended: " + msg.err.Error())
		}
		return tea.ClearScreen
	default:
		return m.learn(msg)
	}
}

// repaint takes the theme for what is known of the terminal.
func (m *model) repaint(dark bool, has colours) {
	if m.cfg.NoColor {
		has = noColours
	}
	m.dark, m.has = dark, has
	m.theme = newTheme(m.cfg.Theme, dark, has)
}

// stop suspends the app where there is someone to let it go on.
func (m *model) stop() tea.Cmd {
	if m.suspend == nil {
		return nil
	}
	return m.suspend()
}

// learn hands what a command found to the desk and to every screen; each takes
// what it asked for.
func (m *model) learn(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.took(msg)}
	for _, s := range m.screens {
		cmds = append(cmds, s.update(msg))
	}
	if opened, ok := msg.(openedMsg); ok {
		if opened.err == nil {
			m.begin()
		}
		cmds = append(cmds, m.screens[m.open].shown())
	}
	if m.leaving && m.files.state != busy {
		m.leaving = false
		if m.files.state == done {
			cmds = append(cmds, end(0, nil))
		}
	}
	return tea.Batch(cmds...)
}

// tooSmall: nothing can be shown, so nothing that would not be seen can be done.
func (m *model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

func (m *model) keyPress(msg tea.KeyPressMsg) tea.Cmd {
	key := latinKey(msg.String())
	m.notice = ""
	if key != "y" {
		m.turn = 0
	}
	switch {
	case key == "ctrl+c":
		return end(exitInterrupted, nil)
	case m.tooSmall():
		if key == "q" {
			return end(0, nil)
		}
		return nil
	case m.asking != nil:
		return m.promptKey(msg)
	}
	if r, ok := m.screens[m.open].(*replayScreen); ok && m.over == nil {
		r.interrupt(key)
	}
	if b, ok := find(m.keyMap(), key); ok {
		m.stray(key)
		return m.press(b)
	}
	return nil
}

// keyMap is everything a key can do now: what lies over the screen, the screen,
// the workbench.
func (m *model) keyMap() []section {
	if m.over != nil {
		return []section{m.over.keys(m), m.ownKeys()}
	}
	return m.screenKeys()
}

func (m *model) screenKeys() []section {
	maps := []section{m.screens[m.open].keys(), m.ownKeys()}
	if m.tour.leads() {
		maps = append([]section{m.tour.keys(m)}, maps...)
	}
	return maps
}

// ownKeys are the keys of the workbench itself.
func (m *model) ownKeys() section {
	s := section{title: "Workbench"}
	for i, r := range rooms {
		s.bindings = append(s.bindings, binding{
			keys: []string{strconv.Itoa(i + 1)}, name: strconv.Itoa(i + 1), help: strings.ToLower(r.title) + " screen",
			do: func() tea.Cmd { m.show(i); return m.screens[i].shown() },
		})
	}
	s.bindings = append(s.bindings, m.narrowKeys()...)
	s.bindings = append(s.bindings,
		binding{keys: []string{"?", "f1"}, name: "?", help: "all keys", hint: "help", do: act(func() { m.over = newHelp(m.screenKeys()) })},
		binding{keys: []string{"ctrl+p"}, name: "ctrl+p", help: "find a command by its name", do: act(m.openPalette)},
		m.startKey(),
		binding{keys: []string{"r"}, name: "r", help: "open the incident again", why: m.whyNoReopen(), do: m.reopen},
		binding{keys: []string{"ctrl+l"}, name: "ctrl+l", help: "redraw the screen", do: func() tea.Cmd { return tea.ClearScreen }},
		binding{keys: []string{"f2"}, name: "F2", help: "mouse on or off (off lets the terminal select text)", do: act(m.toggleMouse)},
		binding{keys: []string{"t"}, name: "t", help: "choose the columns of the list; they are remembered", why: m.whyNoColumns(), do: act(m.openColumns)},
		binding{keys: []string{"ctrl+z"}, name: "ctrl+z", help: "suspend; playback pauses", do: func() tea.Cmd { return suspendCmd }},
		binding{keys: []string{"esc"}, name: "esc", help: "close what is open", do: func() tea.Cmd { cmd, _ := m.back(); return cmd }},
		binding{keys: []string{"q"}, name: "q", help: "back; quit from a screen", hint: "quit", do: m.quitOrBack},
		binding{keys: []string{"ctrl+c"}, name: "ctrl+c", help: "quit at once (exit code 130)"},
	)
	return s
}

func (m *model) show(i int) {
	m.over = nil
	m.open = i
}

// back closes the topmost thing that is open; false when nothing is.
func (m *model) back() (tea.Cmd, bool) {
	if m.over != nil {
		m.over = nil
		return nil, true
	}
	return m.screens[m.open].back()
}

func (m *model) quitOrBack() tea.Cmd {
	if cmd, closed := m.back(); closed {
		return cmd
	}
	if m.files.state == busy && !m.leaving {
		m.leaving = true
		m.tell("leaving once the files are written; q again leaves without them")
		return nil
	}
	return end(0, nil)
}

func (m *model) toggleMouse() {
	m.mouse = !m.mouse
	m.tell(map[bool]string{
		true:  "mouse on: wheel scrolls, click selects; F2 turns it off",
		false: "mouse off: the terminal selects text again",
	}[m.mouse])
}

// View draws exactly height lines of width cells.
func (m *model) View() tea.View {
	v := tea.NewView(m.drawn())
	v.AltScreen = true
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m *model) lines() []string {
	w, h := max(0, m.width), max(0, m.height)
	if m.tooSmall() {
		return cells.Block([]string{tooSmallNotice(w, h)}, w, h)
	}
	lines := m.header(w, h)
	if narrowed := m.narrowedLine(w); narrowed != "" {
		lines = append(lines, narrowed)
	}
	m.top = len(lines)
	panel := m.tourLines(w, h/3)
	body := h - len(lines) - len(panel) - 1
	shown := m.body(w, body)
	lines = append(lines, append(shown[:min(len(shown), body)], make([]string, max(0, body-len(shown)))...)...)
	return cells.Block(append(append(lines, panel...), m.footer(w)), w, h)
}

// shows reports whether the open screen has something to show.
func (m *model) shows() bool { return m.session != nil || rooms[m.open].always }

func (m *model) body(w, h int) []string {
	switch {
	case m.over != nil:
		return m.over.view(m, w, h)
	case !m.shows():
		return m.closedView(w, h)
	}
	return m.screens[m.open].view(w, h)
}
