// Command replay measures the replay of a day into day.db: requests per second.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: replay DAY.db")
		os.Exit(2)
	}
	if name := os.Getenv("CPUPROFILE"); name != "" {
		f, _ := os.Create(name)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string) error {
	dir, err := os.MkdirTemp("", "idem-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in, err := analysis.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	start := time.Now()
	p, err := replay.New(ctx, in, engine.DefaultPolicy(), dir)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := p.RunTo(ctx, p.Total(), nil, nil); err != nil {
		return err
	}
	fmt.Printf("%.0f requests/s\n", float64(p.Total())/time.Since(start).Seconds())
	return nil
}
