package findings

import (
	"time"
)

// Filter narrows what is told to the findings that touch a span of time, a
// client, an endpoint or an account. Its zero value holds everything.
type Filter struct {
	From, To time.Time // a request or transfer lies in [From, To); zero is open
	Client   string    // a request's
	Endpoint string    // a request's
	Account  string    // payer or payee of a transfer
}

// IsZero reports whether the filter holds everything.
func (x Filter) IsZero() bool { return x == Filter{} }

// Holds reports whether a finding passes. Each condition may be met by another
// of its rows: a retry from a span on is shown with the first send before it.
func (x *Filter) Holds(f *Finding) bool {
	if !x.holdsTime(f) {
		return false
	}
	client, endpoint, account := x.Client == "", x.Endpoint == "", x.Account == ""
	for i := range f.Sends {
		client = client || f.Sends[i].ClientID == x.Client
		endpoint = endpoint || f.Sends[i].Endpoint == x.Endpoint
	}
	if account {
		return client && endpoint
	}
	for _, t := range f.Transfers() {
		account = account || t.Src == x.Account || t.Dst == x.Account
	}
	return client && endpoint && account
}

func (x *Filter) holdsTime(f *Finding) bool {
	if x.From.IsZero() && x.To.IsZero() {
		return true
	}
	for i := range f.Sends {
		if x.inside(f.Sends[i].At) {
			return true
		}
	}
	for _, t := range f.Transfers() {
		if x.inside(t.At) {
			return true
		}
	}
	return false
}

func (x *Filter) inside(t time.Time) bool {
	return !t.IsZero() && !t.Before(x.From) && (x.To.IsZero() || t.Before(x.To))
}
