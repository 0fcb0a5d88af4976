//go:build unix

package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockEvery is the time between two tries for a folder's lock.
const lockEvery = 20 * time.Millisecond

// lockDir waits until nobody else writes a report into dir, so that the files
// there are never of two reports. The system frees the lock of a process that
// dies. Where folders cannot be locked there is no lock, and locked is false.
func lockDir(ctx context.Context, dir string) (unlock func(), locked bool, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return func() {}, false, nil // not readable, which a folder that is written to may be
	}
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return func() { d.Close() }, err == nil, nil
		}
		select {
		case <-ctx.Done():
			d.Close()
			return nil, false, fmt.Errorf("wait for another report in %q: %w", dir, ctx.Err())
		case <-time.After(lockEvery):
		}
	}
}
