package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
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
}

// scenarios are the uses of the program, each made in a lab.
var scenarios = []struct {
	name string
	make func(*lab) (*scenario, error)
}{
	{"new bank", newBank}, {"bank", usedBank}, {"serve", newServed},
	{"replay", newReplay}, {"import", newImport}, {"verify", newVerify}, {"analyze", newAnalyze},
}

// The ways to fail.
var (
	broken   = way{name: "EIO", errno: syscall.EIO}
	noRoom   = way{name: "ENOSPC", errno: syscall.ENOSPC}
	noFile   = way{name: "EMFILE", errno: syscall.EMFILE}
	noMemory = way{name: "ENOMEM", errno: syscall.ENOMEM}
	half     = way{name: "half", short: true}
	full     = way{name: "half, then ENOSPC", short: true, errno: syscall.ENOSPC}
	lost     = way{name: "lost", lost: true}
)

// failures are the calls that fail, and how: once, and from there on.
var failures = []struct {
	call          string
	once, lasting []way
}{
	{"pwrite64", []way{broken, noRoom, half, lost}, []way{broken, noRoom, half, full}},
	{"write", []way{broken, noRoom, half}, []way{broken, noRoom, half, full}},
	{"fsync", []way{broken, noRoom, lost}, []way{broken, noRoom}},
	{"fdatasync", []way{broken}, []way{broken}},
	{"pread64", []way{broken}, []way{broken}},
	{"read", []way{broken}, []way{broken}},
	{"getdents64", []way{broken}, []way{broken}},
	{"mmap", []way{noMemory}, []way{noMemory}},
	{"ftruncate", []way{broken}, []way{broken}},
	{"open", []way{broken, noRoom, noFile}, []way{broken, noRoom}},
	{"openat", []way{broken, noRoom, noFile}, []way{broken, noRoom}},
	{"mkdirat", []way{broken, noRoom}, []way{broken, noRoom}},
	{"renameat", []way{broken, noRoom}, []way{broken, noRoom}},
	{"unlink", []way{broken}, []way{broken}},
	{"unlinkat", []way{broken}, []way{broken}},
}

// sweep lets each call of a scenario fail.
type sweep struct {
	scenario *scenario
	sample   int
	random   *rand.Rand
	places   []place       // of every run
	bytes    map[place]int // as the record has them
	findings []error       // what did not hold
	counters
}

var (
	// errUnnoted: a lie of the disk lost or changed something, and nobody told.
	errUnnoted = errors.New("a lie of the disk that nobody told of")
	errMissed  = errors.New("the call never came, though it does without a fault")
)

func (s *sweep) all() error {
	if err := s.record(); err != nil {
		return err
	}
	for _, known := range failures {
		for _, w := range known.once {
			if err := s.over(fault{place{call: known.call}, w, false}); err != nil {
				return err
			}
		}
		for _, w := range known.lasting {
			if err := s.over(fault{place{call: known.call}, w, true}); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.findings...)
}

// recordings are the runs without a fault that tell the places: those that each
// of them has. A server may look at a client's connection once more, or not.
const recordings = 5

func (s *sweep) record() error {
	in := map[place]int{}
	for range recordings {
		t, err := s.use(nil)
		if err != nil {
			return err
		}
		if err := s.scenario.judge(t); err != nil {
			return fmt.Errorf("without a fault: %w", err)
		}
		s.places, s.bytes = t.calls, t.bytes
		for _, at := range t.calls {
			in[at]++
		}
	}
	s.places = slices.DeleteFunc(s.places, func(at place) bool { return in[at] < recordings })
	s.loose = len(in) - len(s.places)
	return nil
}

// use is one run under a fault, from the start.
func (s *sweep) use(f *fault) (*trace, error) {
	if err := s.scenario.fresh(); err != nil {
		return nil, err
	}
	return s.scenario.run(f)
}

// over lets a call fail at each of its places, or at a sample of them.
func (s *sweep) over(f fault) error {
	if f.lost && !s.scenario.lies {
		return nil
	}
	var places []place
	for _, at := range s.places {
		if at.call == f.call && (!f.short || s.bytes[at] > 1) {
			places = append(places, at)
		}
	}
	if s.sample > 0 {
		s.random.Shuffle(len(places), func(i, k int) { places[i], places[k] = places[k], places[i] })
		places = places[:min(len(places), s.sample)]
	}
	for _, f.place = range places {
		if err := s.at(f); err != nil {
			s.findings = append(s.findings, fmt.Errorf("%s: %w", f, err))
		}
		if len(s.findings) == enough {
			return errors.Join(s.findings...)
		}
	}
	return nil
}

// enough are the findings that end a scenario.
const enough = 10

// tries are how often a fault is tried that does not fire.
const tries = 5

// at lets the call at one place fail.
func (s *sweep) at(f fault) error {
	s.faults++
	for range tries {
		t, err := s.once(f)
		if err != nil {
			return err
		}
		if len(t.fired) > 0 {
			s.fired++
			return nil
		}
	}
	return errMissed
}

// once is one run under a fault, judged. If it does not fire all must go well.
func (s *sweep) once(f fault) (*trace, error) {
	t, err := s.use(&f)
	if err != nil {
		return nil, err
	}
	if t.code == 0 {
		s.done++
	} else {
		s.told++
	}
	err = s.scenario.judge(t)
	switch {
	case err == nil && t.code != 0 && (f.way == half || len(t.fired) == 0):
		err = errors.New("it failed, and nothing was wrong")
	case err == nil && f.lost && len(t.fired) > 0:
		s.undone++
	case f.lost && errors.Is(err, errUnnoted):
		s.unnoted++
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%w\nfailed: %v\nexit code %d\nstdout: %s\nstderr: %s", err, t.fired, t.code, t.out, t.err)
	}
	return t, err
}
