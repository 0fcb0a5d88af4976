package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// Checksum stands for all that a [Record] says, in both of its states: a claim
// whose fingerprint or lease rotted would refuse its own retry, or hand running
// work to a second worker. A database keeps it beside the record, and a record
// that does not match it is [ErrDamaged]: it is not replayed, not taken over and
// not completed.
//
// It protects from what happens by accident: rot, torn pages, an edit of one
// column by hand. It has no secret, so who can write the database can write it,
// too; the chain over the transfers, with its head kept elsewhere, is for that
// (see [Seal]). Nor does it tell of a record that is gone, or that was put back.
type Checksum [1 + checksumHash]byte

const (
	// checksumVersion is the first byte of a checksum. It changes with the
	// encoding.
	checksumVersion = 1
	// checksumHash is how many bytes of the SHA-256 follow: no accident meets
	// 16, and each record has them.
	checksumHash = 16
)

// Checksum is that of the record as it stands: the version, and the first 16
// bytes of a SHA-256. What is hashed is the version again and each field in its
// order: a text or bytes as its length (8 bytes, big endian) and itself, a number
// as 8 bytes, big endian, an instant as the numbers of its unix seconds and its
// nanoseconds, a flag as one byte. The fields of the reply are there only when
// the record is completed; its state, which says so, comes before. A body that
// is nil is told from an empty one.
func (r *Record) Checksum() (sum Checksum) {
	var room [768]byte
	b := append(room[:0], checksumVersion)
	b = appendSized(b, r.Key.ClientID)
	b = appendSized(b, r.Key.Endpoint)
	b = appendSized(b, r.Key.Key)
	b = append(b, byte(r.State))
	b = append(b, r.Fingerprint[:]...)
	b = appendNumbers(b, int64(r.Life), int64(r.Fence), int64(r.Attempt))
	b = appendInstant(b, r.ClaimedAt)
	b = appendInstant(b, r.LeaseUntil)
	var body []byte // hashed where it is
	if r.State == Completed {
		b = appendInstant(b, r.CompletedAt)
		b = r.Reply.appendHead(b)
		body = r.Reply.Body
	}
	var hash [sha256.Size]byte
	h := sha256.New()
	h.Write(b)
	h.Write(body)
	h.Sum(hash[:0])
	sum[0] = checksumVersion
	copy(sum[1:], hash[:])
	return sum
}

// appendHead appends all of a reply that comes before its body.
func (r *Reply) appendHead(b []byte) []byte {
	b = appendNumbers(b, int64(r.Status))
	b = appendSized(b, r.Reason)
	b = appendNumbers(b, int64(len(r.Header)))
	for _, f := range r.Header {
		b = appendSized(b, f.Name)
		b = appendSized(b, f.Value)
	}
	b = appendFlag(b, r.NotKept)
	b = appendFlag(b, r.Body != nil)
	return appendNumbers(b, int64(len(r.Body)))
}

// Check compares the record with the checksum that was kept of it; [ErrDamaged]
// where they differ. Nil is what a record has that an older version wrote.
func (r *Record) Check(kept []byte) error {
	sum := r.Checksum()
	if kept == nil || bytes.Equal(kept, sum[:]) {
		return nil
	}
	return fmt.Errorf("%w: the record of key %q is not what was stored: its checksum differs; idem verify tells of all such records", ErrDamaged, r.Key.Key)
}

func appendNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func appendInstant(b []byte, t time.Time) []byte {
	return appendNumbers(b, t.Unix(), int64(t.Nanosecond()))
}

func appendFlag(b []byte, set bool) []byte {
	if set {
		return append(b, 1)
	}
	return append(b, 0)
}
