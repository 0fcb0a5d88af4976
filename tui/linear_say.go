package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/report"
)

// byMoney are the duplicates in the order in which they are told.
func byMoney(found *analysis.Duplicates) []*analysis.Group {
	var list []*analysis.Group
	for i := range found.Groups {
		list = append(list, &found.Groups[i])
	}
	slices.SortStableFunc(list, func(a, b *analysis.Group) int { return cmp.Compare(paid(b), paid(a)) })
	return list
}

// inWords is an amount with its currency's code, as a voice can say it.
func inWords(amount int64, currency string) string {
	if amount == 0 {
		return "nothing"
	}
	figures, _ := report.Major(amount, currency)
	return strings.TrimSpace(figures + " " + currency)
}

func (l *linear) today() time.Time {
	if l.page.pos > 0 {
		return l.page.at.At
	}
	return l.found.First
}

// opening is told before the incident is read, which may take a while.
func (l *linear) opening() {
	l.say("idem %s, linear mode: one statement a line.", l.cfg.Version)
	l.say("File: %s, read-only.", l.cfg.File)
	_ = l.out.Flush() // a failure comes again with the next one
}

func (l *linear) welcome() {
	if part := narrowFlags(l.cfg.Narrow); len(part) > 0 {
		n := l.s.Narrowing()
		l.say("Narrowed to a part: %s. Hidden: %s of %s.", strings.Join(part, " "), number(n.HiddenRequests), many(n.Requests+n.HiddenRequests, "request", "requests"))
	}
	l.say("Requests: %s, under %s keys.", number(l.p.Total()), number(l.found.UniqueKeys))
	l.say("Paid twice: %s, in %s under %s.", report.PlainMoney(l.found.DoublePaid),
		many(l.found.ExtraTransfers, "extra transfer", "extra transfers"), many(int64(len(l.order)), "key", "keys"))
	if err := l.s.Obstacle(l.cfg.OutDir); err != nil {
		l.say("Warning: the files will find no place: %s.", oneLine(err))
	}
	if l.cfg.Tour {
		l.again = "tour"
		l.say("An empty line begins the guided tour, help lists the commands.")
		return
	}
	l.say("You are before the first request. next sends it, help lists the commands.")
}

// step tells the request at the position and what became of it.
func (l *linear) step() {
	total := number(l.p.Total())
	if l.page.pos == 0 {
		l.say("Before the first request of %s.", total)
		return
	}
	e := &l.page.at
	l.say("Request %s of %s, %s.", number(e.N), total, timeText(e.At, "2006-01-02 15:04:05"))
	l.say("Outcome: %s.", e.Class)
	if !l.terse {
		l.say("That is: %s.", caption(&e.Step))
	}
	if e.Holder != 0 && e.Holder != e.N {
		l.say("Its key was claimed by request %s.", number(e.Holder))
	}
	l.say("Client %s, endpoint %s, key %s.", show(e.client, 200), show(e.endpoint, 200), keyWords(e.key))
	l.say("The engine moved %s.", inWords(e.Moved, e.Currency))
	l.say("The old service moved %s%s.", inWords(e.V1Moved, e.V1Currency), map[bool]string{true: ", again"}[isDuplicate(&e.Step)])
}

func keyWords(key string) string {
	if strings.TrimSpace(key) == "" {
		return "none"
	}
	return show(key, 500)
}

// sums are the counters up to the position.
func (l *linear) sums() {
	for _, c := range append(slices.Clone(replay.Classes), replay.Running) {
		if n := count(c, &l.page.sums); n > 0 || c != replay.Running {
			l.say("So far %s: %s.", c, number(n))
		}
	}
	l.say("Stopped so far: %s.", report.PlainMoney(l.page.sums.Stopped))
}

func (l *linear) detail() error {
	if l.page.pos == 0 {
		return fmt.Errorf("no request has been sent yet")
	}
	d, err := l.p.Detail(l.ctx, l.page.pos)
	if err != nil {
		return err
	}
	l.step()
	l.say("Sequence number: %d.", d.Request.Seq)
	l.say("Received: %s; in the file: %s.", stamp(d.Request.ReceivedAt), show(d.Request.RawTime, 64))
	l.say("The log says: %s.", loggedText(&d))
	l.say("Body: %s", requestText(&d.Request, true))
	l.say("Fingerprint: %s.", fingerprintText(&d, true))
	l.say("Record before: %s.", recordText(d.Before))
	l.say("Record after: %s.", afterText(&d))
	l.say("Reply: %s", replyText(&d, true))
	for _, t := range d.Request.Transfers {
		l.say("The old service made transfer %s of %s.", show(t.ID, 64), inWords(t.Amount, t.Currency))
	}
	for _, b := range []replay.Balances{d.Src, d.Dst} {
		l.balance(b)
	}
	return nil
}

