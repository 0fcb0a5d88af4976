package httpidem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// maxCredential bounds the credential, in bytes.
const maxCredential = 4096

// bearer reads the credential of a request: exactly one Authorization line,
// "Bearer" in any case, and visible ASCII without a space (RFC 6750 allows less,
// but what is opaque to this layer is not its business).
func bearer(h http.Header) (credential string, ok bool) {
	lines := h["Authorization"]
	if len(lines) != 1 {
		return "", false
	}
	scheme, credential, _ := strings.Cut(strings.Trim(lines[0], " \t"), " ")
	credential = strings.TrimLeft(credential, " ")
	ok = strings.EqualFold(scheme, "Bearer") && credential != "" &&
		len(credential) <= maxCredential && visible(credential)
	return credential, ok
}

// HashCredential is the SHA-256 of a credential in lower-case hex: the client id
// where no other is given, and the only form in which a credential is kept.
func HashCredential(credential string) string {
	sum := sha256.Sum256([]byte(credential))
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:])
}

func hashedClient(_ context.Context, credential string) (string, error) {
	return HashCredential(credential), nil
}
