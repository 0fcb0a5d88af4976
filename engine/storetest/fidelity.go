package storetest

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"idem/engine"
)

// testFidelity proves that what comes back is what went in, to the byte and to
// the nanosecond.
func testFidelity(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"replies":            fidelityReplies,
		"times":              fidelityTimes,
		"records are values": fidelityValues,
		"strange texts":      fidelityTexts,
	})
}

func fidelityReplies(b *bundle) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, reply := range map[string]engine.Reply{
		"no body":      {Status: 204},
		"empty body":   {Status: 200, Body: []byte{}},
		"NUL":          {Status: 200, Body: []byte{0}},
		"every byte":   {Status: 200, Body: every},
		"JSON null":    {Status: 200, Body: []byte("null")},
		"1 MiB":        {Status: 200, Body: bytes.Repeat(every, 4096)},
		"refusal":      {Status: 402, Reason: "insufficient_funds"},
		"not kept":     {Status: 200, NotKept: true},
		"status 0":     {},
		"several line": {Status: 201, Header: []engine.Field{{Name: "Link", Value: "<a>"}, {Name: "Link", Value: "<b>"}, {Name: "Location", Value: "/x"}, {Name: "Link", Value: "<a>"}}},
		"odd headers":  {Status: 201, Header: []engine.Field{{Name: "X-Empty", Value: ""}, {Name: "x-case", Value: "caf\xe9 \xff\x80"}, {Name: "X-U", Value: "가 \u2028 <&>\\\"'"}}},
	} {
		k := key(name)
		done := b.keep(b.fresh(k, bodyA, start), at(1), replies(reply))
		v := b.claim(k, bodyA, at(2))
		if !reflect.DeepEqual(done.Reply, reply) {
			b.Errorf("%s: told %+v, want %+v", name, done.Reply, reply)
		}
		if v.Outcome != engine.Replay || !reflect.DeepEqual(v.Record.Reply, reply) {
			b.Errorf("%s: replayed %.300v, want %.300v", name, v.Record.Reply, reply)
		}
	}
}

func fidelityTimes(b *bundle) {
	zone := time.FixedZone("odd", -(11*3600 + 30*60 + 7))
	for _, now := range []time.Time{
		start, start.In(zone), time.Unix(0, 0), time.Unix(0, -1), time.Unix(1<<31, 1),
		time.Date(1700, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(2200, 12, 31, 23, 59, 59, 999999999, zone),
		time.Date(2026, 6, 30, 23, 59, 59, 999999999, time.UTC), // nanoseconds are not rounded up
	} {
		k := key(now.String())
		done := b.keep(b.fresh(k, bodyA, now), now.Add(1), replies(engine.Reply{Status: 201}))
		if done.ClaimedAt != now.UTC() || done.LeaseUntil != now.Add(b.policy.Lease).UTC() || done.CompletedAt != now.Add(1).UTC() {
			b.Errorf("claimed at %v came back as %+v", now, done)
		}
		if got := b.record(k); got == nil || !reflect.DeepEqual(*got, done) {
			b.Errorf("stored %+v, told %+v", got, done)
		}
	}
	b.names.transfer("T1")
	created := time.Date(2026, 3, 2, 18, 0, 0, 1, time.FixedZone("KST", 9*3600))
	err := b.update(func(ctx context.Context, tx engine.Tx) error {
		return tx.Post(ctx, engine.Transfer{ID: "T1", Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: created})
	})
	if err != nil {
		b.Fatal(err)
	}
	b.view(func(tx engine.Tx) error {
		if t, err := tx.Transfer(context.Background(), "T1"); err != nil || t.CreatedAt != created.UTC() {
			b.Errorf("created at %v came back as %+v, %v", created, t, err)
		}
		return nil
	})
}

// fidelityValues holds on to what came out while the key goes on: nothing of it
// changes.
func fidelityValues(b *bundle) {
	claimed := b.fresh(key("k"), bodyA, start)
	inProgress := b.record(key("k"))
	taken := b.claim(key("k"), bodyA, start.Add(b.policy.Lease))
	reply := engine.Reply{Status: 201, Body: []byte("body"), Header: []engine.Field{{Name: "N", Value: "V"}}}
	done := b.keep(taken.Record, start.Add(b.policy.Lease), replies(reply))
	stored := b.record(key("k"))
	again := b.fresh(key("k"), bodyB, start.Add(b.policy.Retention))
	b.keep(again, start.Add(b.policy.Retention), replies(engine.Reply{Status: 402, Body: []byte("BODY"), Header: []engine.Field{{Name: "n", Value: "v"}}}))
	for _, held := range []struct {
		name      string
		got, want engine.Record
	}{
		{"the claim", *inProgress, claimed}, {"before the takeover", *taken.Before, claimed}, {"the completed record", *stored, done},
	} {
		if !reflect.DeepEqual(held.got, held.want) {
			b.Errorf("%s is now %+v, was %+v", held.name, held.got, held.want)
		}
	}
	if !reflect.DeepEqual(done.Reply, reply) {
		b.Errorf("the reply is now %+v, was %+v", done.Reply, reply)
	}
}

func fidelityTexts(b *bundle) {
	for _, text := range []string{"'; DROP TABLE account; --", "%s", "\\", "\n", "\u202e", "😀", "e\u0301", "NULL", "1e5", strings.Repeat("k", 5000)} {
		k := engine.ScopedKey{ClientID: text, Endpoint: text, Key: text}
		done := b.keep(b.fresh(k, bodyA, start), at(1), replies(engine.Reply{Status: 400, Reason: text}))
		if got := b.record(k); got == nil || !reflect.DeepEqual(*got, done) || got.Key != k || got.Reply.Reason != text {
			b.Errorf("%q: stored %+v", text, got)
		}
		a := engine.Account{ID: text, Holder: text, Balance: 1}
		if err := b.update(func(ctx context.Context, tx engine.Tx) error { return tx.OpenAccount(ctx, a) }); err != nil {
			b.Errorf("open account %q: %v", text, err)
		}
		b.view(func(tx engine.Tx) error {
			if got, err := tx.Account(context.Background(), text); err != nil || got == nil || *got != a {
				b.Errorf("account %q is %+v, %v", text, got, err)
			}
			return nil
		})
	}
}
