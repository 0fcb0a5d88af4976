// Package query is the one small grammar that rows are filtered and looked for
// by. A query is words separated by spaces, all of which must hold:
//
//	key:7f3a  client:shop  endpoint:/v1  acct:A-17   the field holds the text
//	outcome:409                                      so does the outcome's word
//	class:proxy                                      so does a finding's class
//	code:4  code:409                                 the status begins so
//	amount>1000  amount>=10.50  amount<5  amount=3   in the currency's major unit
//	09:00..10:30  ..12:15:30  2026-03-10T09:00..     from a time, up to before another
//	09:31                                            within that minute
//	words  "two words"                               in key, client or endpoint
//	-outcome:created                                 not that
//
// Case does not matter, times are UTC. A field without a value holds of every
// row, so that a query does not fail while it is being typed.
package query

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"idem/analysis/findings"
	"idem/analysis/replay"
)

// Field is something that a query can be about; fields form a set.
type Field uint16

// The fields.
const (
	Key Field = 1 << iota
	Client
	Endpoint
	Outcome
	Account
	Amount
	Time
	Code
	Class
)

// names are the fields that are written with a colon, and the words that some of
// them are made of: a value that is in none is a slip.
var names = []struct {
	name  string
	field Field
	words []string
}{
	{"outcome", Outcome, outcomeWords()}, {"key", Key, nil}, {"client", Client, nil}, {"acct", Account, nil},
	{"code", Code, nil}, {"class", Class, classWords()}, {"endpoint", Endpoint, nil},
}

func outcomeWords() (list []string) {
	for _, c := range slices.Concat(replay.Classes, []replay.Class{replay.Running}) {
		list = append(list, c.String())
	}
	return list
}

func classWords() (list []string) {
	for _, c := range findings.Classes() {
		list = append(list, strings.ToLower(string(c)))
	}
	return list
}

// Row is what a query looks at.
type Row struct {
	Key, Client, Endpoint string
	Outcome               string
	Code                  string // the status' figures; "" for none
	Class                 string // of the findings it is in, a line each
	Words                 string // what words without a field look at, too
	Accounts              []string
	Sums                  []Sum
	From, To              time.Time // equal for what is at one instant
}

// Sum is an amount in minor units of a currency with so many decimals.
type Sum struct {
	Minor    int64
	Decimals int
}

// Query is a parsed query. The zero Query holds of every row.
type Query struct {
	text  string
	terms []term
}

// term is a condition, or the opposite of one.
type term struct {
	uses  Field
	not   bool
	holds func(*Row) bool
}

// Parse reads a query about the known fields. Its errors are one short line for
// the person who is typing.
func Parse(text string, known Field) (Query, error) {
	q := Query{text: text}
	for _, w := range words(text) {
		t, err := w.term(known)
		if err != nil {
			return Query{}, err
		}
		if t.holds != nil {
			q.terms = append(q.terms, t)
		}
	}
	return q, nil
}

// Text is the query as it was typed.
func (q Query) Text() string { return q.text }

// Empty reports whether the query holds of every row.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Uses reports whether the query looks at any of the fields.
func (q Query) Uses(f Field) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return t.uses&f != 0 })
}

// Match reports whether the query holds of a row.
func (q Query) Match(r *Row) bool {
	for i := range q.terms {
		if t := &q.terms[i]; t.holds(r) == t.not {
			return false
		}
	}
	return true
}

// word is a part of a query; a quoted one is nothing but text.
type word struct {
	text   string
	quoted bool
	not    bool
}

// words splits a text at spaces that are not between quotes. A quote that is
// still open goes to the end.
func words(text string) (list []word) {
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return list
		}
		var w word
		if rest, ok := strings.CutPrefix(text, "-"); ok && rest != "" && !strings.ContainsAny(rest[:1], " \t") {
			w.not, text = true, rest
		}
		if rest, ok := strings.CutPrefix(text, `"`); ok {
			w.quoted = true
			w.text, text, _ = strings.Cut(rest, `"`)
		} else if at := valueQuote(text); at > 0 {
			value, after, _ := strings.Cut(text[at+1:], `"`)
			w.text, text = text[:at]+value, after
		} else {
			end := strings.IndexAny(text+" ", " \t")
			w.text, text = text[:end], text[end:]
		}
		list = append(list, w)
	}
}

// valueQuote is where the quote of field:"some value" begins; 0 for none.
func valueQuote(text string) int {
	at := strings.Index(text, `:"`)
	if at <= 0 || strings.ContainsAny(text[:at], ` "`) {
		return 0
	}
	return at + 1
}

func (w word) term(known Field) (term, error) {
	t, err := w.condition()
	switch {
	case err != nil:
		return term{}, err
	case t.uses&^known != 0:
		return term{}, fmt.Errorf("%s cannot be asked here", clip(w.text))
	}
	t.not = w.not
	return t, nil
}

func (w word) condition() (term, error) {
	if w.quoted {
		return anyText(w.text), nil
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(w.text), "amount"); ok && rest != "" && strings.ContainsRune("<>=", rune(rest[0])) {
		return amount(rest)
	}
	name, value, ok := strings.Cut(w.text, ":")
	for _, n := range names {
		if ok && n.name == strings.ToLower(name) {
			return text(n.field, value), among(n.words, name, value)
		}
	}
	switch { // a field's value may look like a time, too
	case looksLikeTime(w.text):
		return span(w.text)
	case !ok:
		return anyText(w.text), nil
	}
	return term{}, fmt.Errorf(`no field %s: (outcome, key, client, acct, code, class, endpoint; or "%s")`, clip(name), clip(w.text))
}

// among tells of a value that is part of no word that there is.
func among(words []string, name, value string) error {
	part := func(word string) bool { return holds(word, strings.ToLower(value)) }
	if words == nil || slices.ContainsFunc(words, part) {
		return nil
	}
	if len(words) > 8 {
		return fmt.Errorf("no %s %s", name, clip(value))
	}
	return fmt.Errorf("no %s %s: %s", name, clip(value), strings.Join(words, ", "))
}

// clip keeps a message short.
func clip(s string) string {
	if r := []rune(s); len(r) > 24 {
		return string(r[:24]) + "…"
	}
	return s
}

func anyText(value string) term {
	value = strings.ToLower(value)
	return term{uses: Key | Client | Endpoint, holds: func(r *Row) bool {
		return holds(r.Key, value) || holds(r.Client, value) || holds(r.Endpoint, value) || holds(r.Words, value)
	}}
}

func text(f Field, value string) term {
	value = strings.ToLower(value)
	if value == "" {
		return term{uses: f}
	}
	return term{uses: f, holds: func(r *Row) bool {
		switch f {
		case Key:
			return holds(r.Key, value)
		case Client:
			return holds(r.Client, value)
		case Endpoint:
			return holds(r.Endpoint, value)
		case Outcome:
			return holds(r.Outcome, value)
		case Class:
			return holds(r.Class, value)
		case Code:
			return strings.HasPrefix(r.Code, value)
		}
		return slices.ContainsFunc(r.Accounts, func(a string) bool { return strings.ToLower(a) == value })
	}}
}

func holds(text, lower string) bool { return strings.Contains(strings.ToLower(text), lower) }
