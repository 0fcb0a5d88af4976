//go:build unix

// Command duplicates runs the duplicate analysis of one incident, and prints
// its extra transfers, the money that went out with them, and the most memory
// it took, in MB.
package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"idem/analysis"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	ctx := context.Background()
	in, err := analysis.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	d, err := in.Duplicates(ctx, nil)
	if err != nil {
		return err
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	amount, _, _ := d.DoublePaid.Single()
	fmt.Println(d.ExtraTransfers, amount, usage.Maxrss/1000)
	return nil
}
