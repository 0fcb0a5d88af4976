package findings

import (
	"bytes"
	"hash/maphash"
	"strconv"

	"idem/engine"
)

// part is what a member of a body says besides being content.
type part uint8

const (
	content     part = iota
	keyPart          // a key in the body: it differs where a retry makes a new one
	volatile         // when or how often it was sent, which a retry changes
	askedAmount      // what is to be moved
	inner            // an object whose members count as the body's
	reference        // what the payment is for; the last part, as ranks follow
)

// references are the members that name the order or invoice, the first of them
// before the others, without the marks that foldName takes away.
var references = [...]string{"ref", "reference", "orderid", "order", "invoiceid", "invoice", "merchantreference", "externalid", "paymentreference"}

var parts = partsByName()

func partsByName() map[string]part {
	all := map[string]part{"amount": askedAmount, "received": inner, "metadata": inner}
	for _, name := range []string{
		"idempotencykey", "idempotencyid", "idempotentkey", "requestid", "requesttoken", "clienttoken",
		"uniqueid", "uniquerequestid", "nonce", "endtoendid",
	} {
		all[name] = keyPart
	}
	for _, name := range []string{
		"timestamp", "ts", "time", "sentat", "requestedat", "createdat", "clienttime", "attempt", "retry", "retrycount", "traceid", "sessionid",
	} {
		all[name] = volatile
	}
	for rank, name := range references {
		all[name] = reference + part(rank)
	}
	return all
}

// foldName makes createdAt, created_at and Created-At one name.
func foldName(name []byte, buf *[32]byte) []byte {
	n := 0
	for _, c := range name {
		if c == '_' || c == '-' {
			continue
		}
		if n == len(buf) {
			return nil
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[n] = c
		n++
	}
	return buf[:n]
}

// bodyFacts is what is kept of a body. Texts are parts of it, without quotes.
type bodyFacts struct {
	content  uint64 // of all members but keys and volatile ones; order and spelling do not matter
	ref, key []byte
	asked    int64 // the integer amount, 0 when there is none
	rank     part  // of ref
	strong   bool  // key is called an idempotency key, not a request's id or the like
}

// bodyReader reads bodies; its buffers are reused.
type bodyReader struct {
	seed maphash.Seed
	buf  []byte
	fold [32]byte
}

// read gives the facts of a body. Nearly every payment is a few plain members,
// whose bytes are canonical as they stand; any other body is made so first.
func (b *bodyReader) read(text []byte) bodyFacts {
	var f bodyFacts
	if len(text) == 0 {
		return f
	}
	if b.members(text, &f, false) {
		return f
	}
	canonical, err := engine.Canonical(text)
	f = bodyFacts{}
	if err != nil || !b.members(canonical, &f, true) {
		f = bodyFacts{content: maphash.Bytes(b.seed, text)}
	}
	return f
}

// members takes in the members of an object. It is false where the text is no
// object, or, unless it is canonical, where a member is not plain.
func (b *bodyReader) members(text []byte, f *bodyFacts, canonical bool) bool {
	i := blanks(text, 0)
	if i >= len(text) || text[i] != '{' {
		return false
	}
	if i = blanks(text, i+1); i < len(text) && text[i] == '}' {
		return true
	}
	for i < len(text) {
		nameEnd, plain := stringEnd(text, i)
		if nameEnd < 0 || !plain && !canonical {
			return false
		}
		name := text[i+1 : nameEnd-1]
		if i = blanks(text, nameEnd); i >= len(text) || text[i] != ':' {
			return false
		}
		i = blanks(text, i+1)
		end, plain := valueEnd(text, i)
		if end < 0 || !plain && !canonical {
			return false
		}
		if !b.member(name, text[i:end], f, canonical) {
			return false
		}
		if i = blanks(text, end); i >= len(text) {
			return false
		}
		if text[i] == '}' {
			return true
		}
		i = blanks(text, i+1)
	}
	return false
}

// member takes in one member.
func (b *bodyReader) member(name, value []byte, f *bodyFacts, canonical bool) bool {
	p := parts[string(foldName(name, &b.fold))]
	switch {
	case p == inner && value[0] == '{':
		return b.members(value, f, canonical)
	case p == volatile:
		return true
	case p == keyPart:
		if f.key == nil {
			f.key, f.strong = bare(value), bytes.HasPrefix(b.fold[:], []byte("idempot"))
		}
		return true
	case p == askedAmount:
		f.asked, _ = strconv.ParseInt(string(value), 10, 64)
	case p >= reference:
		if text := bare(value); len(text) > 0 && (f.ref == nil || p < f.rank) {
			f.ref, f.rank = text, p
		}
	}
	b.buf = append(append(append(b.buf[:0], name...), 0), value...)
	f.content += maphash.Bytes(b.seed, b.buf)
	return true
}

// bare is a value as a text: a string without its quotes; null, objects and
// lists are none.
func bare(value []byte) []byte {
	switch value[0] {
	case '"':
		return value[1 : len(value)-1]
	case '{', '[', 'n':
		return nil
	}
	return value
}

func blanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// stringEnd is where the string at i ends, -1 where there is none; plain says
// that it is its own canonical form.
func stringEnd(text []byte, i int) (end int, plain bool) {
	if i >= len(text) || text[i] != '"' {
		return -1, false
	}
	plain = true
	for j := i + 1; j < len(text); j++ {
		switch c := text[j]; {
		case c == '"':
			return j + 1, plain
		case c == '\\':
			plain = false
			j++
		case c < ' ' || c >= 0x80:
			plain = false
		}
	}
	return -1, false
}

// mostDigits is how many digits an integer has that RFC 8785 writes as it is.
const mostDigits = 15

// valueEnd is where the value at i ends, -1 where there is none.
func valueEnd(text []byte, i int) (end int, plain bool) {
	if i >= len(text) {
		return -1, false
	}
	switch c := text[i]; {
	case c == '"':
		return stringEnd(text, i)
	case c == '{' || c == '[':
		return nestedEnd(text, i), false
	}
	end = i
	for end < len(text) && bytes.IndexByte([]byte(",}] \n\r\t"), text[end]) < 0 {
		end++
	}
	if end == i {
		return -1, false
	}
	return end, plainScalar(text[i:end])
}

func plainScalar(v []byte) bool {
	if v[0] == 't' || v[0] == 'f' || v[0] == 'n' {
		return true
	}
	if len(v) > mostDigits || v[0] == '0' && len(v) > 1 {
		return false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// nestedEnd is where an object or list ends.
func nestedEnd(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			end, _ := stringEnd(text, i)
			if end < 0 {
				return -1
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
