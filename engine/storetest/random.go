package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/engine"
)

// testModel sends the same random commands to the store and to the [Model] and
// insists on equal answers and equal contents after each.
func testModel(t *testing.T, f Factory) {
	rapid.Check(t, func(rt *rapid.T) {
		store := f.New(t)
		defer store.Close()
		m := &machine{T: rt, store: store, model: NewModel(), now: start, fences: map[engine.Fence]engine.Fence{}}
		m.openAccounts()
		rt.Repeat(map[string]func(*rapid.T){
			"claim":    m.claim,
			"complete": m.complete,
			"purge":    m.purge,
			"update":   m.update,
			"":         m.check,
		})
	})
}

// machine drives both. The store may number its fence tokens in its own way; a
// token means what the model's means that was given out with it.
type machine struct {
	*rapid.T
	store  engine.Store
	model  *Model
	now    time.Time
	names  names
	fences map[engine.Fence]engine.Fence // the store's to the model's
	tokens []token
	posted int
}

type token struct {
	key          engine.ScopedKey
	store, model engine.Fence
}

var modelAccounts = []engine.Account{{ID: "A", Balance: 40}, {ID: "7", Integer: true, Balance: 40}, {ID: "B", Holder: "Bo"}}

func (m *machine) openAccounts() {
	m.names.accounts = []string{"A", "7", "B", "nobody"}
	m.both("open accounts", func(s engine.Store) string {
		return answer(s.Update(context.Background(), func(tx engine.Tx) error {
			for _, a := range modelAccounts {
				if err := tx.OpenAccount(context.Background(), a); err != nil {
					return err
				}
			}
			return nil
		}))
	})
}

func answer(err error) string {
	if err != nil {
		return "error" // the wording is each store's own
	}
	return "ok"
}

func (m *machine) both(what string, call func(engine.Store) string) {
	m.Helper()
	if got, want := call(m.store), call(m.model); got != want {
		m.Fatalf("%s: the store answers\n%s\nthe model\n%s", what, got, want)
	}
}

func (m *machine) check(rt *rapid.T) {
	got, err := dumpOf(m.store, &m.names, m.named)
	if err != nil {
		rt.Fatalf("dump: %v", err)
	}
	want, _ := dumpOf(m.model, &m.names, same)
	if got != want {
		rt.Fatalf("the store holds\n%s\nthe model\n%s", got, want)
	}
}

func (m *machine) named(f engine.Fence) engine.Fence { return m.fences[f] }

// policy draws from a few, with times so short that every boundary is met.
func (m *machine) policy(rt *rapid.T) engine.Policy {
	p := engine.DefaultPolicy()
	p.Lease = 3
	p.Retention = rapid.SampledFrom([]time.Duration{8, 8, 8, engine.Forever}).Draw(rt, "retention")
	p.Stored = rapid.SampledFrom([]engine.StoredReplies{engine.StoreAll, engine.StoreNot5xx, engine.StoreSuccess}).Draw(rt, "stored")
	p.OnMismatch = rapid.SampledFrom([]engine.MismatchAnswer{422, 422, engine.MismatchReplays}).Draw(rt, "mismatch")
	p.Fingerprint = rapid.SampledFrom([]engine.FingerprintRule{engine.RuleCanonical, engine.RuleCanonical, engine.RuleRaw, engine.RuleNone}).Draw(rt, "rule")
	return p
}

func (m *machine) tick(rt *rapid.T) {
	m.now = m.now.Add(rapid.SampledFrom([]time.Duration{0, 0, 1, 1, 2, 3, 5, 8, -1}).Draw(rt, "tick"))
}

func (m *machine) claim(rt *rapid.T) {
	m.tick(rt)
	p := m.policy(rt)
	k := key(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "key"))
	m.names.key(k)
	r := engine.Request{ClientID: k.ClientID, Endpoint: k.Endpoint, Key: k.Key,
		Body: []byte(rapid.SampledFrom([]string{`{"a":1}`, `{"a":1}`, `{"a": 1.0}`, `{"a":2}`}).Draw(rt, "body"))}
	c, err := p.Claim(r, m.now)
	if err != nil {
		rt.Fatal(err)
	}
	got, err := m.store.Claim(context.Background(), c, p)
	want, wantErr := m.model.Claim(context.Background(), c, p)
	if answer(err) != answer(wantErr) {
		rt.Fatalf("claim: the store says %v, the model %v", err, wantErr)
	}
	if got.Outcome == engine.Fresh && want.Outcome == engine.Fresh {
		m.give(rt, token{k, got.Record.Fence, want.Record.Fence})
	}
	if g, w := m.verdict(got, m.named), m.verdict(want, same); g != w {
		rt.Fatalf("claim: the store decides\n%s\nthe model\n%s", g, w)
	}
}

