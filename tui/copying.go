package tui

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/engine"
	"idem/tui/notes"
)

// copyMost is the longest text, in bytes, that is handed to the terminal's
// clipboard; many take no more.
const copyMost = 64 << 10

// copyText copies text by way of the terminal (OSC 52), and into a file of the
// state folder, since a terminal that does not know that swallows it silently.
func (d *desk) copyText(what, text string) tea.Cmd {
	var toFile tea.Cmd
	where := ""
	if d.cfg.StateDir != "" {
		name := filepath.Join(d.cfg.StateDir, "copied.txt")
		where = "; it is also in " + name
		toFile = func() tea.Msg {
			if err := notes.Replace(name, []byte(text)); err != nil {
				return toldMsg{what + " is not in a file: " + oneLine(err)}
			}
			return nil
		}
	}
	if len(text) > copyMost {
		d.tell(what + " is too long to copy: " + printable.Size(int64(len(text))) + strings.Replace(where, "also ", "", 1))
		return toFile
	}
	d.tell(what + " copied" + where)
	return tea.Batch(tea.SetClipboard(text), toFile)
}

// inJSON is a row as one line of JSON.
func inJSON(row any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(row); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// groupJSON is a row of the incident screen.
func groupJSON(g *analysis.Group) string {
	return inJSON(struct {
		analysis.Scope
		Requests  int64          `json:"requests"`
		Transfers int64          `json:"transfers"`
		Kept      string         `json:"kept"`
		Extra     []string       `json:"extra"`
		Paid      analysis.Money `json:"paid_again"`
		First     time.Time      `json:"first_at"`
		Last      time.Time      `json:"last_at"`
	}{g.Scope, g.Requests, g.Transfers, g.Kept, g.Extra, g.Paid, g.FirstAt.UTC(), g.LastAt.UTC()})
}

// entryJSON is a row of the replay screen. Amounts are minor units.
func entryJSON(e *entry) string {
	return inJSON(struct {
		N          int64     `json:"n"`
		Seq        int64     `json:"seq"`
		At         time.Time `json:"at"`
		Client     string    `json:"client_id"`
		Endpoint   string    `json:"endpoint"`
		Key        string    `json:"idem_key"`
		Outcome    string    `json:"outcome"`
		Status     int       `json:"status"`
		Reason     string    `json:"reason,omitempty"`
		Holder     int64     `json:"claimed_by,omitempty"`
		Moved      int64     `json:"engine_moved"`
		Currency   string    `json:"engine_currency,omitempty"`
		V1Moved    int64     `json:"v1_moved"`
		V1Currency string    `json:"v1_currency,omitempty"`
	}{e.N, e.Seq, e.At.UTC(), e.client, e.endpoint, e.key, e.Class.String(), e.Status, e.Reason, e.Holder, e.Moved, e.Currency, e.V1Moved, e.V1Currency})
}

// command is the command line that gives what is on a screen. A policy that is
// not the default is read from the evidence, which has it.
func (d *desk) command(verb string) string {
	words := append([]string{"idem", verb, d.fileWord()}, narrowFlags(d.cfg.Narrow)...)
	if verb != "replay" {
		return d.makingLab() + strings.Join(words, " ")
	}
	if d.cfg.Policy.Hash() != engine.DefaultPolicy().Hash() {
		words = append(words, "--policy", quoted(filepath.Join(d.cfg.OutDir, "policy.json")))
	}
	return d.makingLab() + strings.Join(append(words, "--out", quoted(d.cfg.OutDir)), " ")
}

// fileWord is the incident's file. The lab's day, which was made on the spot and
// goes with the app, is made once more first.
func (d *desk) fileWord() string {
	if d.cfg.Lab {
		return "lab.db"
	}
	return quoted(d.cfg.File)
}

// makingLab comes before a command line on the lab's day.
func (d *desk) makingLab() string {
	if d.cfg.Lab {
		return "idem gen --out lab.db && "
	}
	return ""
}

// quoted is a path that a POSIX shell takes as it is. One that begins with a dash
// is no flag.
func quoted(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return shellWord(path)
}

// shellWord is a word that a POSIX shell takes as it is.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// commandKey copies the command line that gives what is on the screen.
func (d *desk) commandKey(verb string) binding {
	return binding{keys: []string{"c"}, name: "c", help: "copy the command line that gives this", do: func() tea.Cmd {
		return d.copyText("command", d.command(verb))
	}}
}
