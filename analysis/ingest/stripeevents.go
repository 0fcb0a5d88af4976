package ingest

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/money"
	"idem/analysis/ingest/place"
)

// stripeEventsFormat is the events of Stripe's API as traces of the requests that
// caused them: one event a line, as stripe listen --print-json and exports of
// webhooks have them, or lists as GET /v1/events answers. request holds the id of
// the request and its idempotency key; in versions of the API before 2017-05-25
// it is the id alone. Amounts are in Stripe's smallest units.
//
// One request causes several events: that of the object that moves money stands
// for it, the others are set aside. The same events are a ledger, which knows the
// requests and keys that caused its transfers.
var stripeEventsFormat = &Format{
	Name: "stripe-events", About: "events of Stripe's API, as lines or lists", Roles: []Role{Requests, Transfers},
	Sniff: func(head []byte) bool {
		one := firstObject(head, stripeLists...)
		return string(place.Text(member(one, "object"), new([]byte))) == "event" && member(one, "type") != nil && member(one, "created") != nil
	},
	Map: func(_ []byte, role Role, given Mapping) (Mapping, error) {
		if role == Transfers {
			return given.Or(stripeEventTransfers), nil
		}
		return given.Or(Mapping{TimeIs: "start", TimeUnit: "s", Columns: map[string]Places{
			"time": {"$.created"}, "id": {"$.request.id", "$.request"}, "key": {"$.request.idempotency_key"}, "client": {"$.account"},
			"endpoint": {"$.type"}, "body": {"$.data.object"}, "note": {"$.type"},
		}, Fixed: map[string]string{"method": "POST"}}), nil
	},
	Read: readStripeEvents,
}

// stripeLists is where the objects stand in a list of Stripe's API.
var stripeLists = []string{"data"}

// stripeMoves are the types of events that stand for a request.
var stripeMoves = map[string]bool{
	"charge.succeeded": true, "charge.failed": true, "charge.pending": true, "refund.created": true,
	"transfer.created": true, "payout.created": true, "topup.created": true,
}

// stripeEventTransfers is how the objects of events are read as transfers. Refunds
// go the other way.
var stripeEventTransfers = Mapping{TimeUnit: "s", AmountUnit: "minor", Exponents: money.Provider("stripe"), Columns: map[string]Places{
	"time": {"$.data.object.created", "$.created"}, "id": {"$.data.object.id"}, "request": {"$.request.id", "$.request"},
	"key": {"$.request.idempotency_key"}, "reference": {"$.data.object.metadata.order_id", "$.data.object.transfer_group"},
	"src": {"$.data.object.customer"}, "dst": {"$.data.object.transfer_data.destination", "$.data.object.destination", "$.data.object.on_behalf_of", "$.account"},
	"amount": {"$.data.object.amount"}, "currency": {"$.data.object.currency"}, "note": {"$.type"},
}, Fixed: parties("merchant")}

// fixStripeEvent turns around what goes back to a customer.
func fixStripeEvent(t *Transfer) error {
	if string(t.Note) == "refund.created" {
		t.Src, t.Dst = t.Dst, t.Src
	}
	return nil
}

func readStripeEvents(in *Input, m *Mapping, out *Sink) error {
	rows, err := newRowReader(out.Role(), m, fixes{transfer: fixStripeEvent, request: func(q *Request) error {
		q.Endpoint, _, _ = bytes.Cut(q.Endpoint, []byte{'.'}) // charge.succeeded is of a charge
		return nil
	}})
	if err != nil {
		return err
	}
	finder, err := place.NewFinder(slices.Concat(rows.places, []string{"$.object", "$.type", "$.request", "$.request.id"})...)
	if err != nil {
		return err
	}
	return in.eachObject(out, stripeLists, func(event jsontext.Value, n int64) {
		if _, err := finder.Find(event); err != nil {
			out.Reject(n, event, err)
			return
		}
		last := len(rows.places)
		request := slices.Concat(finder.Text(last+2), finder.Text(last+3))
		if why := stripeAside(out.Role(), string(finder.Text(last)), string(finder.Text(last+1)), request); why != "" {
			out.Aside(n, event, why)
			return
		}
		rows.hand(out, n, func() []byte { return event }, finder.Text)
	})
}

// stripeAside is why an event stands for no request, or for no transfer.
func stripeAside(role Role, object, kind string, request []byte) string {
	switch {
	case object != "event":
		return "an object that is no event"
	case !stripeMoves[kind]:
		return "an event of another kind: " + kind
	case role == Transfers && (kind == "charge.failed" || kind == "charge.pending"):
		return "a charge that moved nothing"
	case role == Requests && len(request) == 0:
		return "no request to the API caused the event"
	}
	return ""
}
