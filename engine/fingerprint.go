package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// FingerprintRule says what of a request must be the same for a retry. Its
// number is the version byte of each fingerprint: a rule's meaning never
// changes; a changed rule is a new number, and records made under the old one
// are still compared under the old one.
type FingerprintRule byte

const (
	// RuleNone: nothing is compared; every request under the key is a retry.
	RuleNone FingerprintRule = 0
	// RuleCanonical: the canonical form of the body (see [Canonical]).
	RuleCanonical FingerprintRule = 1
	// RuleRaw: the bytes of the body.
	RuleRaw FingerprintRule = 2
	// RuleRequest: method, path, query and the bytes of the body.
	RuleRequest FingerprintRule = 3
)

// Fingerprint identifies a request's content: a version byte, which is its
// [FingerprintRule], and a SHA-256.
type Fingerprint [1 + sha256.Size]byte

// Rule is the rule the fingerprint was made by.
func (f Fingerprint) Rule() FingerprintRule { return FingerprintRule(f[0]) }

// String is the whole fingerprint: "1:" and 64 hex digits.
func (f Fingerprint) String() string { return fmt.Sprintf("%d:%x", f[0], f[1:]) }

// Short is the first 8 bytes of the hash in hex, for messages and screens.
func (f Fingerprint) Short() string { return hex.EncodeToString(f[1:9]) }

// ParseFingerprint reads what a store kept.
func ParseFingerprint(b []byte) (f Fingerprint, err error) {
	if len(b) != len(f) {
		return f, fmt.Errorf("fingerprint has %d bytes, want %d", len(b), len(f))
	}
	copy(f[:], b)
	return f, nil
}

// Fingerprint computes the request's fingerprint under a rule. RuleCanonical
// fails with [ErrAmbiguous] on a body that is no unambiguous JSON; a rule that
// this version does not know fails.
func (r Request) Fingerprint(rule FingerprintRule) (Fingerprint, error) {
	var sum [sha256.Size]byte
	switch rule {
	case RuleNone:
	case RuleCanonical:
		canonical, err := Canonical(r.Body)
		if err != nil {
			return Fingerprint{}, err
		}
		sum = sha256.Sum256(canonical)
	case RuleRaw:
		sum = sha256.Sum256(r.Body)
	case RuleRequest:
		sum = r.requestSum()
	default:
		return Fingerprint{}, fmt.Errorf("fingerprint rule %d is not known to this version", rule)
	}
	f := Fingerprint{0: byte(rule)}
	copy(f[1:], sum[:])
	return f, nil
}

// requestSum hashes the parts with their lengths, so that no byte can move from
// one part to the next unnoticed.
func (r Request) requestSum() (sum [sha256.Size]byte) {
	// A hash that is called directly stays on the stack; one behind an io.Writer
	// does not, and neither do the parts.
	h := sha256.New()
	var lengths [64]byte
	h.Write(appendLengths(lengths[:0], len(r.Method), len(r.Target), len(r.Body)))
	h.Write([]byte(r.Method))
	h.Write([]byte(r.Target))
	h.Write(r.Body)
	h.Sum(sum[:0])
	return sum
}

// appendLengths writes "1 2 3\n".
func appendLengths(b []byte, lengths ...int) []byte {
	for _, n := range lengths {
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
	}
	b[len(b)-1] = '\n'
	return b
}
