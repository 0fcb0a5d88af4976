package httpidem

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzBearer: what is taken for a credential is one word of one line.
func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"Bearer abc", "bearer  abc", "Bearer", "Bearer a b", "Bearer a, Bearer b", "Basic abc", "Bearer \xff", "Bearer\tabc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		credential, ok := bearer(http.Header{"Authorization": {line}})
		if ok && (credential == "" || strings.ContainsAny(credential, " \t\r\n\x00") || !strings.HasSuffix(strings.TrimRight(line, " \t"), credential)) {
			t.Fatalf("%q: %q, %v", line, credential, ok)
		}
	})
}
