package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"idem/analysis/replay"
)

// spoken is a command in words.
type spoken struct {
	name  string
	args  string // as help shows them
	help  string
	moves bool // an empty line repeats it
	do    func(l *linear, args string) error
}

// spokenCommands are all of them, in the order in which help tells them. The
// beginning of a name is enough where it is the beginning of no other.
func spokenCommands() []spoken {
	return []spoken{
		{"next", "[COUNT]", "the next request, or so many further", true, func(l *linear, args string) error { return l.by(args, 1) }},
		{"previous", "[COUNT]", "the request before", true, func(l *linear, args string) error { return l.by(args, -1) }},
		{"goto", "WHERE", "a request by its number, a time of day such as 12:15, or part of a key", false, (*linear).goWhere},
		{"first", "", "the first request", false, func(l *linear, _ string) error { return l.goTo(1) }},
		{"last", "", "run the day to its end, and write its files", false, func(l *linear, _ string) error { return l.goTo(l.p.Total()) }},
		{"find", "WHAT", "the next request that is created, replayed, 409, 422, refused, a duplicate, or answers to a query such as client:shop-1", true,
			func(l *linear, args string) error { return l.look(args, replay.Forward) }},
		{"back", "WHAT", "the same, towards the beginning", true, func(l *linear, args string) error { return l.look(args, replay.Backward) }},
		{"here", "", "the request once more, and the sums so far", false, func(l *linear, _ string) error { l.step(); l.sums(); return nil }},
		{"detail", "", "everything about the request", false, func(l *linear, _ string) error { return l.detail() }},
		{"mark", "[NOTE]", "mark the request, with a note", false, (*linear).mark},
		{"marks", "[write]", "the marks and notes; write puts them into a file beside the report", false, (*linear).tellMarks},
		{"duplicates", "", "the keys that were paid more than once, ten at a time", true, func(l *linear, _ string) error { l.duplicates(); return nil }},
		{"key", "NUMBER", "what happened under a duplicate", false, (*linear).key},
		{"findings", "", "who was paid twice beyond keys, and why", false, func(l *linear, _ string) error { return l.findings() }},
		{"policy", "", "the rules that the day is replayed under", false, func(l *linear, _ string) error { l.policy(); return nil }},
		{"report", "", "the report on the whole day", false, func(l *linear, _ string) error { return l.report() }},
		{"tour", "", "the guided tour, one stop at a time", true, func(l *linear, _ string) error { return l.tour() }},
		{"captions", "", "explain each outcome, or no longer", false, func(l *linear, _ string) error { l.captions(); return nil }},
		{"help", "", "these commands", false, func(l *linear, _ string) error { l.help(); return nil }},
		{"quit", "", "end", false, func(l *linear, _ string) error { l.quit = true; return nil }},
	}
}

// obey does what a line says.
func (l *linear) obey(line string) error {
	line = strings.TrimSpace(line)
	if line == "" {
		if line = l.again; line == "" {
			l.say("Say a command; help lists them.")
			return nil
		}
	}
	word, args, _ := strings.Cut(line, " ")
	c, err := spokenAs(strings.ToLower(word))
	if err != nil {
		return err
	}
	if c.moves {
		l.again = line
	}
	if c.name != "duplicates" {
		l.told = 0
	}
	start := time.Now()
	err = c.do(l, strings.TrimSpace(args))
	l.log.Debug("command", "name", c.name, "took", time.Since(start), "failed", err != nil)
	return err
}

// spokenAs is the command that a word names, or is the beginning of.
func spokenAs(word string) (spoken, error) {
	var near []string
	var last spoken
	for _, c := range spokenCommands() {
		if c.name == word {
			return c, nil
		}
		if strings.HasPrefix(c.name, word) {
			near, last = append(near, c.name), c
		}
	}
	switch len(near) {
	case 0:
		return last, fmt.Errorf("there is no command %s; help lists them", visible(word))
	case 1:
		return last, nil
	}
	return last, fmt.Errorf("%s can be %s", word, strings.Join(near, " or "))
}

// by goes so many requests on.
func (l *linear) by(args string, sign int64) error {
	n := int64(1)
	if args != "" {
		var ok bool
		if n, ok = wholeNumber(args); !ok {
			return fmt.Errorf("%s is no number of requests", visible(args))
		}
	}
	to := l.page.pos + sign*n
	switch {
	case l.page.pos == l.p.Total() && sign > 0:
		return errors.New("this is the last request")
	case l.page.pos == 0 && sign < 0:
		return errors.New("no request has been sent yet")
	}
	return l.goTo(max(0, min(to, l.p.Total())))
}

func (l *linear) goTo(n int64) error {
	if n > l.p.Total() {
		return fmt.Errorf("the last request is %s", number(l.p.Total()))
	}
	if err := l.read(goal{pos: n, run: true}); err != nil {
		return err
	}
	l.step()
	return nil
}

func (l *linear) goWhere(args string) error {
	if args == "" {
		return errors.New("say where: a number, a time of day, or part of a key")
	}
	if n, ok := wholeNumber(args); ok {
		return l.goTo(n)
	}
	if at, ok := instant(args, l.today()); ok {
		return l.find(search{dir: replay.Forward, name: "request at or after " + args, until: func(s *replay.Step) bool { return !s.At.Before(at) }})
	}
	return l.find(search{dir: replay.Forward, text: args, name: "request with " + args})
}

func (l *linear) look(args string, dir replay.Direction) error {
	s, err := wanted(args, dir)
	if err != nil {
		return err
	}
	return l.find(s)
}

// key tells what happened under a duplicate, by its number in the list.
func (l *linear) key(args string) error {
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 || n > len(l.order) {
		return fmt.Errorf("say the number of a duplicate, 1 to %d; duplicates lists them", len(l.order))
	}
	return l.story(l.order[n-1])
}

func (l *linear) captions() {
	l.terse = !l.terse
	l.say("%s", map[bool]string{true: "Outcomes are not explained.", false: "Outcomes are explained."}[l.terse])
}

func (l *linear) help() {
	for _, c := range spokenCommands() {
		l.say("%s: %s.", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	l.say("The beginning of a command is enough, as n for next. An empty line repeats the last movement.")
}