// give notes a token that both gave out; none is given out twice.
func (m *machine) give(rt *rapid.T, t token) {
	if _, twice := m.fences[t.store]; twice || t.store == 0 {
		rt.Fatalf("fence %d was given out before", t.store)
	}
	m.fences[t.store] = t.model
	m.tokens = append(m.tokens, t)
}

func (m *machine) verdict(v engine.Verdict, named func(engine.Fence) engine.Fence) string {
	return fmt.Sprintf("%v expired=%v different=%v\n  record %s\n  before %s",
		v.Outcome, v.Expired, v.Different, recordText(&v.Record, named), recordText(v.Before, named))
}

func (m *machine) complete(rt *rapid.T) {
	if len(m.tokens) == 0 {
		rt.Skip("no token yet")
	}
	m.tick(rt)
	p := m.policy(rt)
	// Mostly a recent token, sometimes an old one.
	back := rapid.IntRange(0, min(len(m.tokens)-1, 5)).Draw(rt, "token")
	t := m.tokens[len(m.tokens)-1-back]
	effect := m.effect(rt)
	call := func(s engine.Store, fence engine.Fence, named func(engine.Fence) engine.Fence) string {
		r, settled, err := s.Complete(context.Background(), engine.Completion{Key: t.key, Fence: fence, Now: m.now}, p, effect)
		return fmt.Sprintf("%s %v %s", answer(err), settled, recordText(&r, named))
	}
	if got, want := call(m.store, t.store, m.named), call(m.model, t.model, same); got != want {
		rt.Fatalf("complete: the store answers\n%s\nthe model\n%s", got, want)
	}
}

// effect draws some writes, of which some fail, and a reply or an error.
func (m *machine) effect(rt *rapid.T) engine.Effect {
	var writes []func(context.Context, engine.Tx) error
	for range rapid.IntRange(0, 2).Draw(rt, "writes") {
		writes = append(writes, m.write(rt))
	}
	reply := engine.Reply{
		Status: rapid.SampledFrom([]int{200, 201, 402, 500}).Draw(rt, "status"),
		Body:   rapid.SampledFrom([][]byte{nil, {}, []byte("a\x00b")}).Draw(rt, "reply"),
	}
	fails := rapid.IntRange(0, 5).Draw(rt, "fails") == 0
	return func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		for _, write := range writes {
			_ = write(ctx, tx) // an effect that does not look at errors
		}
		if fails {
			return engine.Reply{}, errEffect
		}
		return reply, nil
	}
}

func (m *machine) write(rt *rapid.T) func(context.Context, engine.Tx) error {
	if rapid.Bool().Draw(rt, "document") {
		id, doc := rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "id"), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(rt, "doc")
		m.names.document("d", id)
		return func(ctx context.Context, tx engine.Tx) error { return tx.PutDocument(ctx, "d", id, doc) }
	}
	m.posted += rapid.SampledFrom([]int{1, 1, 1, 0}).Draw(rt, "new id")
	accounts := rapid.SampledFrom(m.names.accounts)
	t := engine.Transfer{
		ID: fmt.Sprint("T", m.posted), Src: accounts.Draw(rt, "src"), Dst: accounts.Draw(rt, "dst"),
		Amount: rapid.Int64Range(0, 30).Draw(rt, "amount"), Currency: "KRW", CreatedAt: m.now,
	}
	m.names.transfer(t.ID)
	return func(ctx context.Context, tx engine.Tx) error { return tx.Post(ctx, t) }
}

func (m *machine) purge(rt *rapid.T) {
	m.tick(rt)
	cutoff := m.now.Add(-rapid.SampledFrom([]time.Duration{0, 1, 3, 7, 8}).Draw(rt, "age"))
	m.both("purge", func(s engine.Store) string {
		n, err := s.Purge(context.Background(), cutoff, m.now, 100)
		return fmt.Sprint(n, answer(err))
	})
}

func (m *machine) update(rt *rapid.T) {
	m.tick(rt)
	effect := m.effect(rt)
	m.both("update", func(s engine.Store) string {
		return answer(s.Update(context.Background(), func(tx engine.Tx) error {
			_, err := effect(context.Background(), tx)
			return err
		}))
	})
}
