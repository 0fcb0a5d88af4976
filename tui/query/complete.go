package query

import (
	"slices"
	"strings"
)

// Hint is what a query about the known fields is made of, the most useful first.
func Hint(known Field) string {
	_, list := Complete("", known)
	if known&Time != 0 {
		list = append(list, "09:00..10:30")
	}
	return strings.Join(append(list, "-not"), " ")
}

// Complete says how a text can go on: it is stem, and its last word is the
// beginning of each of the ends. There are none where it is whole, or unknown.
func Complete(text string, known Field) (stem string, ends []string) {
	at := strings.LastIndexAny(text, " \t") + 1
	if strings.Count(text, `"`)%2 != 0 {
		return text, nil
	}
	if strings.HasPrefix(text[at:], "-") {
		at++
	}
	stem, word := text[:at], strings.ToLower(text[at:])
	for _, end := range phrases(word, known) {
		if strings.HasPrefix(end, word) && end != word {
			ends = append(ends, end)
		}
	}
	return stem, ends
}

// phrases are the names of fields; behind a name's colon, its values.
func phrases(word string, known Field) (list []string) {
	name, _, valued := strings.Cut(word, ":")
	for _, n := range names {
		switch {
		case n.field&known == 0:
		case !valued:
			list = append(list, n.name+":")
		case n.name == name:
			for _, w := range n.words {
				first, _, _ := strings.Cut(w, " ")
				list = append(list, name+":"+first)
			}
		}
	}
	if !valued && known&Amount != 0 {
		list = slices.Insert(list, min(len(list), 4), "amount>")
	}
	return list
}
