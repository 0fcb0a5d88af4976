// Command day makes an incident of a given size, for benchmarks.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"idem/fixtures"
)

func main() {
	o := fixtures.Lab()
	out := flag.String("out", "idem.db", "file to make")
	flag.IntVar(&o.Requests, "requests", o.Requests, "requests")
	flag.IntVar(&o.Keys, "keys", o.Keys, "keys")
	flag.IntVar(&o.Accounts, "accounts", o.Accounts, "accounts")
	flag.Uint64Var(&o.Seed, "seed", o.Seed, "seed")
	flag.BoolVar(&o.Force, "force", false, "replace an existing file")
	flag.Parse()
	if err := fixtures.Generate(context.Background(), *out, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
