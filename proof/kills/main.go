// Command kills ends running idem processes with SIGKILL at random points, as a
// power button would but for the disk, and audits what they leave behind.
//
//	go run ./proof/kills -idem ./bin/idem [-faulty PROGRAM] [-seed N] [-api N] [-replay N] [-app N] [-server N]
//
// PROGRAM is idem built with -tags faults: it is also killed at each of the places
// of idem/engine/fault.
//
// It prints one line that sums up. The exit code is 1 when something did not
// hold, or when no kill fell where it is dangerous.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

func main() {
	idem := flag.String("idem", "", "the program under test")
	faulty := flag.String("faulty", "", "the program under test, built with -tags faults")
	seed := flag.Uint64("seed", 1, "of the points in time")
	api := flag.Int("api", 200, "payments whose process is killed")
	replays := flag.Int("replay", 40, "replays that are killed")
	apps := flag.Int("app", 8, "workbenches that are killed in a terminal")
	servers := flag.Int("server", 60, "payment APIs that are killed under load")
	flag.Parse()
	if *idem == "" {
		fmt.Fprintln(os.Stderr, "kills: -idem is missing: name the program under test")
		os.Exit(2)
	}
	c, err := run(*idem, *faulty, *seed, numbers{*api, *replays, *apps, *servers})
	fmt.Println(c.String())
	if err == nil {
		err = c.dangerous(numbers{*api, *replays, *apps, *servers})
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "kills: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

// numbers are how many of each are killed.
type numbers struct{ api, replays, apps, servers int }

// counters are what happened. A kill has landed when the process had not ended.
type counters struct {
	seed                                      uint64
	apiRuns, apiLanded                        int
	unclaimed, leftOpen, unansweredPaid, told int // where the kill of a payment fell
	replayRuns, replayLanded, replayPartial   int
	appRuns, appLanded                        int
	serverKills, serverFound                  int // servers; payments that stood and were not answered
	audits, points                            int
}

func (c *counters) String() string {
	return fmt.Sprintf("kills: seed %d, %d payments of which %d were killed (%d before the claim, %d in progress, %d paid without an answer, %d answered), "+
		"%d replays of which %d were killed (%d with files published), %d workbenches of which %d were killed, "+
		"%d servers under load of which %d were killed (%d payments stood and were not answered), %d fault points hit, %d audits",
		c.seed, c.apiRuns, c.apiLanded, c.unclaimed, c.leftOpen, c.unansweredPaid, c.told,
		c.replayRuns, c.replayLanded, c.replayPartial,
		c.appRuns, c.appLanded, c.serverKills, c.serverKills, c.serverFound, c.points, c.audits)
}

// dangerous is an error when the kills did not fall where they must be survived.
func (c *counters) dangerous(n numbers) error {
	switch {
	case n.api > 0 && (c.leftOpen == 0 || c.unansweredPaid == 0):
		return fmt.Errorf("no kill fell between claim and completion, or none between completion and answer: send more payments")
	case n.replays > 0 && c.replayLanded == 0:
		return fmt.Errorf("no replay was killed")
	case n.apps > 0 && c.appLanded == 0:
		return fmt.Errorf("no workbench was killed")
	case n.servers > 20 && c.serverFound == 0:
		return fmt.Errorf("no server was killed between a commit and its answer: kill more of them")
	}
	return nil
}

func run(idem, faulty string, seed uint64, n numbers) (c counters, err error) {
	c.seed = seed
	for _, path := range []*string{&idem, &faulty} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return c, err
		}
	}
	dir, err := os.MkdirTemp("", "idem-kills-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(seed, 0))
	if faulty != "" {
		at := &rig{idem: idem, dir: dir, random: random, counters: &counters{}}
		if err := errors.Join(at.atPoints(faulty), at.atWork(faulty)); err != nil {
			return c, err
		}
		c.points, c.audits = at.points, at.audits
	}
	r := &rig{idem: idem, dir: dir, random: random, counters: &c}
	for _, part := range []struct {
		kill func(int) error
		n    int
	}{{r.payments, n.api}, {r.replays, n.replays}, {r.apps, n.apps}, {r.servers, n.servers}} {
		if err := part.kill(part.n); err != nil {
			return c, err
		}
	}
	return c, nil
}
