package terminal

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// coloured is a sequence that sets a colour; 39 and 49, which take one back, do not.
var coloured = regexp.MustCompile(`\x1b\[([0-9;:]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])([;:][0-9;:]*)?m`)

// reversed is a sequence that turns reverse video on.
var reversed = regexp.MustCompile(`\x1b\[(0;)?7m`)

// Any value of NO_COLOR but the empty one takes the colour away and nothing else:
// the selected row is reverse, each outcome has its sign and its word.
func TestNoColour(t *testing.T) {
	s := newShell(t, 80, 24)
	for _, value := range []string{"1", "yes", "0"} {
		s.startWith("NO_COLOR="+value, "--out plain")
		s.until("›")
		if row := lineWith(s.coloured(), "›"); !reversed.MatchString(row) {
			t.Errorf("NO_COLOR=%s: the selected row is %q", value, row)
		}
		s.keys("2", "G")
		s.until("120/120", "+ 100 created", "= 16 replayed", "! 2 409 in flight", "x 2 422 mismatch", "- 0 refused")
		if colour := coloured.FindString(s.coloured()); colour != "" {
			t.Errorf("NO_COLOR=%s: a colour on the screen: %q", value, colour)
		}
		s.keys("q")
		s.ended(0)
	}
	s.startWith("NO_COLOR=", "--out colour")
	if !coloured.MatchString(s.coloured()) {
		t.Error("an empty NO_COLOR takes the colour away")
	}
	s.keys("q")
	s.ended(0)
}

func lineWith(screen, part string) string {
	for _, l := range strings.Split(screen, "\n") {
		if strings.Contains(l, part) {
			return l
		}
	}
	return ""
}

// A terminal that understands no sequences gets the summary and none.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"TERM=dumb", "TERM=", "TERM"} {
		sent := dial(t, folder(t), []string{set}, "lab.db").end(0)
		if !strings.Contains(sent, "extra transfers") || strings.Contains(sent, "\x1b") {
			t.Errorf("%s: it sent %q", set, sent)
		}
	}
}

// Colours are those that the terminal has.
func TestColoursOfTheTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set      []string
		has, not string
	}{
		{[]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, `\[([0-9;]*;)?38;2;`, `\[([0-9;]*;)?38;5;`},
		{[]string{"TERM=xterm-256color"}, `\[([0-9;]*;)?38;5;`, `38;2;`},
		{[]string{"TERM=xterm"}, `\[([0-9;]*;)?(3|9)[0-7][;m]`, `\[([0-9;]*;)?(38;|34m)`},
		{[]string{"TERM=xterm-256color", "NO_COLOR=1"}, `\[([0-9;]*;)?7m`, coloured.String()},
	} {
		l := dial(t, folder(t), c.set, "lab.db")
		l.until("double paid", theDay, "›")
		l.keys("q")
		sent := l.end(0)
		if bad := regexp.MustCompile(c.not).FindString(sent); bad != "" || !regexp.MustCompile(c.has).MatchString(sent) {
			t.Errorf("%q: it sent %q among %.1500q", c.set, bad, sent)
		}
	}
}

// Without any terminal there is a summary, no escape byte, and no key is read.
func TestNoTerminalAtAll(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"lab.db"}, {"open", "lab.db"}, {}} {
		cmd := exec.Command("./idem", args...)
		cmd.Dir = folder(t)
		keys := strings.NewReader("2Gq")
		cmd.Stdin = keys
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "extra transfers") || strings.Contains(string(out), "\x1b") {
			t.Errorf("%q: %v, it said %q", args, err, out)
		}
	}
}

// What is wrong with what was asked for is told before the screen is taken.
func TestErrorsBeforeTheScreen(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if err := change(dir+"/other.db", "CREATE TABLE account (acct_id)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{3, []string{"none.db"}, "none.db"},
		{3, []string{"doc.txt"}, "doc.txt"},
		{3, []string{"other.db"}, "holder"},
		{3, []string{"lab.db", "--policy", "none.json"}, "none.json"},
		{2, []string{"lab.db", "--no-such-flag"}, "no-such-flag"},
		{2, []string{"lab.db", "--theme", "plaid"}, "plaid"},
	} {
		sent := dial(t, dir, nil, c.args...).end(c.code)
		if strings.Contains(sent, "\x1b[?1049h") || !strings.Contains(sent, c.says) {
			t.Errorf("%q: it sent %q", c.args, sent)
		}
	}
}
