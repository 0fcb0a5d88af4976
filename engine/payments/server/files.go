package server

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"idem/engine"
	"idem/engine/httpidem"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Clients are those who may ask, by the hashes of their credentials.
type Clients struct {
	byHash map[string]string
}

// ParseClients reads a clients file: a JSON object from client id to the list of
// the SHA-256 hashes of its credentials in lower-case hex. A client may have
// several, to change them without a gap; a credential belongs to one client.
// The error is a *UsageError.
func ParseClients(text []byte) (*Clients, error) {
	var ids map[string][]string
	if err := json.Unmarshal(text, &ids); err != nil {
		return nil, usage("clients file: not a JSON object of client ids and lists of hashes: %v", err)
	}
	c := &Clients{byHash: make(map[string]string)}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if engine.BlankKey(id) {
			return nil, usage("clients file: a client id is empty")
		}
		for i, hash := range ids[id] {
			if b, err := hex.DecodeString(hash); err != nil || len(b) != 32 || hex.EncodeToString(b) != hash {
				// It may be the credential itself and is not repeated.
				return nil, usage("clients file: client %q: credential %d is not given as a SHA-256 in lower-case hex", id, i+1)
			}
			if other, taken := c.byHash[hash]; taken {
				return nil, usage("clients file: clients %q and %q have the same credential", other, id)
			}
			c.byHash[hash] = id
		}
	}
	if len(c.byHash) == 0 {
		return nil, usage("clients file: it names no credential, so nobody could ask")
	}
	return c, nil
}

// authenticate is the layer's [httpidem.Options.Authenticate].
func (c *Clients) authenticate(_ context.Context, credential string) (string, error) {
	return c.byHash[httpidem.HashCredential(credential)], nil
}

// ParseAccounts reads an accounts file: a JSON array of objects with the members
// acct_id (a string or an integer), holder and balance (an integer of minor
// units, not below zero). The error is a *UsageError.
func ParseAccounts(text []byte) ([]engine.Account, error) {
	var rows []struct {
		ID      jsontext.Value `json:"acct_id"`
		Holder  string         `json:"holder"`
		Balance int64          `json:"balance"`
	}
	if err := json.Unmarshal(text, &rows, json.RejectUnknownMembers(true)); err != nil {
		return nil, usage("accounts file: not a JSON array of accounts: %v", err)
	}
	accounts := make([]engine.Account, len(rows))
	for i, row := range rows {
		id, integer, err := accountID(row.ID)
		if err != nil {
			return nil, usage("accounts file: account %d: %v", i+1, err)
		}
		if row.Balance < 0 {
			return nil, usage("accounts file: account %q: balance is below zero", id)
		}
		if slices.ContainsFunc(accounts[:i], func(a engine.Account) bool { return a.ID == id }) {
			return nil, usage("accounts file: account %q is there twice", id)
		}
		accounts[i] = engine.Account{ID: id, Integer: integer, Holder: row.Holder, Balance: row.Balance}
	}
	return accounts, nil
}

func accountID(v jsontext.Value) (id string, integer bool, err error) {
	switch v.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		if err == nil && len(text) > 0 {
			return string(text), false, nil
		}
	case '0':
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return strconv.FormatInt(n, 10), true, nil
		}
	}
	return "", false, fmt.Errorf("acct_id must be a non-empty string or an integer")
}
