package analysis

import (
	"bytes"
	"encoding/json"
	"time"
)

// Filter says which part of an incident is looked at. Its zero value is all of it.
//
// It is about rows that belong together, which are never parted: the requests of
// one scoped key with the transfers they caused, or those of one finding. They
// pass when each condition is met by one of their rows, and another may meet
// each: a retry from a span on is seen with the first send before it.
type Filter struct {
	From, To time.Time // a request came, or a transfer was made, in [From, To); zero is open
	Client   string    // a request's client_id
	Endpoint string    // a request's endpoint
	Account  string    // payer or payee of a transfer, or of a request's body
}

// IsZero reports whether the filter holds everything.
func (x Filter) IsZero() bool { return x == Filter{} }

// Conditions is a set of those that rows have met.
type Conditions uint8

const (
	metTime Conditions = 1 << iota
	metClient
	metEndpoint
	metAccount
	metAll = metTime | metClient | metEndpoint | metAccount
)

// All reports whether rows that have met these conditions pass.
func (c Conditions) All() bool { return c == metAll }

// Unasked are the conditions that the filter does not have.
func (x *Filter) Unasked() Conditions {
	var c Conditions
	for _, f := range []struct {
		asked bool
		met   Conditions
	}{{!x.From.IsZero() || !x.To.IsZero(), metTime}, {x.Client != "", metClient}, {x.Endpoint != "", metEndpoint}, {x.Account != "", metAccount}} {
		if !f.asked {
			c |= f.met
		}
	}
	return c
}

// Sent are the conditions that a request meets by when and from whom it came.
func (x *Filter) Sent(at time.Time, client, endpoint string) Conditions {
	c := x.timed(at)
	if client == x.Client {
		c |= metClient
	}
	if endpoint == x.Endpoint {
		c |= metEndpoint
	}
	return c
}

// Moved are the conditions that a transfer meets.
func (x *Filter) Moved(at time.Time, src, dst string) Conditions {
	c := x.timed(at)
	if src == x.Account || dst == x.Account {
		c |= metAccount
	}
	return c
}

// timed is about an instant; the zero one is unknown.
func (x *Filter) timed(at time.Time) Conditions {
	if at.IsZero() || at.Before(x.From) || !x.To.IsZero() && !at.Before(x.To) {
		return 0
	}
	return metTime
}

// asks are the conditions that a request meets by the accounts its body names,
// whether or not it is a payment that can be made. Few bodies hold the name of
// the account, and only those are parsed.
func (x *Filter) asks(body []byte) Conditions {
	if x.Account == "" || !bytes.Contains(body, []byte(x.Account)) && bytes.IndexByte(body, '\\') < 0 {
		return 0
	}
	var order struct{ Src, Dst accountName }
	if json.Unmarshal(body, &order) == nil && (string(order.Src) == x.Account || string(order.Dst) == x.Account) {
		return metAccount
	}
	return 0
}

// accountName is the id of an account, text or integer, by its text.
type accountName string

func (a *accountName) UnmarshalJSON(b []byte) error {
	*a = accountName(b)
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(a))
	}
	return nil
}
