package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// scenario is one use of the program that meets faults.
type scenario struct {
	// fresh makes the folder for a run as it was at first.
	fresh func() error
	// run uses the program under the fault, nil for none.
	run func(f *fault) (*trace, error)
	// judge says what of it did not hold.
	judge func(t *trace) error
	// lies are failures of the disk that pass for successes: also tried where a
	// scenario writes what must last.
	lies bool
	// lasting: also let everything fail from a call on.
	lasting bool
}

// failures are the calls that fail, and how.
var failures = []struct {
	call string
	ways []string
	lie  bool
}{
	{"pwrite64", []string{"error=EIO", "error=ENOSPC"}, false},
	{"write", []string{"error=EIO", "error=ENOSPC"}, false},
	{"fsync", []string{"error=EIO", "error=ENOSPC"}, false},
	{"fdatasync", []string{"error=EIO"}, false},
	{"pread64", []string{"error=EIO"}, false},
	{"read", []string{"error=EIO"}, false},
	{"ftruncate", []string{"error=EIO"}, false},
	{"openat", []string{"error=EIO", "error=ENOSPC", "error=EMFILE"}, false},
	{"renameat", []string{"error=EIO", "error=ENOSPC"}, false},
	{"unlink", []string{"error=EIO"}, false},
	{"unlinkat", []string{"error=EIO"}, false},
	{"pwrite64", []string{"retval=4096", "retval=24"}, true},
	{"fsync", []string{"retval=0"}, true},
}

// sweep lets each call of a scenario fail.
type sweep struct {
	scenario *scenario
	sample   int
	random   *rand.Rand
	counters
}

// errUnnoted: a lie of the disk lost or changed something, and nobody told.
var errUnnoted = errors.New("a lie of the disk that nobody told of")

func (s *sweep) all() error {
	if err := s.scenario.fresh(); err != nil {
		return err
	}
	whole, err := s.scenario.run(nil)
	if err != nil {
		return err
	}
	if err := s.scenario.judge(whole); err != nil {
		return fmt.Errorf("without a fault: %w", err)
	}
	for _, f := range failures {
		for _, way := range f.ways {
			if f.lie && !s.scenario.lies {
				continue
			}
			if err := s.over(whole, fault{call: f.call, way: way, lie: f.lie}); err != nil {
				return err
			}
			if s.scenario.lasting && !f.lie && way != "error=EMFILE" {
				if err := s.over(whole, fault{call: f.call, way: way, lasting: true}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// over lets a call fail at each of its positions in a run, or at a sample.
func (s *sweep) over(whole *trace, f fault) error {
	total, most := whole.count(f.call)
	missing := map[int]bool{}
	for p := range total {
		missing[p+1] = true
	}
	// Threads are not the same ones in each run: what the first round did not hit
	// is aimed at again.
	for _, f.nth = range s.aims(most, total) {
		if len(missing) == 0 {
			break
		}
		hit, err := s.once(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		for _, p := range hit {
			delete(missing, p)
		}
	}
	s.places += total
	s.hit += total - len(missing)
	return nil
}

// again is how often, for each position, those that are missing are aimed at.
const again = 3

// aims are the numbers of the calls to fail, in their order.
func (s *sweep) aims(most, total int) (list []int) {
	for n := range most {
		list = append(list, n+1)
	}
	if s.sample > 0 {
		s.random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		return list[:min(len(list), s.sample)]
	}
	for range again * total {
		list = append(list, s.random.IntN(most)+1)
	}
	return list
}

// once is one run under a fault. Where it did not come to pass nothing is judged
// but that all went well.
func (s *sweep) once(f fault) (hit []int, err error) {
	if err := s.scenario.fresh(); err != nil {
		return nil, err
	}
	t, err := s.scenario.run(&f)
	if err != nil {
		return nil, err
	}
	s.runs++
	hit = slices.Sorted(maps.Keys(t.fired))
	if len(hit) > 0 {
		s.fired++
	}
	if t.broke {
		s.spoilt++
		return hit, nil
	}
	if t.code == 0 {
		s.done++
	} else {
		s.told++
	}
	err = s.scenario.judge(t)
	switch {
	case err == nil && f.lie && len(hit) > 0:
		s.undone++
	case errors.Is(err, errUnnoted) && f.lie:
		s.unnoted++
		err = nil
	case err != nil:
		err = fmt.Errorf("%w\nfailed: %s\nexit code %d\nstdout: %s\nstderr: %s", err, strings.Join(slices.Sorted(maps.Values(t.fired)), "; "), t.code, t.out, t.err)
	}
	return hit, err
}

// scenarios are the uses of the program, each made in a lab.
var scenarios = []struct {
	name string
	make func(*lab) (*scenario, error)
}{
	{"new bank", newBank}, {"bank", usedBank}, {"serve", newServed},
	{"replay", newReplay}, {"import", newImport}, {"verify", newVerify}, {"analyze", newAnalyze},
}
