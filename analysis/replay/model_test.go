package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/engine"
)

// model replays a day the slow, obvious way: everything in memory, the rules as
// the sentences say them, no shared code with the replay but the day itself.
type model struct {
	retention time.Duration
	balances  map[string]int64
	keys      map[string]*held
	due       []*job
	now       time.Time
	classes   []string
	moved     int64
}

type held struct {
	body string
	at   time.Time
	done bool
}

type job struct {
	due    time.Time
	n      int
	amount int64
	src    string
	dst    string
	logged bool
	key    string
	held   *held
}

// modelBody is what the generated bodies hold.
type modelBody struct {
	Src, Dst string
	Amount   int64
}

func (m *model) play(d *day) {
	m.classes = make([]string, len(d.requests))
	v1 := map[int64]int{}
	for _, t := range d.transfers {
		if seq, ok := t.seq.(int64); ok {
			v1[seq]++
		}
	}
	for n, r := range d.requests {
		if at, err := time.Parse(time.RFC3339Nano, r.at); err == nil && at.After(m.now) {
			m.now = at
		}
		m.finish(m.now)
		m.classes[n] = m.arrive(n, r, v1[r.seq])
	}
	m.finish(m.now.Add(1000 * time.Hour))
}

func (m *model) arrive(n int, r reqRow, v1 int) string {
	var b modelBody
	if key, _ := r.key.(string); key == "" {
		return "refused"
	}
	if json.Unmarshal([]byte(r.body), &b) != nil {
		return "refused"
	}
	key := r.client + "|" + r.key.(string)
	canonical := fmt.Sprint(b)
	if h := m.keys[key]; h != nil && m.now.Before(h.at.Add(m.retention)) {
		switch {
		case h.body != canonical:
			return "422 mismatch"
		case !h.done:
			return "409 in flight"
		}
		return "replayed"
	}
	h := &held{body: canonical, at: m.now}
	m.keys[key] = h
	status, _ := r.status.(int)
	m.due = append(m.due, &job{due: m.now.Add(time.Duration(r.durationMS.(int)) * time.Millisecond), n: n,
		amount: b.Amount, src: b.Src, dst: b.Dst, logged: v1 == 0 && status >= 400, key: key, held: h})
	return "?"
}

func (m *model) finish(until time.Time) {
	for {
		sort.SliceStable(m.due, func(i, j int) bool {
			if !m.due[i].due.Equal(m.due[j].due) {
				return m.due[i].due.Before(m.due[j].due)
			}
			return m.due[i].n < m.due[j].n
		})
		if len(m.due) == 0 || m.due[0].due.After(until) {
			return
		}
		j := m.due[0]
		m.due = m.due[1:]
		m.end(j)
	}
}

func (m *model) end(j *job) {
	m.classes[j.n] = "refused"
	if m.keys[j.key] != j.held {
		return // the key has a new life
	}
	j.held.done = true
	_, src := m.balances[j.src]
	_, dst := m.balances[j.dst]
	if j.logged || j.amount <= 0 || j.src == j.dst || !src || !dst || m.balances[j.src] < j.amount {
		return
	}
	m.balances[j.src] -= j.amount
	m.balances[j.dst] += j.amount
	m.moved += j.amount
	m.classes[j.n] = "created"
}

