package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrTime: a time that unix nanoseconds in 64 bits cannot hold.
var ErrTime = errors.New("time is outside of 1678 to 2262")

var (
	earliest = time.Unix(0, math.MinInt64).UTC()
	latest   = time.Unix(0, math.MaxInt64).UTC()
)

// Nanos is t in unix nanoseconds, as databases keep it; [ErrTime] where that
// cannot be. Go's own conversion would wrap around.
func Nanos(t time.Time) (int64, error) {
	if t.Before(earliest) || t.After(latest) {
		return 0, fmt.Errorf("%w: %s", ErrTime, FormatInstant(t))
	}
	return t.UnixNano(), nil
}

// NearestNanos is t in unix nanoseconds, or the nearest that there is: good
// enough for comparing with what is stored, which is in range.
func NearestNanos(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// InstantOf is the inverse of [Nanos].
func InstantOf(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }

// UTC is t as every store gives it back: in UTC, without a monotonic part.
func UTC(t time.Time) time.Time { return t.UTC().Round(0) }

// FormatInstant writes an instant as RFC 3339 in UTC, fraction as needed.
func FormatInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Instants are the times of a record in unix nanoseconds.
type Instants struct {
	Claimed, Lease int64
	Completed      int64 // 0 while in progress
}

// Instants are the record's times as databases keep them; [ErrTime] for one that
// cannot be kept.
func (r *Record) Instants() (at Instants, err error) {
	if at.Claimed, err = Nanos(r.ClaimedAt); err != nil {
		return at, fmt.Errorf("claimed at: %w", err)
	}
	if at.Lease, err = Nanos(r.LeaseUntil); err != nil {
		return at, fmt.Errorf("end of lease: %w", err)
	}
	if r.State == Completed {
		if at.Completed, err = Nanos(r.CompletedAt); err != nil {
			return at, fmt.Errorf("completed at: %w", err)
		}
	}
	return at, nil
}
