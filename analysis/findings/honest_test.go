package findings_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/fixtures"
	"idem/fixtures/dayfile"
)

// honestDay makes a day on which nobody pays twice, full of payments that look
// as if: subscriptions, equal coffees, salaries, orders paid in parts, retries
// that were recognised, errors that moved nothing.
func honestDay(seed uint64, payments int) *scene {
	d := &honest{r: rand.New(rand.NewPCG(seed, 7)), n: payments}
	kinds := []struct {
		share int
		add   func()
	}{{20, d.coffees}, {5, d.tickets}, {20, d.subscription}, {15, d.parts}, {15, d.single}, {10, d.recognised}, {5, d.failedFirst}, {5, d.kiosk}, {5, d.errorThenNewKey}}
	d.salaries()
	for len(d.planned) < payments {
		roll := d.r.IntN(100)
		for _, k := range kinds {
			if roll -= k.share; roll < 0 {
				k.add()
				break
			}
		}
	}
	slices.SortStableFunc(d.planned, func(a, b plan) int { return cmp.Compare(a.at, b.at) })
	s := &scene{}
	for _, p := range d.planned {
		p.sent.at = moment("00:00:00").Add(p.at).Format("2006-01-02T15:04:05.999999999")
		p.sent.body = asks(p.src, p.dst, p.amount, p.more)
		r := s.send(p.sent)
		if p.moves {
			s.move(r, p.src, p.dst, p.amount)
		}
	}
	return s
}

type honest struct {
	r       *rand.Rand
	n       int
	planned []plan
}

// plan is a request before it has a place in the day.
type plan struct {
	at       time.Duration
	sent     sent
	src, dst string
	amount   int64
	more     string
	moves    bool
}

func (d *honest) key() string { return fmt.Sprintf("%016x%016x", d.r.Uint64(), d.r.Uint64()) }

func (d *honest) add(p plan) {
	p.sent.ms = 40 + d.r.IntN(400)
	p.sent.node = fmt.Sprint("n", d.r.IntN(3))
	d.planned = append(d.planned, p)
}

func (d *honest) someTime(most time.Duration) time.Duration {
	return time.Duration(d.r.Int64N(int64(most)))
}

// coffees: one person, one bar, one price, two or three times.
func (d *honest) coffees() {
	at, who, bar := d.someTime(20*time.Hour), fmt.Sprint("person-", d.r.IntN(d.n)), fmt.Sprint("bar-", d.r.IntN(200))
	price := []int64{350, 450, 500}[d.r.IntN(3)]
	for range 2 + d.r.IntN(2) {
		d.add(plan{at: at, sent: sent{client: "wallet", key: d.key()}, src: who, dst: bar, amount: price, more: `"ref":"coffee"`, moves: true})
		at += 20*time.Second + d.someTime(3*time.Hour)
	}
}

// subscription: the same amount at a fixed distance, under one reference.
func (d *honest) subscription() {
	at, id := d.someTime(6*time.Hour), len(d.planned)
	every := []time.Duration{time.Hour, 6 * time.Hour, 12 * time.Hour}[d.r.IntN(3)]
	for i := range 2 {
		d.add(plan{at: at + time.Duration(i)*every, sent: sent{client: "billing", endpoint: "/v1/charges", key: fmt.Sprintf("sub-%d-%d", id, i)},
			src: fmt.Sprint("member-", id), dst: "studio", amount: 999, more: fmt.Sprintf(`"ref":"sub-%d"`, id), moves: true})
	}
}

// parts: an order in two halves of one person, or of two, or of a card and a
// voucher.
func (d *honest) parts() {
	at, id := d.someTime(23*time.Hour), len(d.planned)
	second := fmt.Sprint("card-", id)
	if d.r.IntN(2) == 0 {
		second = fmt.Sprint("voucher-", id)
	}
	half := 1000 + d.r.Int64N(5000)
	for i, src := range []string{fmt.Sprint("card-", id), second} {
		d.add(plan{at: at + time.Duration(i)*(time.Second+d.someTime(20*time.Second)), sent: sent{client: "shop", key: d.key()},
			src: src, dst: "shop", amount: half, more: fmt.Sprintf(`"ref":"order-%d"`, id), moves: true})
	}
}

func (d *honest) single() {
	d.add(plan{at: d.someTime(23 * time.Hour), sent: sent{client: fmt.Sprint("merchant-", d.r.IntN(40)), key: d.key()}, src: fmt.Sprint("p", d.r.IntN(5000)),
		dst: fmt.Sprint("m", d.r.IntN(50)), amount: 100 * (1 + d.r.Int64N(50)), more: fmt.Sprintf(`"ref":"o-%d"`, d.r.IntN(1<<40)), moves: true})
}

// recognised: the retry got the stored answer.
func (d *honest) recognised() {
	p := plan{at: d.someTime(23 * time.Hour), sent: sent{client: "shop", key: d.key()}, src: fmt.Sprint("p", d.r.IntN(5000)), dst: "shop",
		amount: 100 + d.r.Int64N(9000), moves: true}
	d.add(p)
	p.at, p.moves = p.at+time.Second+d.someTime(time.Minute), false
	d.add(p)
}

// failedFirst: the first send moved nothing and said so.
func (d *honest) failedFirst() {
	p := plan{at: d.someTime(23 * time.Hour), sent: sent{client: "shop", key: d.key(), status: 503}, src: fmt.Sprint("p", d.r.IntN(5000)), dst: "shop",
		amount: 100 + d.r.Int64N(9000), more: fmt.Sprintf(`"ref":"o-%d"`, d.r.IntN(1<<40))}
	d.add(p)
	p.at, p.moves, p.sent.status = p.at+time.Second+d.someTime(time.Minute), true, 201
	d.add(p)
}

