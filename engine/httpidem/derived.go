package httpidem

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"idem/engine"
)

// DerivedKey is an idempotency key for what the handler asks of someone else, a
// card network or a mail service: an effect outside of the store, which is at
// least once unless they take a key. It is the same for every attempt under one
// life of the client's key, on every server, so that a retry after a crash is
// recognised there; another call, client, endpoint or key has another one, and so
// has the same key after its retention. call names the request to them where a
// handler makes several.
//
// It is the SHA-256 of these, each as its length (8 bytes, big endian) and its
// text, in hex, 64 characters. It tells nothing of the client's key.
//
// It panics where no claim is held, as [OnComplete] does.
func DerivedKey(ctx context.Context, call string) string {
	r, ok := ctx.Value(contextKey{}).(*request)
	if !ok || r.capture == nil {
		panic("httpidem: DerivedKey outside a request with a key; there is nothing to derive one from")
	}
	return derive(r.key, r.life, call)
}

func derive(key engine.ScopedKey, life engine.Fence, call string) string {
	var b []byte
	for _, part := range []string{key.ClientID, key.Endpoint, key.Key, call} {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(life)))
	return hex.EncodeToString(sum[:])
}
