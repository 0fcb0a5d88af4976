package compare

import "math/bits"

// marks are a set of positions from 1 on, a bit each, in which the next one, the
// nth one and the rank of one are found without walking through all of it.
type marks struct {
	words []uint64
	ranks []int64 // how many there are before each span of words; made by seal
}

// spanWords is how many words lie between two known ranks.
const spanWords = 64

func newMarks(total int64) *marks { return &marks{words: make([]uint64, total/64+1)} }

func (m *marks) add(n int64) { m.words[n/64] |= 1 << (n % 64) }

func (m *marks) has(n int64) bool { return m.words[n/64]&(1<<(n%64)) != 0 }

// seal counts; nothing is added after it.
func (m *marks) seal() {
	var sum int64
	for i, w := range m.words {
		if i%spanWords == 0 {
			m.ranks = append(m.ranks, sum)
		}
		sum += int64(bits.OnesCount64(w))
	}
	m.ranks = append(m.ranks, sum)
}

// count is how many there are.
func (m *marks) count() int64 { return m.ranks[len(m.ranks)-1] }

// rank is how many there are up to position n, itself included.
func (m *marks) rank(n int64) int64 {
	i := n / 64
	span := i / spanWords
	sum := m.ranks[span]
	for _, w := range m.words[span*spanWords : i] {
		sum += int64(bits.OnesCount64(w))
	}
	return sum + int64(bits.OnesCount64(m.words[i]<<(63-n%64)))
}

// nth is the position of the nth one, from 1; 0 when there are fewer.
func (m *marks) nth(n int64) int64 {
	if n < 1 || n > m.count() {
		return 0
	}
	low, high := 0, len(m.ranks)-1 // ranks[low] < n <= ranks[high]
	for high-low > 1 {
		if middle := (low + high) / 2; m.ranks[middle] < n {
			low = middle
		} else {
			high = middle
		}
	}
	left := n - m.ranks[low]
	for i := low * spanWords; ; i++ {
		w := m.words[i]
		if here := int64(bits.OnesCount64(w)); here < left {
			left -= here
			continue
		}
		for ; left > 1; left-- {
			w &= w - 1
		}
		return int64(i)*64 + int64(bits.TrailingZeros64(w))
	}
}
