package report

import (
	"fmt"
	"strings"

	"idem/analysis/findings"
)

// mostChains is how many transfers of one finding are explained one by one. Of a
// batch of thousands the chains say the same.
const mostChains = 20

// Why tells in English why the transfers of a finding are too many: a chain for
// each, from the money back to its cause, and what they have in common.
func Why(f *findings.Finding) ([]string, error) {
	w, err := wordsOf(English)
	if err != nil {
		return nil, err
	}
	return w.why(f, w.plain, " <- ")
}

// why makes the sentences with the words of one medium.
func (w words) why(f *findings.Finding, text func(string, ...any) (string, error), arrow string) ([]string, error) {
	var lines []string
	for i := range min(len(f.Extra), mostChains) {
		line, err := chain(f.Why(i), text, arrow)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	for i := range min(len(f.Disputed), mostChains) {
		line, err := chain(f.WhyDisputed(i), text, arrow)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if rest := max(len(f.Extra)-mostChains, 0) + max(len(f.Disputed)-mostChains, 0); rest > 0 {
		line, err := text("why_more", rest)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	for _, r := range f.Conclusion() {
		line, err := text(r.Name, r.Args...)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	meaning, err := text(classText(f.Class))
	return append(lines, meaning), err
}

// classText is the name of the text about a class.
func classText(c findings.Class) string { return "class_" + string(c) }

func chain(reasons []findings.Reason, text func(string, ...any) (string, error), arrow string) (string, error) {
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		var err error
		if parts[i], err = text(r.Name, r.Args...); err != nil {
			return "", fmt.Errorf("explain a finding: %w", err)
		}
	}
	return strings.Join(parts, arrow), nil
}
