package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// Seal is the head of a hash chain over a ledger's transfers: it stands for all
// of them, in their order. Whoever keeps one elsewhere notices when a transfer
// before it was edited, inserted or deleted. The zero Seal stands for none.
type Seal [sha256.Size]byte

// String is the seal in hex.
func (s Seal) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the seal in hex.
func (s Seal) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeal reads what a store kept; ok is false for another length.
func ParseSeal(b []byte) (s Seal, ok bool) {
	return s, copy(s[:], b) == len(s) && len(b) == len(s)
}

// ParseSealText is the inverse of [Seal.String].
func ParseSealText(text string) (Seal, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return Seal{}, fmt.Errorf("seal: %w", err)
	}
	s, ok := ParseSeal(b)
	if !ok {
		return Seal{}, fmt.Errorf("seal has %d bytes, want %d", len(b), len(s))
	}
	return s, nil
}

// Next is the seal after one more transfer: SHA-256 over this one and the six
// columns, each as the length of its text (8 bytes, big endian) and its text, so
// that no byte can move from one column to the next unnoticed. Amounts are in
// decimal, account ids are their text, createdAt is the text that is stored.
func (s Seal) Next(id, src, dst string, amount int64, currency, createdAt string) Seal {
	var room [256]byte
	var digits [20]byte
	b := append(room[:0], s[:]...)
	b = appendSized(b, id)
	b = appendSized(b, src)
	b = appendSized(b, dst)
	b = appendSized(b, strconv.AppendInt(digits[:0], amount, 10))
	b = appendSized(b, currency)
	return sha256.Sum256(appendSized(b, createdAt))
}

func appendSized[T string | []byte](b []byte, column T) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(column))), column...)
}
