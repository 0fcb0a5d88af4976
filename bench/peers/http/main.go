// Http compares the requests/s of a handler, bare and behind idem's layer, on
// loopback, and beside it those of fiber with its idempotency middleware.
//
//	go run ./http [-rounds 9] [-requests 10000] [-conns 64]
//
// Each server is a process of its own and stays for the whole run. A round sends
// the same number of requests to each of them in turn, so that what disturbs the
// machine disturbs all. What is printed are medians over the rounds; ratios are
// those of the same round.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
)

func main() {
	rounds := flag.Int("rounds", 9, "`rounds` of all contenders in turn")
	requests := flag.Int("requests", 10000, "`requests` to each contender in a round")
	conns := flag.Int("conns", 64, "kept `connections`")
	flag.Parse()
	if name := os.Getenv(serverEnv); name != "" {
		fail(serve(name))
	}
	if err := run(*rounds, *requests, *conns); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "http:", err)
	os.Exit(1)
}

// contender is a server under one kind of load.
type contender struct {
	name, server string
	fresh        bool   // a new key in each request; else one key in all
	base         string // the contender that it is compared with
}

// The handler decodes its JSON and answers 1 KiB; the idle one only answers.
var contenders = []contender{
	{"net/http, bare", "bare", true, ""},
	{"idem, fresh key", "idem", true, "net/http, bare"},
	{"idem, replay", "idem", false, "net/http, bare"},
	{"idle handler, bare", "idle-bare", true, ""},
	{"idem, fresh key, idle", "idle-idem", true, "idle handler, bare"},
	{"idem, replay, idle", "idle-idem", false, "idle handler, bare"},
	{"fiber, bare", "fiber-bare", true, ""},
	{"fiber, fresh key", "fiber", true, "fiber, bare"},
	{"fiber, replay", "fiber", false, "fiber, bare"},
}

// figures are those of a contender, one of each for a round.
type figures struct {
	perSecond []float64 // requests
	cpu       []float64 // microseconds of the server a request
}

func run(rounds, requests, conns int) error {
	all := make(map[string]*figures)
	loads := make(map[string]*load)
	for _, c := range contenders {
		p, err := start(c.server)
		if err != nil {
			return err
		}
		defer p.stop()
		l, err := newLoad(p, conns, c.fresh)
		if err != nil {
			return err
		}
		defer l.close()
		all[c.name], loads[c.name] = new(figures), l
	}
	// The first round warms up and does not count.
	for round := range rounds + 1 {
		for _, c := range contenders {
			perSecond, cpu, err := loads[c.name].run(requests)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if f := all[c.name]; round > 0 {
				f.perSecond, f.cpu = append(f.perSecond, perSecond), append(f.cpu, cpu)
			}
		}
	}
	report(all)
	return nil
}

func report(all map[string]*figures) {
	fmt.Printf("http: %-22s %11s %9s %17s %9s\n", "", "requests/s", "of bare", "server us/request", "more")
	for _, c := range contenders {
		f := all[c.name]
		fmt.Printf("http: %-22s %11.0f", c.name, median(f.perSecond))
		base := all[c.base]
		if base == nil {
			fmt.Printf(" %9s %17.1f\n", "", median(f.cpu))
			continue
		}
		ratio := pairs(f.perSecond, base.perSecond, func(a, b float64) float64 { return a / b })
		more := pairs(f.cpu, base.cpu, func(a, b float64) float64 { return a - b })
		fmt.Printf(" %9.2f %17.1f %+9.1f\n", median(ratio), median(f.cpu), median(more))
	}
}

// pairs combines what was measured in the same round.
func pairs(a, b []float64, of func(a, b float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = of(a[i], b[i])
	}
	return out
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
