package secret

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Names of members, headers and parameters whose value is a secret. They are
// compared in lower case without hyphens, underscores and blanks.
var (
	dropped = names("cvv", "cvc", "cvv2", "cvc2", "cvn", "cid", "csc", "securitycode", "cardverificationvalue",
		"cardsecuritycode", "pin", "pinblock", "password", "passwd", "secret", "clientsecret", "privatekey",
		"cookie", "setcookie", "track1", "track2", "trackdata", "magstripe")
	pseudonymised = names("authorization", "proxyauthorization", "xapikey", "apikey", "accesstoken", "refreshtoken",
		"bearertoken", "sessiontoken", "pan", "cardnumber", "primaryaccountnumber", "accountpan")
)

func names(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, n := range list {
		m[n] = true
	}
	return m
}

// Verdicts on the value behind a name.
type verdict int

const (
	keep verdict = iota
	drop
	replace
)

func judge(name []byte) verdict {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(string(name)))
	switch {
	case dropped[plain]:
		return drop
	case pseudonymised[plain]:
		return replace
	}
	return keep
}

// hints are what every name of the lists holds a part of, in lower case.
var hints = [][]byte{[]byte("cv"), []byte("cid"), []byte("csc"), []byte("pin"), []byte("pass"), []byte("secret"), []byte("private"), []byte("cookie"),
	[]byte("track"), []byte("mag"), []byte("auth"), []byte("key"), []byte("token"), []byte("pan"), []byte("number"), []byte("code"), []byte("verif"), []byte("account")}

// JSON takes secrets out of a JSON text: values of members with a secret's name,
// and card numbers anywhere. Everything else is kept byte for byte. Where there
// is nothing to do, or text is no JSON, text itself is returned, but for the
// card numbers in it.
func (c *Cleaner) JSON(text []byte) []byte {
	if !c.suspicious(text) {
		return c.Text(text)
	}
	out, err := c.rewrite(text)
	if err != nil {
		return c.Text(text)
	}
	return out
}

// suspicious is a cheap test that lets most texts pass without being parsed.
func (c *Cleaner) suspicious(text []byte) bool {
	c.out = append(c.out[:0], text...)
	for i, b := range c.out {
		if b-'A' < 26 {
			c.out[i] = b | 0x20
		}
	}
	for _, hint := range hints {
		if bytes.Contains(c.out, hint) {
			return true
		}
	}
	return false
}

// rewrite copies text and replaces values on the way.
func (c *Cleaner) rewrite(text []byte) ([]byte, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	var out []byte
	done := 0
	for {
		kind := dec.PeekKind()
		if kind == '{' || kind == '[' || kind == '}' || kind == ']' {
			if _, err := dec.ReadToken(); err != nil {
				return nil, err
			}
		} else {
			before := int(dec.InputOffset())
			verdict, err := c.next(dec)
			if err != nil {
				return nil, err
			}
			raw, err := c.value(dec, text, verdict, before)
			if err != nil {
				return nil, err
			}
			end := int(dec.InputOffset())
			if raw.with != nil {
				out = append(append(out, text[done:raw.from]...), raw.with...)
				done = end
			}
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	if done == 0 {
		return c.Text(text), nil
	}
	return append(out, text[done:]...), nil
}

// next reads a member's name, where one comes, and judges it.
func (c *Cleaner) next(dec *jsontext.Decoder) (verdict, error) {
	if kind, n := dec.StackIndex(dec.StackDepth()); kind != '{' || n%2 == 1 {
		return keep, nil
	}
	name, err := dec.ReadToken()
	if err != nil {
		return keep, err
	}
	return judge([]byte(name.String())), nil
}

// change is what a value is replaced with, nil for nothing.
type change struct {
	from int
	with []byte
}

func (c *Cleaner) value(dec *jsontext.Decoder, text []byte, v verdict, before int) (change, error) {
	kind := dec.PeekKind()
	if v == keep && (kind == '{' || kind == '[') {
		return change{}, nil // its members come next
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return change{}, err
	}
	from := int(dec.InputOffset()) - len(raw)
	switch {
	case v == drop && kind != 'n':
		c.Found++
		return change{from, []byte(`"[dropped]"`)}, nil
	case v == replace && (kind == '"' || kind == '0'):
		c.Found++
		return change{from, []byte(`"` + c.Pseudonym("secret", bytes.Trim(raw, `"`)) + `"`)}, nil
	}
	return c.cards(raw, from), nil
}

// cards replaces card numbers inside a value.
func (c *Cleaner) cards(raw []byte, from int) change {
	clean := c.Text(raw)
	if len(clean) == len(raw) && (len(raw) == 0 || &clean[0] == &raw[0]) {
		return change{}
	}
	if clean[0] != '"' {
		clean = append(append([]byte{'"'}, clean...), '"')
	}
	return change{from, clean}
}
