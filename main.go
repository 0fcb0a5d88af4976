// Command idem finds the payments that went out twice and shows what stops them.
package main

import (
	"os"

	"idem/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
