package report

import (
	"fmt"
	"strings"

	"idem/analysis/findings"
)

// mostChains is how many transfers of one finding are explained one by one. Of a
// batch of thousands the chains say the same.
const mostChains = 20

// Link is one step from the money back to its cause, in words, with the rows of
// the incident that it rests on.
type Link struct {
	Text string        `json:"text"`
	Rows []findings.At `json:"rows"`
}

// Explanation is why the transfers of a finding are too many.
type Explanation struct {
	Chains [][]Link // one a transfer, extra ones before disputed ones, from the money back to the cause
	Notes  []Link   // what the chains have in common, and what the class means
}

// Lines are the explanation as one line a chain, then one a note.
func (e *Explanation) Lines(arrow string) []string {
	var lines []string
	for _, chain := range e.Chains {
		texts := make([]string, len(chain))
		for i := range chain {
			texts[i] = chain[i].Text
		}
		lines = append(lines, strings.Join(texts, arrow))
	}
	for i := range e.Notes {
		lines = append(lines, e.Notes[i].Text)
	}
	return lines
}

// Why tells in English why the transfers of a finding are too many.
func Why(f *findings.Finding) (Explanation, error) {
	w, err := wordsOf(English)
	if err != nil {
		return Explanation{}, err
	}
	return why(f, w.plain)
}

// why puts a finding's reasons into the words of one language and medium.
func why(f *findings.Finding, text func(string, ...any) (string, error)) (e Explanation, err error) {
	chains := f.Chains(mostChains)
	for _, chain := range chains {
		links, err := linksOf(chain, text)
		if err != nil {
			return e, err
		}
		e.Chains = append(e.Chains, links)
	}
	if e.Notes, err = linksOf(f.Conclusion(), text); err != nil {
		return e, err
	}
	if rest := len(f.Extra) + len(f.Disputed) - len(chains); rest > 0 {
		more, err := text("why_more", rest)
		if err != nil {
			return e, err
		}
		e.Notes = append([]Link{{Text: more}}, e.Notes...)
	}
	meaning, err := text(classText(f.Class))
	e.Notes = append(e.Notes, Link{Text: meaning})
	return e, err
}

// classText is the name of the text about a class.
func classText(c findings.Class) string { return "class_" + string(c) }

func linksOf(reasons []findings.Reason, text func(string, ...any) (string, error)) ([]Link, error) {
	var links []Link
	for _, r := range reasons {
		said, err := text(r.Name, r.Args...)
		if err != nil {
			return nil, fmt.Errorf("explain a finding: %w", err)
		}
		links = append(links, Link{said, r.Rows()})
	}
	return links, nil
}
