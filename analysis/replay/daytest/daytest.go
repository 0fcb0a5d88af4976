// Package daytest makes days in memory, for the tests of what replays them.
package daytest

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"idem/analysis"
)

// Day is a day under construction; it is a replay.Source.
type Day struct {
	Balances map[string]int64
	Sent     []analysis.Request
}

// Start is when the days of this package begin.
var Start = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

// New is a day whose accounts a and b have much money, and c has none.
func New() *Day {
	return &Day{Balances: map[string]int64{"a": 1_000_000, "b": 1_000_000, "c": 0}}
}

// Order is the body of a payment in won.
func Order(src, dst string, amount int64) string {
	return fmt.Sprintf(`{"src":%q,"dst":%q,"amount":%d,"currency":"KRW"}`, src, dst, amount)
}

// Ask adds a request of client c that moved nothing.
func (d *Day) Ask(after time.Duration, key, body string, runs time.Duration) *analysis.Request {
	n := int64(len(d.Sent) + 1)
	d.Sent = append(d.Sent, analysis.Request{N: n, Seq: n, ReceivedAt: Start.Add(after),
		ClientID: "c", Endpoint: "/v1/transfers", Key: key, Body: []byte(body), Duration: runs, HasDur: true})
	return &d.Sent[n-1]
}

// Pay adds a request that the unprotected service paid from a to b.
func (d *Day) Pay(after time.Duration, key string, amount int64, runs time.Duration) *analysis.Request {
	r := d.Ask(after, key, Order("a", "b", amount), runs)
	Moved(r, amount)
	return r
}

// Moved adds a transfer that the unprotected service made for r.
func Moved(r *analysis.Request, amount int64) {
	id := fmt.Sprintf("V%d-%d", r.Seq, len(r.Transfers))
	r.Transfers = append(r.Transfers, analysis.TransferV1{ID: id, Seq: r.Seq, HasSeq: true, Key: r.Key,
		Src: "a", Dst: "b", Amount: amount, Currency: "KRW", CreatedAt: r.ReceivedAt})
}

// RequestCount is replay.Source's.
func (d *Day) RequestCount(context.Context) (int64, error) { return int64(len(d.Sent)), nil }

// Requests is replay.Source's. As an incident does, it reuses the body's memory.
func (d *Day) Requests(ctx context.Context, from int64) iter.Seq2[analysis.Request, error] {
	return func(yield func(analysis.Request, error) bool) {
		var body []byte
		for _, r := range d.Sent[from-1:] {
			if err := ctx.Err(); err != nil {
				yield(analysis.Request{}, err)
				return
			}
			body = append(body[:0], r.Body...)
			r.Body = body
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Accounts is replay.Source's.
func (d *Day) Accounts(context.Context) ([]analysis.Account, error) {
	var list []analysis.Account
	for _, id := range slices.Sorted(maps.Keys(d.Balances)) {
		list = append(list, analysis.Account{ID: id, Balance: d.Balances[id]})
	}
	return list, nil
}

// Any draws a day in which everything overlaps with everything: retries of two
// clients under few keys, other bodies, other spellings of a body, rows without a
// key, broken ones, clocks that go back, errors in the log.
func Any(t *rapid.T) *Day {
	d := &Day{Balances: map[string]int64{"a": 300, "b": 200, "c": 0}}
	at := time.Duration(0)
	for range rapid.IntRange(0, 30).Draw(t, "requests") {
		at += rapid.SampledFrom([]time.Duration{-2, 0, 0, 1, 1, 5, 40, 3600, 90000}).Draw(t, "gap") * time.Second
		d.draw(t, at)
	}
	return d
}

func (d *Day) draw(t *rapid.T, at time.Duration) {
	key := rapid.SampledFrom([]string{"k1", "k1", "k2", "k3", ""}).Draw(t, "key")
	body := Order(rapid.SampledFrom([]string{"a", "b", "z"}).Draw(t, "src"), rapid.SampledFrom([]string{"b", "c"}).Draw(t, "dst"),
		rapid.SampledFrom([]int64{-1, 10, 10, 10, 150}).Draw(t, "amount"))
	switch rapid.IntRange(0, 9).Draw(t, "spelling") {
	case 0:
		body = "{"
	case 1, 2, 3:
		body = string(bytes.ReplaceAll([]byte(body), []byte(","), []byte(" , ")))
	}
	runs := rapid.SampledFrom([]time.Duration{0, 0, 500, 1000, 4000, 40_000}).Draw(t, "duration") * time.Millisecond
	r := d.Ask(at, key, body, runs)
	r.ClientID = rapid.SampledFrom([]string{"c1", "c1", "c2"}).Draw(t, "client")
	r.Status = rapid.SampledFrom([]int{0, 201, 402, 503}).Draw(t, "status")
	if rapid.IntRange(0, 19).Draw(t, "clock") == 0 {
		r.ReceivedAt = time.Time{}
	}
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "v1") {
		Moved(r, rapid.SampledFrom([]int64{10, 150}).Draw(t, "v1 amount"))
	}
}
