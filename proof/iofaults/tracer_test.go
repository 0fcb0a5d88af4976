package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// taking has the test's own binary take turns, as the program under the tracer.
const taking = "IOFAULTS_TURNS"

func TestMain(m *testing.M) {
	if os.Getenv(taking) != "" {
		fmt.Println(turns())
		return
	}
	os.Exit(m.Run())
}

// threads and each are how many write to one file, and how often each of them.
const threads, each = 8, 5

// turns writes two bytes at a time and says which of all the writes did not go as
// they should, by its own count.
func turns() (odd []string) {
	file, err := os.Create("turns")
	if err != nil {
		return []string{err.Error()}
	}
	defer file.Close()
	var turn sync.Mutex
	var all sync.WaitGroup
	count := 0
	for range threads {
		all.Go(func() {
			runtime.LockOSThread()
			for range each {
				turn.Lock()
				count++
				n, err := syscall.Write(int(file.Fd()), []byte("ab"))
				if errno := syscall.Errno(0); errors.As(err, &errno) {
					odd = append(odd, fmt.Sprintf("%d:%d", count, errno))
				} else if n != 2 {
					odd = append(odd, fmt.Sprintf("%d:short", count))
				}
				turn.Unlock()
			}
		})
	}
	all.Wait()
	return odd
}

func ptraced(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts processes")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		tb.Skip("the tracer is for Linux on amd64")
	}
}

// TestTracer: of all threads' calls the one that is aimed at fails, in its way.
func TestTracer(t *testing.T) {
	ptraced(t)
	t.Setenv(taking, "1")
	l := &lab{idem: os.Args[0], dir: t.TempDir()}
	for _, c := range []struct {
		nth     int
		way     way
		lasting bool // to the end, where the answer of the test itself is lost too
		odd     string
		size    int64
	}{
		{0, way{}, false, "[]", 80},
		{1, broken, false, "[1:5]", 78},
		{23, broken, false, "[23:5]", 78},
		{40, noRoom, false, "[40:28]", 78},
		{41, broken, false, "[]", 80},
		{38, noRoom, true, "[38:28 39:28 40:28]", 74},
		{23, half, false, "[23:short]", 79},
		{38, full, true, "[38:short 39:28 40:28]", 75},
		{23, lost, false, "[]", 78},
	} {
		f := fault{place{"write", "turns", c.nth}, c.way, c.lasting}
		tr, err := l.traced(&f)
		if err != nil {
			t.Fatal(err)
		}
		out, _, _ := strings.Cut(tr.out, "\n")
		file, err := os.Stat(l.path("turns"))
		if err != nil || out != c.odd && !c.lasting || file.Size() != c.size {
			t.Errorf("%s: %s, %v bytes, %v", f, out, file, err)
		}
	}
}

// TestFaultThatNeverFires is one of the harness: that is no proof of anything.
func TestFaultThatNeverFires(t *testing.T) {
	runs := 0
	s := &sweep{scenario: &scenario{
		fresh: func() error { return nil },
		run:   func(*fault) (*trace, error) { runs++; return &trace{}, nil },
		judge: func(*trace) error { return nil },
	}}
	if err := s.at(fault{place{"write", "f", 1}, broken, false}); !errors.Is(err, errMissed) || runs != tries || s.fired != 0 {
		t.Errorf("%v after %d runs, %d fired", err, runs, s.fired)
	}
}
