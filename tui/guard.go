package tui

import (
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/crash"
)

// A panic of the app is an end like any other: the terminal is put back first,
// and only then is told what happened.

// guard watches over a command, and over those that it brings.
func guard(log *slog.Logger, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer crash.Catch(func(p *crash.Panic) { msg = endMsg{exitFailed, p} })
		start := time.Now()
		msg = cmd()
		log.Debug("command", "name", functionName(cmd), "took", time.Since(start), "brought", typeName(msg))
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = guard(log, batch[i])
			}
		}
		return msg
	}
}

// guarded runs what the model does with a message.
func (m *model) guarded(msg tea.Msg) (cmd tea.Cmd) {
	defer crash.Catch(func(p *crash.Panic) { cmd = end(exitFailed, p) })
	start := time.Now()
	cmd = tea.Batch(m.handle(msg), m.guide())
	m.log.Debug("message", "type", typeName(msg), "took", time.Since(start))
	return guard(m.log, cmd)
}

// drawn is the view as text. One that cannot be drawn ends the app, which has
// no word in View: alarm brings it the message that does so.
func (m *model) drawn() (text string) {
	if m.broken != nil {
		return ""
	}
	defer crash.Catch(func(p *crash.Panic) {
		m.broken = p
		m.alarm(p)
	})
	start := time.Now()
	text = strings.Join(m.frame.draw(m.version, m.width, m.height, m.lines), "\n")
	m.log.Debug("view", "width", m.width, "height", m.height, "bytes", len(text), "took", time.Since(start))
	return text
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// functionName says which command it is, by where it was written.
func functionName(cmd tea.Cmd) string {
	if f := runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()); f != nil {
		return f.Name()
	}
	return ""
}

// logOr is a log that keeps nothing where there is none.
func logOr(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
