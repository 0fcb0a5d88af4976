package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// spread is the median, the 99th percentile and the longest of some times.
func spread(times []time.Duration) string {
	slices.Sort(times)
	return fmt.Sprintf("median %.1f ms, p99 %.1f ms, at most %.1f ms",
		ms(times[len(times)/2]), ms(times[len(times)*99/100]), ms(times[len(times)-1]))
}

// keys prints the latency of keys pressed in turn, from the key to its frame, and
// what a frame takes: bytes, and processor time, which a loaded machine does not
// make more.
func (t *terminal) keys(what string, keys ...string) error {
	const presses = 200
	var times []time.Duration
	before, _ := t.sums()
	used, err := t.cpu()
	if err != nil {
		return err
	}
	for i := range presses {
		at := time.Now()
		if err := t.press(keys[i%len(keys)]); err != nil {
			return err
		}
		select {
		case <-t.wake:
			_, came := t.sums()
			times = append(times, came.Sub(at))
		case <-time.After(2 * time.Second):
		}
		// Keys do not come in step with the frames: the pauses differ.
		t.settle(40*time.Millisecond + time.Duration(i*7%34)*time.Millisecond)
	}
	if len(times) == 0 {
		fmt.Printf("%-22s no frame\n", what)
		return nil
	}
	after, _ := t.sums()
	then, err := t.cpu()
	fmt.Printf("%-22s %s; %d bytes a frame, %.1f ms of processor time\n", what, spread(times), (after-before)/len(times), ms((then-used)/presses))
	return err
}

// wholeDay runs the rest of the day at full speed, as G does, and waits until its
// files are written and the program rests.
func (t *terminal) wholeDay(requests int64, patience time.Duration) error {
	from := time.Now()
	used, err := t.cpu()
	if err != nil {
		return err
	}
	if err := t.press("G"); err != nil {
		return err
	}
	at, err := t.until(number(requests)+"/"+number(requests), patience)
	if err != nil {
		return err
	}
	then, err := t.cpu()
	if err != nil {
		return err
	}
	if requests > 1000 { // the keys before have gone through a shorter one
		fmt.Printf("%-22s %.0f steps/s; %.1f us of processor time each\n", "full speed",
			float64(requests)/at.Sub(from).Seconds(), float64((then-used).Microseconds())/float64(requests))
	}
	through := time.Now()
	if at, err = t.until(" files written into ", patience, "files not written"); err != nil {
		return err
	}
	if requests > 1000 { // those of a shorter day are written already
		fmt.Printf("%-22s %.1f s\n", "files written after", at.Sub(through).Seconds())
	}
	if _, err := t.rest(patience); err != nil {
		return err
	}
	now, most, err := t.memory()
	fmt.Printf("%-22s %d MB, at most %d MB\n", "after the whole day", now, most)
	return err
}

// seeks jumps about in a day that has been run through.
func (t *terminal) seeks(requests int64, patience time.Duration) error {
	const jumps = 60
	var times []time.Duration
	for i := range int64(jumps) {
		to := 1 + (i*requests*618/1000+i*7919)%requests
		if err := t.press(":" + strconv.FormatInt(to, 10)); err != nil {
			return err
		}
		t.settle(60*time.Millisecond + time.Duration(i*7%34)*time.Millisecond)
		at := time.Now()
		if err := t.press("\r"); err != nil {
			return err
		}
		came, err := t.until(" "+number(to)+"/", patience)
		if err != nil {
			return err
		}
		times = append(times, came.Sub(at))
	}
	fmt.Printf("%-22s %s\n", "seek anywhere", spread(times))
	return nil
}

// idle prints what the program uses while nothing happens.
func (t *terminal) idle() error {
	const watch = 5 * time.Second
	t.settle(500 * time.Millisecond)
	before, err := t.cpu()
	if err != nil {
		return err
	}
	time.Sleep(watch)
	after, err := t.cpu()
	if err != nil {
		return err
	}
	now, most, err := t.memory()
	fmt.Printf("%-22s %.2f %% CPU; %d MB, at most %d MB\n", "idle", 100*(after-before).Seconds()/watch.Seconds(), now, most)
	return err
}

// number is n as the workbench shows it.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
