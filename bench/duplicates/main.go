// Command duplicates times the duplicate analysis of one incident.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"idem/analysis"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	if name := os.Getenv("CPUPROFILE"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	ctx := context.Background()
	start := time.Now()
	in, err := analysis.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	d, err := in.Duplicates(ctx, nil)
	if err != nil {
		return err
	}
	amount, currency, _ := d.DoublePaid.Single()
	fmt.Printf("%.3f s: %d requests, %d keys, %d extra transfers, %d %s paid twice\n",
		time.Since(start).Seconds(), d.Requests, d.UniqueKeys, d.ExtraTransfers, amount, currency)
	return nil
}
