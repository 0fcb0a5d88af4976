package ingest

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/money"
	"idem/analysis/ingest/place"
)

// order is a payment as a body asks for it.
type order struct {
	src, dst []byte
	amount   int64 // minor units
	currency []byte
	open     bool // it is not settled whether amount was minor or major units
}

// bodyReader finds the payment in the bodies of requests.
type bodyReader struct {
	rules  rules
	finder *place.Finder
	parts  []bodyPart // of the slots of the finder
	body   Body
	isKey  []bool // of the slots: what stands there is the key where the header has none
	texts  [bodyParts][]byte
	moved  []byte
	form   []byte
}

type bodyPart int

const (
	bodySrc bodyPart = iota
	bodyDst
	bodyAmount
	bodyCurrency
	bodyReference
	bodyKey
	bodyParts
)

// enginePlaces are where the engine reads a payment from a body.
var enginePlaces = [...]string{bodySrc: "src", bodyDst: "dst", bodyAmount: "amount", bodyCurrency: "currency"}

// bodyKeys are names of a key in a body that are one by any account: Square and
// others send it there. Other names are compared with the header's key only.
var bodyKeys = Places{"idempotency_key", "idempotencyKey", "idempotencyId", "idempotentKey"}

// Or fills what b leaves open with the places that are known.
func (b Body) Or() Body {
	for _, f := range []struct {
		into  *Places
		known Places
	}{
		{&b.Src, Places{"src"}},
		{&b.Dst, Places{"dst"}},
		{&b.Amount, Places{"amount"}},
		{&b.Currency, Places{"currency"}},
		{&b.Reference, Places{"ref", "reference", "order_id", "orderId", "invoice_id", "merchantReference", "merchant_reference", "external_id", "metadata.order_id"}},
		{&b.Key, slices.Concat(bodyKeys, Places{"requestId", "request_id", "requestToken", "clientToken", "client_token",
			"uniqueId", "uniqueRequestId", "nonce", "endToEndId"})},
	} {
		if len(*f.into) == 0 {
			*f.into = f.known
		}
	}
	return b
}

// newBodyReader reads by the places of b, and by those that are known where b
// names none.
func newBodyReader(b Body) (*bodyReader, error) {
	named := len(b.Key) > 0 // a key's place that was named is the key's
	b = b.Or()
	r := &bodyReader{body: b}
	m := Mapping{AmountUnit: b.AmountUnit, Exponents: b.Exponents}
	rules, err := m.rules()
	if err != nil {
		return nil, err
	}
	r.rules = *rules
	var places []string
	for part, list := range [...]Places{bodySrc: b.Src, bodyDst: b.Dst, bodyAmount: b.Amount, bodyCurrency: b.Currency, bodyReference: b.Reference, bodyKey: b.Key} {
		for _, p := range list {
			places = append(places, p)
			r.parts = append(r.parts, bodyPart(part))
			r.isKey = append(r.isKey, bodyPart(part) == bodyKey && (named || slices.Contains(bodyKeys, p)))
		}
	}
	r.finder, err = place.NewFinder(places...)
	return r, err
}

// read settles what a request asks for, and its body as the engine reads it. An
// amount that could be read in two ways is an error.
func (r *bodyReader) read(row *requestRow, body []byte, a *arena) error {
	row.kind = unknown
	if len(body) == 0 {
		return nil
	}
	object := body
	if body[0] != '{' {
		object = r.formObject(body)
	}
	values, err := r.finder.Find(object)
	if err != nil || jsontext.Value(object).Kind() != '{' {
		r.wrap(row, body, a)
		return nil
	}
	row.kind = other
	var parts [bodyParts]jsontext.Value
	for i, v := range values {
		if p := r.parts[i]; parts[p] == nil && v != nil && v.Kind() != 'n' {
			parts[p] = v
			if r.isKey[i] && len(row.Key) == 0 {
				row.Key = a.keep(bareKey(r.text(parts, p)))
			}
		}
	}
	row.ref = a.keep(r.text(parts, bodyReference))
	row.bodyKey = a.keep(r.text(parts, bodyKey))
	if body[0] != '{' {
		r.wrap(row, body, a)
		row.kind = other
	} else {
		row.Body = a.keep(body)
	}
	if readOnly(row.Method) || parts[bodyAmount] == nil {
		return nil
	}
	return r.payment(row, parts, a)
}

func (r *bodyReader) text(parts [bodyParts]jsontext.Value, p bodyPart) []byte {
	return place.Text(parts[p], &r.texts[p])
}

