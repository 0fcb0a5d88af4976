package tui

import (
	"slices"

	"idem/analysis/replay"
)

// marks is what lies where on the day, in a fixed number of buckets, so that a
// day of any length takes the same memory.
type marks struct {
	total   int64
	buckets []kind
}

// kind is a set of what lies in a bucket.
type kind uint8

const (
	duplicateMark kind = 1 << iota
	refusedMark
	inFlightMark
	mismatchMark
)

// mark is one of them.
type mark struct {
	bucket int
	kind   kind
}

const mostBuckets = 4096

func newMarks(total int64) marks {
	return marks{total: total, buckets: make([]kind, min(total, mostBuckets))}
}

func (m *marks) bucket(n int64) int {
	return int((n - 1) * int64(len(m.buckets)) / max(1, m.total))
}

// of is the mark of a step; ok is false when it has none.
func (m *marks) of(s *replay.Step) (mark, bool) {
	var k kind
	switch {
	case s.Class == replay.Mismatch:
		k = mismatchMark
	case s.Class == replay.InFlight:
		k = inFlightMark
	case isDuplicate(s):
		k = duplicateMark
	case s.Class == replay.Refused:
		k = refusedMark
	}
	return mark{m.bucket(s.N), k}, k != 0 && s.N >= 1 && s.N <= m.total
}

func (m *marks) add(list []mark) {
	for _, a := range list {
		if a.bucket >= 0 && a.bucket < len(m.buckets) {
			m.buckets[a.bucket] |= a.kind
		}
	}
}

// between is what lies at positions from..to.
func (m *marks) between(from, to int64) kind {
	var k kind
	if len(m.buckets) == 0 || to < from {
		return 0
	}
	for b := m.bucket(max(1, from)); b <= m.bucket(min(to, m.total)) && b < len(m.buckets); b++ {
		k |= m.buckets[b]
	}
	return k
}

// retryClasses are the outcomes that e and E look for.
var retryClasses = []replay.Class{replay.InFlight, replay.Mismatch}

// isDuplicate reports whether a step is a retry whose v1 transfer is an extra one.
func isDuplicate(s *replay.Step) bool {
	return s.Holder != 0 && s.Holder != s.N && s.V1Count > 0
}

func matches(t replay.Target, s *replay.Step) bool {
	return slices.Contains(t.Classes, s.Class) || (t.Duplicate && isDuplicate(s))
}