func (l *linear) balance(b replay.Balances) {
	switch account := show(b.Account, 64); {
	case b.Account == "":
	case !b.Known:
		l.say("Account %s: there is no such account.", account)
	default:
		l.say("Account %s: %s with the engine, %s with the old service.", account, number(b.Engine), number(b.V1))
	}
}

// duplicatesAtOnce is how many are told before one has to ask for more.
const duplicatesAtOnce = 10

func (l *linear) duplicates() {
	to := min(l.told+duplicatesAtOnce, len(l.order))
	if l.told >= to {
		l.told, to = 0, min(duplicatesAtOnce, len(l.order))
	}
	for i, g := range l.order[l.told:to] {
		l.say("Duplicate %d: %s and %s under key %s of client %s, endpoint %s; paid again %s.", l.told+i+1, many(g.Requests, "request", "requests"),
			many(g.Transfers, "transfer", "transfers"), show(g.Key, 500), show(g.ClientID, 200), show(g.Endpoint, 200), report.PlainMoney(g.Paid))
	}
	l.told = to
	switch {
	case len(l.order) == 0:
		l.say("No key was paid more than once.")
	case to < len(l.order):
		l.say("%d more: an empty line goes on; key 1 tells what happened under the first.", len(l.order)-to)
	default:
		l.say("That is all; key 1 tells what happened under the first.")
	}
}

// story tells what happened under a key.
func (l *linear) story(g *analysis.Group) error {
	requests, err := l.s.RequestsOf(l.ctx, g.Scope)
	if err != nil {
		return err
	}
	l.say("Key %s of client %s, endpoint %s.", show(g.Key, 500), show(g.ClientID, 200), show(g.Endpoint, 200))
	for i := range requests {
		r := &requests[i]
		l.say("Request %s, %s.", number(r.N), stamp(r.ReceivedAt))
		for _, t := range r.Transfers {
			first, extra := kept(g, t.ID)
			l.say("It moved %s by transfer %s, %s.", inWords(t.Amount, t.Currency), show(t.ID, 64), strings.ToLower(verdict(first, extra)))
		}
		if len(r.Transfers) == 0 {
			l.say("It moved nothing.")
		}
	}
	return nil
}

func (l *linear) policy() {
	for _, k := range engine.Knobs() {
		l.say("%s: %s. That is %s.", k.Name, show(k.Get(l.cfg.Policy), 200), k.Help)
	}
}

// write takes the day's result, tells it and writes the files.
func (l *linear) write() error {
	r, err := l.s.Result(l.ctx)
	if err != nil {
		return err
	}
	names, err := l.s.Write(l.ctx, l.cfg.OutDir)
	if l.unwritten = err; err != nil {
		return err
	}
	l.done, l.result = true, &r
	l.say("The day is through.")
	l.say("The old service moved %s, the engine %s.", report.PlainMoney(r.V1Total), report.PlainMoney(r.Transferred))
	for _, term := range r.Terms() {
		if term.Name == replay.TermStopped || !term.Sum.IsZero() {
			l.say("Of the difference, %s: %s%s.", term.Name, map[bool]string{true: "minus "}[term.Sign < 0 && !term.Sum.IsZero()], report.PlainMoney(term.Sum))
		}
	}
	if r.RetentionTooShort() {
		l.say("Warning: %s.", retentionWarning(&r))
	}
	l.say("%s written into %s: %s.", many(int64(len(names)), "file", "files"), show(l.cfg.OutDir, 200), strings.Join(names, ", "))
	for _, name := range l.s.Stale(l.cfg.OutDir) {
		l.say("Warning: %s there is of an earlier run; --lang writes it anew.", visible(name))
	}
	return nil
}

func (l *linear) report() error {
	if !l.done {
		return fmt.Errorf("the day is not through; last runs it to its end")
	}
	text, err := l.s.Report(l.ctx)
	if err != nil {
		return err
	}
	for _, line := range spokenMarkdown(text) {
		l.say("%s", line)
	}
	return nil
}

// findings tells who was paid twice beyond keys, each from the money back to its
// cause.
func (l *linear) findings() error {
	result, err := l.s.Findings(l.ctx, func(int64, int64) {})
	if err != nil {
		return err
	}
	n := 0
	for i := range result.Findings {
		f := &result.Findings[i]
		if !f.Accuses() {
			continue
		}
		n++
		why, err := report.Why(f)
		if err != nil {
			return err
		}
		l.say("Finding %d, %s: %s; %s.", n, f.Confidence, className(f.Class), report.PlainMoney(f.Paid))
		l.why(&why)
	}
	l.say("%s in all.", many(int64(n), "finding", "findings"))
	return nil
}

func (l *linear) why(why *report.Explanation) {
	for _, chain := range why.Chains {
		for i := range chain {
			l.say("%s%s.", map[bool]string{true: "because of this: "}[i > 0], strings.TrimSuffix(chain[i].Text, "."))
		}
	}
	for _, note := range why.Notes {
		l.say("%s", note.Text)
	}
}
