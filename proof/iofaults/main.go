package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	idem := flag.String("idem", "", "the program under test, linked statically")
	only := flag.String("run", "", "run only the scenarios whose name matches")
	sample := flag.Int("sample", 0, "runs of each scenario, call and failure; 0: one for every position")
	seed := flag.Uint64("seed", 1, "of the sample")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil || *idem == "" {
		fmt.Fprintln(os.Stderr, "iofaults: -idem names the program under test, -run is a pattern:", err)
		os.Exit(2)
	}
	total, err := attack(os.Stdout, *idem, pattern, *sample, *seed)
	fmt.Println(total.String())
	if err != nil {
		fmt.Fprintf(os.Stderr, "iofaults: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

// counters are what happened.
type counters struct {
	faults, fired   int // calls that were to fail, each at its place and in a way, and those that did
	loose           int // calls that not every run has, which are not aimed at
	done, told      int // runs that ended well in spite of it, and with an error
	undone, unnoted int // lies: told by the audit or an answer, or of no effect; and by nobody
}

func (c *counters) add(d counters) {
	c.faults, c.fired, c.loose = c.faults+d.faults, c.fired+d.fired, c.loose+d.loose
	c.done, c.told, c.undone, c.unnoted = c.done+d.done, c.told+d.told, c.undone+d.undone, c.unnoted+d.unnoted
}

func (c *counters) String() string {
	return fmt.Sprintf("iofaults: %d faults fired, of %d; %d runs ended well, %d with an error; of lies %d did no harm or were told, %d nobody noticed; %d calls are not in every run",
		c.fired, c.faults, c.done, c.told, c.undone, c.unnoted, c.loose)
}

// attack runs the scenarios and prints a line for each.
func attack(w io.Writer, idem string, only *regexp.Regexp, sample int, seed uint64) (total counters, err error) {
	if idem, err = filepath.Abs(idem); err != nil {
		return total, err
	}
	dir, err := os.MkdirTemp("", "idem-iofaults-")
	if err != nil {
		return total, err
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, known := range scenarios {
		if !only.MatchString(known.name) {
			continue
		}
		sc, err := known.make(&lab{idem: idem, dir: dir})
		if err != nil {
			return total, fmt.Errorf("%s: %w", known.name, err)
		}
		s := &sweep{scenario: sc, sample: sample, random: random}
		err = s.all()
		total.add(s.counters)
		fmt.Fprintf(w, "%-9s %s\n", known.name, s.counters.String()[len("iofaults: "):])
		if err == nil && s.fired == 0 {
			err = errors.New("nothing failed")
		}
		if err != nil {
			return total, fmt.Errorf("%s: %w", known.name, err)
		}
	}
	return total, nil
}
