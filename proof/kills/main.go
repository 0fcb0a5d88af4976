// Command kills ends running idem processes with SIGKILL at random points, as a
// power button would but for the disk, stops servers until their claims are
// others', and audits what they leave behind.
//
//	go run ./proof/kills -idem ./bin/idem [-faulty PROGRAM] [-seed N] [-api N] [-replay N] [-app N] [-files N] [-server N] [-fleet N] [-stop N]
//
// A database goes on from kill to kill, so that recoveries pile up. After each one
// its state is read and compared with the state before and with all that clients
// were told. Most processes are stopped before they are killed, and SQLite's locks
// are read meanwhile: they say whether the kill fell into a transaction.
//
// PROGRAM is idem built with -tags faults: it is also killed at each of the places
// of idem/engine/fault.
//
// It prints one line that sums up. The exit code is 1 when something did not
// hold, or when no kill fell where it is dangerous. Points in time are drawn by the
// seed, but what happens there is the machine's.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// part is one kind of process that is killed.
type part struct {
	name, help string
	n          int // how many, unless told otherwise
	// size is how many are killed on one database, wide how many databases are
	// at work at once, in times of -rigs: those that mostly wait are many.
	size, wide int
	run        func(*rig, int) error
}

var parts = []part{
	{"api", "payments, each a process, that are killed", 400, 100, 1, (*rig).payments},
	{"replay", "replays that are killed", 20, 10, 1, (*rig).replays},
	{"app", "workbenches that are killed in a terminal", 4, 4, 1, (*rig).apps},
	{"files", "days and imports that are killed while they are written", 20, 10, 1, (*rig).files},
	{"server", "payment APIs that are killed, each alone on its file", 200, 100, 1, alone},
	{"fleet", "payment APIs that are killed, two or three on one file", 60, 60, 1, together},
	{"stop", "payment APIs that are stopped until their leases are over", 40, 8, 4, (*rig).stops},
}

func main() {
	idem := flag.String("idem", "", "the program under test")
	faulty := flag.String("faulty", "", "the program under test, built with -tags faults")
	seed := flag.Uint64("seed", 1, "of the points in time")
	rigs := flag.Int("rigs", 2, "databases at work at once")
	for i := range parts {
		p := &parts[i]
		flag.IntVar(&p.n, p.name, p.n, p.help)
	}
	flag.Parse()
	if *idem == "" {
		fmt.Fprintln(os.Stderr, "kills: -idem is missing: name the program under test")
		os.Exit(2)
	}
	sum, err := run(*idem, *faulty, *seed, *rigs)
	fmt.Printf("kills: seed %d: %s\n", *seed, &sum)
	if err != nil {
		fmt.Fprintf(os.Stderr, "kills: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

func run(idem, faulty string, seed uint64, rigs int) (sum tally, err error) {
	for _, path := range []*string{&idem, &faulty} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return sum, err
		}
	}
	dir, err := os.MkdirTemp("", "idem-kills-")
	if err != nil {
		return sum, err
	}
	base := rig{idem: idem, dir: dir}
	all := parts
	if faulty != "" {
		at := func(r *rig, _ int) error { return errors.Join(r.atPoints(faulty), r.atWork(faulty)) }
		all = append([]part{{"points", "", 1, 1, 1, at}}, parts...)
	}
	for i, p := range all {
		done, err := p.enough(base, seed, i, rigs*p.wide)
		sum.add(&done)
		if err != nil {
			return sum, fmt.Errorf("%w; what it left is in %s", err, dir)
		}
	}
	err = os.RemoveAll(dir)
	return sum, err
}

// rounds is how often a part is done at most: where its kills fall is chance, and
// on a slow machine, or on a very fast one, some places are hit seldom.
const rounds = 4

// enough does a part until its kills have fallen everywhere where they must be
// survived.
func (p part) enough(base rig, seed uint64, number, rigs int) (sum tally, err error) {
	for round := range rounds {
		done, problem := p.spread(base, seed, round<<8+number, rigs)
		sum.add(&done)
		if problem != nil {
			return sum, problem
		}
		if err = dangerous(p.name, p.n, &sum); err == nil {
			break
		}
	}
	return sum, err
}

// spread does a part on databases of their own, some at once. The first error ends
// it.
func (p part) spread(base rig, seed uint64, number, rigs int) (sum tally, err error) {
	var mu sync.Mutex
	var running sync.WaitGroup
	room := make(chan struct{}, max(1, rigs))
	for job, left := 0, p.n; left > 0; job, left = job+1, left-p.size {
		room <- struct{}{}
		mu.Lock()
		failed := err != nil
		mu.Unlock()
		if failed {
			break
		}
		running.Go(func() {
			done, problem := p.job(base, seed, number<<16+job, min(left, p.size))
			mu.Lock()
			sum.add(&done)
			if problem != nil {
				err = errors.Join(err, fmt.Errorf("%s, database %d: %w", p.name, job, problem))
			}
			mu.Unlock()
			<-room
		})
	}
	running.Wait()
	return sum, err
}

// job is the share of a part that one database bears, in a folder of its own,
// which stays where something did not hold.
func (p part) job(base rig, seed uint64, stream, n int) (t tally, err error) {
	r := base
	r.random = rand.New(rand.NewPCG(seed, uint64(stream)))
	r.tally = &t
	if r.dir, err = os.MkdirTemp(base.dir, p.name+"-"); err != nil {
		return t, err
	}
	if err := p.run(&r, n); err != nil {
		return t, fmt.Errorf("%w (%s)", err, filepath.Base(r.dir))
	}
	err = os.RemoveAll(r.dir)
	return t, err
}
