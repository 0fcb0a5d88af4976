package ingest

import (
	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// stripeEventsFormat is the events of Stripe's API as traces of the requests that
// caused them: one event a line, as stripe listen --print-json and exports of
// webhooks have them, or lists as GET /v1/events answers. request holds the id of
// the request and its idempotency key; in versions of the API before 2017-05-25
// it is the id alone. Amounts are in Stripe's smallest units.
//
// One request causes several events: that of the object that moves money stands
// for it, the others are set aside.
var stripeEventsFormat = &Format{
	Name: "stripe-events", About: "events of Stripe's API, as lines or lists", Roles: []Role{Requests},
	Sniff: func(head []byte) bool {
		one := firstObject(head)
		return string(place.Text(member(one, "object"), new([]byte))) == "event" && member(one, "type") != nil && member(one, "created") != nil
	},
	Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
		return given.Or(Mapping{TimeIs: "start", TimeUnit: "s", Columns: map[string]Places{
			"time": {"$.created"}, "id": {"$.request.id", "$.request"}, "key": {"$.request.idempotency_key"}, "client": {"$.account"},
			"endpoint": {"$.data.object.object"}, "body": {"$.data.object"}, "note": {"$.type"},
		}, Fixed: map[string]string{"method": "POST"}}), nil
	},
	Read: readStripeEvents,
}

// stripeMoves are the types of events that stand for a request.
var stripeMoves = map[string]bool{
	"charge.succeeded": true, "charge.failed": true, "charge.pending": true, "refund.created": true,
	"transfer.created": true, "payout.created": true, "topup.created": true,
}

func readStripeEvents(in *Input, m *Mapping, out *Sink) error {
	rows, err := newRowReader(out.Role(), m, fixes{})
	if err != nil {
		return err
	}
	event := func(text jsontext.Value, n int64) {
		if why := stripeAside(text); why != "" {
			out.Aside(n, text, why)
			return
		}
		rows.hand(out, n, func() []byte { return text }, func(i int) []byte { return valueAt(text, rows.places[i]) })
	}
	return in.eachObject(out, event)
}

// stripeAside is why an event stands for no request.
func stripeAside(event jsontext.Value) string {
	switch kind := string(valueAt(event, "type")); {
	case string(valueAt(event, "object")) != "event":
		return "an object that is no event"
	case !stripeMoves[kind]:
		return "an event of another kind: " + kind
	case len(valueAt(event, "request.id")) == 0 && member(event, "request").Kind() != '"':
		return "no request to the API caused the event"
	}
	return ""
}
