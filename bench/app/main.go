// Command app measures the workbench in a pseudo terminal, as a person at the
// keys would see it: time to the first screen, from a key to its frame, bytes of a
// frame, steps a second at full speed, seeks in the replayed day, resident memory,
// and CPU while nothing happens. With a log it does the same to lnav, as far as
// lnav has the same, and prints the ratios.
//
//	app -idem IDEM -day DAY.db -requests N [-lnav LNAV -log LOG.jsonl -formats DIR]
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// patience is how long a step of the measurement may take: on a loaded machine a
// replayed request takes a tenth of a millisecond.
func (o *options) patience() time.Duration {
	return 10*time.Minute + time.Duration(o.requests)*600*time.Microsecond
}

type options struct {
	idem, day          string
	requests           int64
	lnav, log, formats string
}

func main() {
	var o options
	flag.StringVar(&o.idem, "idem", "", "the program")
	flag.StringVar(&o.day, "day", "", "the incident")
	flag.Int64Var(&o.requests, "requests", 120, "requests in it")
	flag.StringVar(&o.lnav, "lnav", "", "lnav, to compare with")
	flag.StringVar(&o.log, "log", "", "the same requests as JSON lines")
	flag.StringVar(&o.formats, "formats", "", "folder with lnav's format of them")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	ours, err := workbench(o)
	if err != nil || o.lnav == "" {
		return err
	}
	theirs, err := viewer(o)
	if err != nil {
		return err
	}
	fmt.Printf("beside lnav            first screen %.2f, all of it %.2f, memory %.2f of lnav's\n",
		ratio(ours.first, theirs.first), ratio(ours.complete, theirs.complete), float64(ours.memory)/float64(theirs.memory))
	return nil
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

// opened is what both programs have: how long it took to a first screen and until
// it rested, and the resident memory then, in MB.
type opened struct {
	first, complete time.Duration
	memory          int
}

// open waits until a program shows text and then until it rests.
func (t *terminal) open(name, text string, patience time.Duration) (o opened, err error) {
	at, err := t.until(text, patience)
	if err != nil {
		return o, err
	}
	o.first = at.Sub(t.start)
	rest, err := t.rest(patience)
	if err != nil {
		return o, err
	}
	o.complete = rest.Sub(t.start)
	now, most, err := t.memory()
	o.memory = now
	fmt.Printf("%-22s %.0f ms; complete after %.1f s; %d MB, at most %d MB\n", name, ms(o.first), o.complete.Seconds(), now, most)
	return o, err
}

// viewer is the same log in lnav.
func viewer(o options) (opened, error) {
	t, err := start(o.lnav, "-I", o.formats, "-N", o.log)
	if err != nil {
		return opened{}, err
	}
	defer t.stop()
	got, err := t.open("lnav: first screen", "shop-", o.patience())
	if err != nil {
		return got, err
	}
	if err := t.press("g"); err != nil {
		return got, err
	}
	t.settle(time.Second)
	return got, t.keys("lnav: j, k", "j", "k")
}

// workbench is the day in the app.
func workbench(o options) (opened, error) {
	out, err := os.MkdirTemp("", "idem-bench-")
	if err != nil {
		return opened{}, err
	}
	defer os.RemoveAll(out)
	t, err := start(o.idem, o.day, "--out", out)
	if err != nil {
		return opened{}, err
	}
	defer t.stop()
	got, err := t.open("first screen", "extra transfers", o.patience())
	if err != nil {
		return got, err
	}
	for _, measure := range []func() error{
		func() error { return t.keys("incident: j, k", "j", "k") },
		func() error { return t.screenTwo() },
		func() error { return t.keys("replay: n", "n") },
		func() error { return t.keys("replay: p, n", "p", "n") },
		t.idle,
		func() error { return t.wholeDay(o.requests, o.patience()) },
		func() error { return t.seeks(o.requests, o.patience()) },
		func() error { return t.keys("at the end: p, n", "p", "n") },
		t.idle,
	} {
		if err := measure(); err != nil {
			return got, err
		}
	}
	return got, nil
}

func (t *terminal) screenTwo() error {
	if err := t.press("2"); err != nil {
		return err
	}
	t.settle(500 * time.Millisecond)
	return nil
}
