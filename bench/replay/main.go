// Command replay measures the replay of a day into day.db: requests per second.
package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
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
	took := time.Since(start)
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	fmt.Printf("%.0f requests/s, %d MB\n", float64(p.Total())/took.Seconds(), usage.Maxrss/1024)
	return nil
}
