package report

import (
	"strings"

	"idem/analysis/printable"
)

// shownCells is the width at which a string from the data is cut in the report;
// the whole of it stands in the JSON files.
const shownCells = 64

// code makes a string from the data an inline code span, the one place where
// Markdown takes text as it is: no HTML, link, emphasis or heading begins there,
// and GitHub links no bare address. A pipe is escaped as GFM's tables want it,
// also inside of code (https://github.github.com/gfm/#example-200).
func code(s string) string {
	s = strings.ReplaceAll(shown(s), "|", `\|`)
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if edge(s[0]) || edge(s[len(s)-1]) {
		// The span drops one space at each end, and a backtick there would
		// lengthen the fence.
		s = " " + s + " "
	}
	return fence + s + fence
}

// shown is a string from the data as one that can be seen. Quotes show one that
// is blank.
func shown(s string) string {
	if strings.Trim(s, " ") == "" {
		s = `"` + s + `"`
	}
	return printable.Sized(s, shownCells)
}

func edge(c byte) bool { return c == '`' || c == ' ' }

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// currencyName is a currency as prose and tables name it: a code that looks like
// one as it is, anything else as data.
func currencyName(c string) string {
	if len(c) == 3 && strings.Trim(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return c
	}
	return code(c)
}
