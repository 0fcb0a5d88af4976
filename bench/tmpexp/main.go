package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"idem/analysis"
)

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6 + float64(u.Stime.Sec) + float64(u.Stime.Usec)/1e6
}

func main() {
	ctx := context.Background()
	f, _ := os.Create("/tmp/an/cpu.prof")
	pprof.StartCPUProfile(f)
	in, err := analysis.Open(ctx, "/tmp/an/big.db")
	if err != nil {
		panic(err)
	}
	t := time.Now()
	s := cpu()
	lap := func(what string) {
		fmt.Printf("%-30s cpu %.3f wall %.3f\n", what, cpu()-s, time.Since(t).Seconds())
		s, t = cpu(), time.Now()
	}
	for range in.Requests(ctx, 1) {
		break
	}
	lap("first")
	for range in.Requests(ctx, 900000) {
		break
	}
	lap("at 900000")
	n := 0
	for range in.Requests(ctx, 1) {
		n++
	}
	lap("all")
	in.Request(ctx, 900000)
	lap("request")
	d, _ := in.Duplicates(ctx, nil)
	lap("duplicates")
	in.RequestsOf(ctx, d.Groups[5].Scope)
	lap("requests of")
	in.Timeline(ctx, 100)
	lap("timeline")
	in.Evidence(ctx, nil)
	lap("evidence")
	pprof.StopCPUProfile()
}
