package outage

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// outage is something that keeps a server from writing.
type outage struct {
	begin, end func()
}

// outages makes each kind of outage for a database in a folder of its own.
var outages = map[string]func(t *testing.T) (path string, of func(*server) outage){
	"no file may grow": func(t *testing.T) (string, func(*server) outage) {
		return database(t), func(s *server) outage {
			return outage{func() { s.limit(0) }, func() { s.limit(unix.RLIM_INFINITY) }}
		}
	},
	"the disk is full": func(t *testing.T) (string, func(*server) outage) {
		dir := smallDisk(t)
		filler := filepath.Join(dir, "filler")
		return filepath.Join(dir, "pay.db"), func(*server) outage {
			return outage{func() { fill(t, filler) }, func() { os.Remove(filler) }}
		}
	},
}

// limit bounds how far the server may write into a file, in bytes.
func (s *server) limit(size uint64) {
	s.t.Helper()
	if err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil); err != nil {
		s.t.Fatal(err)
	}
}

// smallDisk is a file system of a few megabytes. To mount one is not everybody's
// right; the limit on files fails in much the same way for everybody.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill writes until nothing fits any more, not even a byte.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// Nothing can be written when the request arrives: the answer is 503 and nothing
// runs. When there is room again the same key pays.
func TestNoRoomAtTheClaim(t *testing.T) {
	for name, prepare := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, of := prepare(t)
			s := start(t, path, time.Second)
			s.pay("before").want(t, http.StatusCreated, false)
			o := of(s)
			o.begin()
			for range 3 {
				r := s.pay("k")
				if r.want(t, http.StatusServiceUnavailable, false); r.retryAfter() < 1 {
					t.Errorf("no Retry-After: %v", r.header)
				}
			}
			// What is stored can be read all the same, if the store looks before it
			// writes; it need not.
			if r := s.pay("before"); r.status != http.StatusServiceUnavailable {
				r.want(t, http.StatusCreated, true)
			}
			o.end()
			s.pay("k").want(t, http.StatusCreated, false)
			s.pay("k").want(t, http.StatusCreated, true)
			if n := s.runs("k"); n != 1 {
				t.Errorf("the handler ran %d times", n)
			}
			s.kill()
			if n := paid(t, path); n != 2 {
				t.Errorf("%d payments", n)
			}
		})
	}
}

// Nothing can be written when the handler is back: no success is told that is not
// on the disk. The claim stays until its lease ends, then a retry pays, once.
func TestNoRoomAtTheCompletion(t *testing.T) {
	for name, prepare := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, of := prepare(t)
			s := start(t, path, time.Second)
			first := s.begin("k")
			o := of(s)
			o.begin()
			s.letGo()
			r := <-first
			if r.want(t, http.StatusServiceUnavailable, false); r.retryAfter() < 1 {
				t.Errorf("no Retry-After: %v", r.header)
			}
			o.end()
			s.insist("k").want(t, http.StatusCreated, false)
			s.wait("told k 201 executed 2")
			s.pay("k").want(t, http.StatusCreated, true)
			s.kill()
			if n := paid(t, path); n != 1 {
				t.Errorf("%d payments", n)
			}
		})
	}
}
