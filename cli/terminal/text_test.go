package terminal

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// attacks are texts that would take a terminal over. Each ends in a word that
// tells where it went.
var attacks = []string{
	"\x1b[2J\x1b[31mCSI", "\x1b]0;title\x07OSC", "\x1b]8;;http://x\x1b\\LINK", "\x1b]52;c;aGk=\x07CLIP", "\x1bPq#0\x1b\\DCS", "\x1b_Gi=1\x1b\\APC",
	"\u009b31mC1", "\u009d0;x\u009cC1OSC", "\aBEL", "abc\rCR", "abc\bBS", "a\tTAB", "\u202eRLO", "\x1b[8mHIDE", "\x1b]0;OPEN",
}

// poison makes every key, client, endpoint and transfer of the lab's day an
// attack; requests that had one key have one still.
func poison(path string) error {
	attack := "CASE length(idem_key || client_id) + unicode(idem_key) % 15"
	for i := range 256 {
		attack += fmt.Sprintf(" WHEN %d THEN '%s'", i, strings.ReplaceAll(attacks[i%len(attacks)], "'", "''"))
	}
	attack += " END"
	return change(path,
		"CREATE TABLE evil AS SELECT seq, "+attack+" AS text FROM req_log",
		"UPDATE transfer_v1 SET idem_key = (SELECT text FROM evil e WHERE e.seq = transfer_v1.seq) || idem_key, transfer_id = (SELECT text FROM evil e WHERE e.seq = transfer_v1.seq) || transfer_id",
		"UPDATE req_log SET (idem_key, client_id, endpoint, node) = (SELECT text || idem_key, text || client_id, text || endpoint, text FROM evil e WHERE e.seq = req_log.seq)",
	)
}

// ours are the sequences that the program may send: those of its screen, its
// colours and its modes, and the questions that it asks.
var ours = regexp.MustCompile(`^\x1b(\[[0-9;:?<>=]*\$?[A-Za-z` + "`" + `@]|\]11;\?(\x07|\x1b\\)|[78=>MDc]|P\+q[0-9A-F;]*\x1b\\|\]11[01]?(\x07|\x1b\\))$`)

// Only sequences of the program's own reach the terminal, on every screen,
// whatever keys, names of files and folders hold.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	name := "day\x1b]0;evil\x07\u202e\u009b31m.db"
	if err := os.Rename(dir+"/lab.db", dir+"/"+name); err != nil {
		t.Fatal(err)
	}
	if err := poison(dir + "/" + name); err != nil {
		t.Fatal(err)
	}
	l := dial(t, dir, nil, name, "--out", "out\x1b[31m\u009b")
	l.until("double paid", `day\x1b`)
	for _, scene := range []struct{ keys, shows string }{
		{"G", "›"}, {"\r", "requests"}, {"q2", "0/120"}, {"nnnnnn", "6/120"}, {"\r", "balances"}, {"q", "6/120"}, {"G", "written into out"}, {"?", "one step forward"}, {"q", "120/120"},
		{"3", "retention"}, {"4", "보고서"}, {"5", "finding"}, {"6", "scope"}, {"7", "wrong on purpose"}, {"1", "double paid"},
	} {
		l.keys(scene.keys)
		l.until(scene.shows)
	}
	l.keys("q")
	onlyOurs(t, l.end(0))
}

// onlyOurs looks at everything that was sent, sequence by sequence.
func onlyOurs(t *testing.T, sent string) {
	t.Helper()
	var state byte
	for sent != "" {
		seq, _, n, next := ansi.DecodeSequence(sent, state, nil)
		state, sent = next, sent[n:]
		switch r, _ := utf8.DecodeRuneInString(seq); {
		case strings.HasPrefix(seq, "\x1b"):
			if !ours.MatchString(seq) {
				t.Errorf("it sent %q before %.40q", seq, sent)
			}
			if strings.HasSuffix(seq, "m") && strings.HasPrefix(seq, "\x1b[8") {
				t.Errorf("it hides text: %q", seq)
			}
		case r == '\r' || r == '\n' || r == '\b' || r == '\t': // the library moves the cursor with them
		case r < ' ' || (r >= 0x7f && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) || r == utf8.RuneError:
			t.Errorf("it sent %q before %.40q", seq, sent)
		}
	}
}

// Columns stay where they are behind Hangul, Han, emoji and combining marks, by
// the terminal's own idea of their widths: behind each key its client begins in
// the same cell.
func TestAlignment(t *testing.T) {
	keys := []string{"한글키", "漢字鍵", "かなキー", "❤️ heart", "👨‍👩‍👧‍👦 family", "🇰🇷 flag", "1️⃣ keycap", "é̂̃ marks", "plain", "ｆｕｌｌ", "a\u200bb zero"}
	s := newShell(t, 100, 40)
	for i, k := range keys {
		s.sql("lab.db", fmt.Sprintf("UPDATE req_log SET idem_key = '%s', client_id = '<%d>' WHERE idem_key = (SELECT idem_key FROM req_log WHERE length(idem_key) > 30 GROUP BY idem_key HAVING count(*) > 1 LIMIT 1)", k, i))
	}
	s.start("--out align")
	s.until("한글키", "<0>", "<10>")
	aligned(s, len(keys), regexp.MustCompile(`<\d+>  `))
	s.keys("2", "G")
	s.until("120/120")
	s.keys("/")
	s.keys("-l", "client:<")
	s.keys("Enter")
	s.until("filter client:<", "96 of 120 steps hidden")
	aligned(s, 15, regexp.MustCompile(`[+=!x] (created|replayed|409 in flight|422 mismatch) +(201|409|422) `))
	s.keys("q")
	s.without("steps hidden")
	s.keys("q")
	s.ended(0)
}

// aligned fails unless what is behind the keys stands in n lines of the list at
// least, in one column.
func aligned(s *shell, n int, behind *regexp.Regexp) {
	s.Helper()
	columns := map[int]int{}
	for _, l := range strings.Split(s.screen(), "\n") {
		if at := behind.FindStringIndex(l); at != nil && terminalWidth(l[:at[0]]) > 30 {
			columns[terminalWidth(l[:at[0]])]++
		}
	}
	for column, lines := range columns {
		if len(columns) != 1 || lines < n {
			s.Errorf("%d lines in column %d of %v:\n%s", lines, column, columns, s.screen())
		}
	}
	if len(columns) == 0 {
		s.Errorf("nothing behind the keys:\n%s", s.screen())
	}
}

// terminalWidth is how many cells tmux gave to what it captured: it drew each
// character for itself, wide or not, and joined none.
func terminalWidth(text string) (n int) {
	for _, r := range text {
		n += ansi.StringWidthWc(string(r))
	}
	return n
}

// A paste is text: one line in a filter, nothing in a list.
func TestPaste(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out paste")
	s.tmux("set-buffer", "-b", "p", "q\nG\n2\nx\n")
	s.tmux("paste-buffer", "-p", "-b", "p")
	s.keys("/")
	s.tmux("set-buffer", "-b", "p", "84\n18")
	s.tmux("paste-buffer", "-p", "-b", "p")
	s.until("filter 84 18", "1 Incident", theDay)
	s.keys("Escape")
	s.without("filter 84 18")
	s.keys("q")
	s.ended(0)
}