// errorThenNewKey: a stored error, and another key that paid.
func (d *honest) errorThenNewKey() {
	d.failedFirst()
	last := &d.planned[len(d.planned)-1]
	last.sent.key = d.key()
}

// kiosk: no keys at all, the same ticket for the same card now and then.
func (d *honest) kiosk() {
	at, card := d.someTime(20*time.Hour), fmt.Sprint("card-", d.r.IntN(d.n))
	for range 2 {
		d.add(plan{at: at, sent: sent{client: "kiosk", endpoint: "/tickets"}, src: card, dst: "transit", amount: 280, more: `"ref":"single fare"`, moves: true})
		at += 10*time.Second + d.someTime(8*time.Hour)
	}
}

// tickets: several at once for one card, each with a key of its own.
func (d *honest) tickets() {
	at, card := d.someTime(23*time.Hour), fmt.Sprint("card-", d.r.IntN(d.n))
	for range 2 + d.r.IntN(3) {
		d.add(plan{at: at, sent: sent{client: "cinema", key: d.key()}, src: card, dst: "cinema", amount: 1200, moves: true})
		at += d.someTime(1500 * time.Millisecond)
	}
}

// salaries: each of several firms pays all its people in one run, in few grades,
// and a bonus to all of them in the afternoon.
func (d *honest) salaries() {
	for firm := range 4 {
		at := 8*time.Hour + d.someTime(time.Hour)
		for i := range d.n / 50 {
			grade := 200_000 + 50_000*d.r.Int64N(4)
			for run, amount := range []int64{grade, grade / 4} {
				d.add(plan{at: at + time.Duration(i)*50*time.Millisecond + time.Duration(run)*(6*time.Hour+13*time.Minute),
					sent: sent{client: fmt.Sprint("payroll-", firm), endpoint: "/v1/payouts", key: fmt.Sprintf("pay-%d-%d-%d", firm, run, i)},
					src:  fmt.Sprint("firm-", firm), dst: fmt.Sprintf("employee-%d-%d", firm, i), amount: amount, more: fmt.Sprintf(`"ref":"salary 2026-03 %d"`, run), moves: true})
			}
		}
	}
}

// On a day of honest repeats nothing is certain or in dispute, and hardly
// anything is suspected.
func TestHonestDay(t *testing.T) {
	payments, seeds := 100_000, []uint64{1, 2}
	if testing.Short() {
		payments, seeds = 5_000, seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := honestDay(seed, payments)
			r := find(t, s.open(t), analysis.Filter{})
			accused := map[string]int64{}
			for i := range r.Findings {
				if f := &r.Findings[i]; f.Accuses() {
					accused[fmt.Sprint(f.Class, " ", f.Confidence)] += int64(len(f.Extra) + len(f.Disputed))
				}
			}
			t.Logf("%d payments, accused: %v", len(s.transfers), accused)
			if n := r.Totals.Certain.Transfers + r.Totals.Disputed.Transfers; n > 0 {
				t.Errorf("%d honest payments are certainly false: %v", n, accused)
			}
			if n := r.Totals.Suspected.Transfers + r.Totals.Probable.Transfers; 1000*n >= int64(len(s.transfers)) {
				t.Errorf("%d of %d honest payments are suspected: %v", n, len(s.transfers), accused)
			}
		})
	}
}

// What the keys prove, findings say, too: the extra transfers of the duplicates
// are extra, or in dispute with the first one.
func TestFindingsAgreeWithDuplicates(t *testing.T) {
	for seed := range uint64(4) {
		o := fixtures.Options{Seed: seed, Requests: 2000, Keys: 1500, Accounts: 40}
		path := dayfile.Of(t, o)
		in := opened(t, path)
		dup, err := in.Duplicates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for i, r := 0, find(t, in, analysis.Filter{}); i < len(r.Findings); i++ {
			for _, list := range [][]findings.Transfer{r.Findings[i].Extra, r.Findings[i].Disputed} {
				for k := range list {
					if told[list[k].ID] {
						t.Errorf("seed %d: %s is in two findings", seed, list[k].ID)
					}
					told[list[k].ID] = true
				}
			}
		}
		for _, g := range dup.Groups {
			for _, id := range g.Extra {
				if !told[id] {
					t.Errorf("seed %d: extra transfer %s is in no finding", seed, id)
				}
				delete(told, id)
			}
			delete(told, g.Kept) // where it is in dispute
		}
		if len(told) > 0 {
			t.Errorf("seed %d: findings accuse %v, which no key does", seed, told)
		}
	}
}

// Days that are all of one kind take no longer than their length: one payment a
// hundred thousand times, under keys of its own or under one.
func TestOneKindOfDay(t *testing.T) {
	const n = 30_000
	for name, key := range map[string]func(int) string{
		"honest":  func(i int) string { return fmt.Sprint("k", i) },
		"one key": func(int) string { return "checkout" },
	} {
		s := &scene{}
		for i := range n {
			at := moment("00:00:00").Add(time.Duration(i) * 2 * time.Second).Format("2006-01-02T15:04:05")
			amount := int64(5)
			if name == "one key" {
				amount = int64(i + 1)
			}
			s.pay(sent{at: at, key: key(i)}, "a", "b", amount, "")
		}
		in := s.open(t)
		start := time.Now()
		r := find(t, in, analysis.Filter{})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if len(r.Findings) != 1 || name == "honest" && r.Findings[0].Accuses() || name != "honest" && len(r.Findings[0].Disputed) != n {
			t.Errorf("%s: %d findings, %+v", name, len(r.Findings), r.Totals)
		}
	}
}
