package canaries

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"idem/engine/pgstore/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// canary is a secret, by what it is for.
type canary string

// The secrets. None of them is a word that the program has.
const (
	credential canary = "cAnary-credential-7f3a"
	refused    canary = "cAnary-refused-91c2" // a credential that is no one's
	body       canary = "cAnary-memo-5d10"    // a member of a body that says nothing to the API
	password   canary = "cAnary-password-66e1"
)

var secrets = []canary{credential, refused, body, password}

// forms are the ways in which a text stands in files.
func (c canary) forms() [][]byte {
	text := string(c)
	var list [][]byte
	for _, form := range []string{
		text, strings.ToLower(text), url.QueryEscape(text), hex.EncodeToString([]byte(text)),
		// Without the last bytes, which depend on what follows.
		base64.StdEncoding.EncodeToString([]byte(text))[:len(text)],
	} {
		list = append(list, []byte(form))
	}
	return list
}

func (c canary) in(text []byte) bool {
	for _, form := range c.forms() {
		if bytes.Contains(text, form) {
			return true
		}
	}
	return false
}

// allowed are the places where a secret may be, with the reason.
var allowed = map[canary]map[string]string{
	body: {
		"serve sqlite: record.db":        "the record is an incident database: it holds bodies as they were received",
		"import: imported.db":            "an incident database holds bodies as they were received",
		"json: stdout":                   "a body that is no JSON is quoted, so that its row can be judged",
		"replay: report/dup_report.json": "the same",
	},
}

// TestNothingIsToldToOthers runs everything, and looks everywhere.
func TestNothingIsToldToOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	r := newRig(t)
	r.serve("serve sqlite", "sqlite:pay.db", "--record", "record.db")
	r.serve("serve memory", "memory", "--log-json")
	dsn := pgtest.With(t, pgtest.Database(t), "password", string(password))
	r.serve("serve postgres", dsn, "--log-json")
	r.dump("serve postgres: database", dsn)
	r.dayOf("record.db")
	r.imports()
	r.connectionStrings(dsn)
	found := map[canary]map[string]bool{}
	for _, c := range secrets {
		found[c] = map[string]bool{}
		for _, place := range r.places {
			if !c.in(place.text) {
				continue
			}
			found[c][place.name] = true
			if _, may := allowed[c][place.name]; !may {
				t.Errorf("%s is in %s: %s", c, place.name, around(place.text, c))
			}
		}
		for name := range allowed[c] {
			if !found[c][name] {
				t.Errorf("%s is not in %s, where it may be", c, name)
			}
		}
	}
	t.Logf("canaries: %d secrets looked for in %d places, %d bytes", len(secrets), len(r.places), r.size())
	if len(r.places) < 40 {
		t.Errorf("only %d places were looked at", len(r.places))
	}
}

// around is what stands beside a secret.
func around(text []byte, c canary) string {
	for _, form := range c.forms() {
		if i := bytes.Index(text, form); i >= 0 {
			return strings.ToValidUTF8(string(text[max(0, i-80):min(len(text), i+80)]), "?")
		}
	}
	return ""
}