// anyDay draws a day in which everything overlaps with everything.
func anyDay(t *rapid.T) *day {
	d := &day{accounts: map[string]int64{"a": 300, "b": 200, "c": 0}}
	at := time.Duration(0)
	for i := range rapid.IntRange(0, 40).Draw(t, "requests") {
		at += time.Duration(rapid.SampledFrom([]int{-2, 0, 0, 1, 1, 5, 3600, 90000}).Draw(t, "gap")) * time.Second
		var key any = rapid.SampledFrom([]string{"k1", "k2", "k3", "k4", ""}).Draw(t, "key")
		body := payment(rapid.SampledFrom([]string{"a", "b", "z"}).Draw(t, "src"), rapid.SampledFrom([]string{"b", "c"}).Draw(t, "dst"),
			rapid.SampledFrom([]int64{-1, 0, 10, 10, 10, 150}).Draw(t, "amount"))
		if rapid.IntRange(0, 15).Draw(t, "broken") == 0 {
			body = "{"
		}
		r := d.ask(at, key, body, rapid.SampledFrom([]int{0, 0, 500, 1000, 4000, 40_000}).Draw(t, "duration"))
		r.client = rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "client")
		r.status = rapid.SampledFrom([]any{nil, 201, 503}).Draw(t, "status")
		for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "v1") {
			d.moved(int64(i+1), rapid.SampledFrom([]int64{10, 150}).Draw(t, "v1 amount"))
		}
	}
	if rapid.Bool().Draw(t, "unmatched") {
		d.moved(int64(1000), 3)
	}
	return d
}

// The replay agrees with the model, its counters at every position are the sums
// of what was seen there, and what Result checks holds on any day.
func TestAnyDayAgreesWithTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := anyDay(rt)
		policy := engine.DefaultPolicy()
		policy.Retention = rapid.SampledFrom([]time.Duration{time.Minute, 24 * time.Hour}).Draw(rt, "retention")
		m := &model{retention: policy.Retention, balances: map[string]int64{"a": 300, "b": 200, "c": 0}, keys: map[string]*held{}}
		m.play(d)
		p := d.play(t, policy)
		seen := p.stepThrough(rt)
		r := p.through(t)
		var classes []string
		for _, c := range p.classes(t) {
			if len(c) > 7 && c[:7] == "refused" {
				c = "refused"
			}
			classes = append(classes, c)
		}
		if !slices.Equal(classes, m.classes) && len(m.classes) > 0 {
			rt.Fatalf("classes\n%q, the model says\n%q", classes, m.classes)
		}
		if r.Transferred.Of("KRW") != m.moved {
			rt.Fatalf("transferred %d, the model says %d", r.Transferred.Of("KRW"), m.moved)
		}
		p.compareBalances(rt, m.balances)
		p.lookBack(rt, seen)
	})
}

// stepThrough goes on to the end and notes the counters after each step.
func (p *Player) stepThrough(t *rapid.T) (seen []string) {
	for {
		if _, err := p.Next(context.Background()); err != nil {
			return seen
		}
		text := p.course.sums.encode()
		seen = append(seen, text)
	}
}

// lookBack seeks every position and compares.
func (p *Player) lookBack(t *rapid.T, seen []string) {
	ctx := context.Background()
	for n := range int64(len(seen)) {
		c, err := p.Counters(ctx, n+1)
		if err != nil {
			t.Fatal(err)
		}
		if text := c.encode(); text != seen[n] {
			t.Fatalf("counters at %d are\n%s, were\n%s", n+1, text, seen[n])
		}
		steps, err := p.Steps(ctx, 1, n+1, 1000)
		if err != nil || int64(len(steps)) != n+1 {
			t.Fatalf("%d steps seen from %d (%v)", len(steps), n+1, err)
		}
		var tally Tally
		for _, s := range steps {
			*tally.numbers()[[...]int{6, 1, 2, 3, 4, 5}[s.Class]]++
		}
		if tally.Created != c.Created || tally.Running != c.Running || tally.Refused != c.Refused || tally.Replayed != c.Replayed || tally.InFlight != c.InFlight || tally.Mismatch != c.Mismatch {
			t.Fatalf("steps seen from %d are %+v, counters %+v", n+1, tally, c.Tally)
		}
		if _, err := p.Detail(ctx, n+1); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *Player) compareBalances(t *rapid.T, want map[string]int64) {
	err := p.store.View(context.Background(), func(tx engine.Tx) error {
		for id, balance := range want {
			a, err := tx.Account(context.Background(), id)
			if err != nil {
				return err
			}
			if a.Balance != balance || p.course.books.of(id).Engine != balance {
				t.Fatalf("account %s has %d (books %d), the model says %d", id, a.Balance, p.course.books.of(id).Engine, balance)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
