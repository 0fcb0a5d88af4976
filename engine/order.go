package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// AccountRef names an account in a request: the text it compares by, and the
// JSON it was written in.
type AccountRef struct {
	Text string
	JSON json.RawMessage
}

// Order is the body of a payment request: move Amount minor units.
type Order struct {
	Src, Dst AccountRef
	Amount   int64
	Currency string
}

// ErrNoObject: a body that is JSON but no object with members. Like one that is
// no JSON, it says nothing that could be the result of a key.
var ErrNoObject = errors.New("not a JSON object with members")

// ParseOrder reads a payment order from a JSON object. Members it does not know
// are ignored. An object that is no order gives a refusal; the first of amount,
// src, dst, currency that is wrong. A body that is none gives an error that
// wraps [ErrAmbiguous] or [ErrNoObject].
func ParseOrder(body []byte) (Order, *Refusal, error) {
	members, err := objectMembers(body)
	if err != nil {
		return Order{}, nil, err
	}
	if len(members) == 0 {
		return Order{}, nil, ErrNoObject
	}
	var o Order
	var ok bool
	if o.Amount, ok = amountOf(members["amount"]); !ok || o.Amount <= 0 {
		return Order{}, RefusedAmount, nil
	}
	if o.Src, ok = accountRefOf(members["src"]); !ok {
		return Order{}, RefusedSource, nil
	}
	if o.Dst, ok = accountRefOf(members["dst"]); !ok {
		return Order{}, RefusedTarget, nil
	}
	if o.Currency, ok = currencyOf(members["currency"]); !ok {
		return Order{}, RefusedCurrency, nil
	}
	if o.Src.Text == o.Dst.Text {
		return Order{}, RefusedSame, nil
	}
	return o, nil, nil
}

// objectMembers splits a JSON object into its members, values as raw text. The
// whole text is checked strictly. A value that is no object has no members.
func objectMembers(text []byte) (map[string]jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if dec.PeekKind() != '{' {
		if _, err := exactNumbers(text); err != nil {
			return nil, err
		}
		return nil, nil
	}
	members := make(map[string]jsontext.Value, 8)
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAmbiguous, err)
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAmbiguous, err)
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAmbiguous, err)
		}
		members[key] = value.Clone()
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAmbiguous, err)
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("%w: data after the value", ErrAmbiguous)
	}
	return members, nil
}

// amountOf accepts every spelling of an integer: 1000, 1000.0, 1e3.
func amountOf(v jsontext.Value) (int64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	return decimalOf(string(v)).int64()
}

// accountRefOf accepts a non-empty string or an integer.
func accountRefOf(v jsontext.Value) (AccountRef, bool) {
	switch v.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		return AccountRef{string(text), json.RawMessage(v)}, err == nil && len(text) > 0
	case '0':
		n, ok := decimalOf(string(v)).int64()
		text := fmt.Sprint(n)
		return AccountRef{text, json.RawMessage(text)}, ok
	}
	return AccountRef{}, false
}

// maxCurrency bounds the length of a currency code in bytes; ISO 4217 has 3,
// tokens have more.
const maxCurrency = 16

// currencyOf accepts a code of visible ASCII. Case is kept: "krw" is not "KRW".
func currencyOf(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil || len(text) == 0 || len(text) > maxCurrency {
		return "", false
	}
	for _, b := range text {
		if b <= ' ' || b > '~' {
			return "", false
		}
	}
	return string(text), true
}
