package server

import (
	"errors"
	"strings"
	"testing"
)

// FuzzParseClients: a file is refused as wrong usage, or each of its credentials
// is one client's.
func FuzzParseClients(f *testing.F) {
	for _, seed := range []string{`{}`, `{"shop":["` + strings.Repeat("0a", 32) + `"]}`, `{"shop":[]}`, `{"":["x"]}`, `{"a":["x"],"a":[]}`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseClients(text)
		if err != nil {
			if !errors.As(err, new(*UsageError)) {
				t.Fatal(err)
			}
			return
		}
		for hash, id := range c.byHash {
			if len(hash) != 64 || hash != strings.ToLower(hash) || id == "" {
				t.Fatalf("%q is the credential of %q", hash, id)
			}
		}
	})
}

// FuzzParseAccounts: a file is refused as wrong usage, or its accounts can be
// opened: each once, with an id, with nothing owed.
func FuzzParseAccounts(f *testing.F) {
	for _, seed := range []string{`[]`, `[{"acct_id":"A","holder":"a","balance":5}]`, `[{"acct_id":7,"balance":9223372036854775807}]`,
		`[{"acct_id":7},{"acct_id":"7"}]`, `[{"acct_id":-0}]`, `[{"acct_id":1e3}]`, `[{"acct_id":null}]`, `{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		accounts, err := ParseAccounts(text)
		if err != nil && !errors.As(err, new(*UsageError)) {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, a := range accounts {
			if a.ID == "" || a.Balance < 0 || seen[a.ID] {
				t.Fatalf("%+v", accounts)
			}
			seen[a.ID] = true
		}
	})
}