// readOnly: methods that RFC 9110 calls safe move no money.
func readOnly(method []byte) bool {
	switch string(method) {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

func (r *bodyReader) payment(row *requestRow, parts [bodyParts]jsontext.Value, a *arena) error {
	o := order{src: r.text(parts, bodySrc), dst: r.text(parts, bodyDst), currency: money.Code(r.text(parts, bodyCurrency))}
	for _, d := range []struct {
		into *[]byte
		text string
	}{{&o.src, r.body.DefaultSrc}, {&o.dst, r.body.DefaultDst}, {&o.currency, r.body.DefaultCurrency}} {
		if len(*d.into) == 0 {
			*d.into = []byte(d.text)
		}
	}
	if len(o.src) == 0 || len(o.dst) == 0 || len(o.currency) == 0 {
		return nil
	}
	var err error
	if o.amount, o.open, err = r.amount(parts, o.currency); err != nil {
		return err
	}
	if o.amount <= 0 {
		return nil
	}
	row.kind = payment
	row.order = order{a.keep(o.src), a.keep(o.dst), o.amount, a.keep(o.currency), o.open}
	switch {
	case row.received != nil: // a form, which is wrapped as {"received": ...}
		row.Body = a.keep(r.move(&o, row.Body[len(wrapper):len(row.Body)-1]))
	case !r.inPlace(parts, &o):
		row.received = row.Body
		row.Body = a.keep(r.move(&o, row.received))
	}
	return nil
}

// amount reads the amount of a body. Where the unit is not settled, an integer
// is taken as minor units until the ledger has shown what it is.
func (r *bodyReader) amount(parts [bodyParts]jsontext.Value, currency []byte) (n int64, open bool, err error) {
	raw := parts[bodyAmount]
	text := r.text(parts, bodyAmount)
	if r.rules.minor || r.rules.major {
		n, err = r.rules.amount(text, currency)
	} else if n, err = money.Minor(text, money.Notation{}); err != nil || raw.Kind() != '0' {
		return 0, false, unsettled("--body-amount-unit", "the amount %.20s in a body could be minor or major units", raw)
	} else {
		// Without decimals the units are the same.
		exponent, unknown := r.rules.exponents.Exponent(string(currency))
		open = unknown != nil || exponent != 0
	}
	if err != nil {
		return 0, false, nil // it is no payment that a ledger could make
	}
	return n, open, nil
}

// inPlace reports whether the engine reads the same payment from the body as it
// stands.
func (r *bodyReader) inPlace(parts [bodyParts]jsontext.Value, o *order) bool {
	for part, name := range enginePlaces {
		if parts[part] == nil || !r.isAt(bodyPart(part), name) {
			return false
		}
	}
	amount, err := strconv.ParseInt(string(parts[bodyAmount]), 10, 64)
	return err == nil && amount == o.amount && bytes.Equal(r.text(parts, bodyCurrency), o.currency)
}

// isAt: the first place of a part is the engine's, and only that can count.
func (r *bodyReader) isAt(p bodyPart, name string) bool {
	list := [...]Places{bodySrc: r.body.Src, bodyDst: r.body.Dst, bodyAmount: r.body.Amount, bodyCurrency: r.body.Currency}[p]
	return len(list) == 1 && (list[0] == name || list[0] == "$."+name)
}

// move writes a body that the engine can read: the payment on top and what was
// received below, so that two bodies are equal when what was received is.
func (r *bodyReader) move(o *order, received []byte) []byte {
	b := append(r.moved[:0], `{"src":`...)
	b = appendString(b, o.src)
	b = append(b, `,"dst":`...)
	b = appendString(b, o.dst)
	b = append(b, `,"amount":`...)
	b = strconv.AppendInt(b, o.amount, 10)
	b = append(b, `,"currency":`...)
	b = appendString(b, o.currency)
	b = append(b, `,"received":`...)
	b = append(append(b, received...), '}')
	r.moved = b
	return b
}

const wrapper = `{"received":`

// wrap keeps a body that is no JSON object inside of one.
func (r *bodyReader) wrap(row *requestRow, body []byte, a *arena) {
	row.received = a.keep(body)
	row.Body = a.keep(append(appendString([]byte(wrapper), body), '}'))
}

// formObject is a form (application/x-www-form-urlencoded), as Stripe and others
// receive it, as a JSON object of texts; nil for what is none. A name such as
// metadata[order_id] is that of one member.
func (r *bodyReader) formObject(body []byte) []byte {
	if bytes.IndexByte(body, '=') < 0 || bytes.ContainsAny(body, " \n<{") {
		return nil
	}
	b := append(r.form[:0], '{')
	for pair := range bytes.SplitSeq(body, []byte{'&'}) {
		name, value, _ := bytes.Cut(pair, []byte{'='})
		n, err1 := url.QueryUnescape(string(name))
		v, err2 := url.QueryUnescape(string(value))
		if err1 != nil || err2 != nil {
			return nil
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendString(b, []byte(n)), ':')
		b = appendString(b, []byte(v))
	}
	r.form = append(b, '}')
	return r.form
}

func appendString(b, text []byte) []byte {
	out, err := jsontext.AppendQuote(b, bytes.ToValidUTF8(text, []byte("\uFFFD")))
	if err != nil {
		return append(b, `""`...)
	}
	return out
}
