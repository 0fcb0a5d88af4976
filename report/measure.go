package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine/sqlitestore/sqlfile"
)

// listed is how many rows a table of the report has at most; the JSON files and
// day.db hold all of them.
const listed = 20

// facts are what the report tells beyond the counters: measured in one pass over
// the requests and their steps, side by side.
type facts struct {
	Groups     []group // the largest, up to listed
	Gaps       gaps
	Accounts   []touched // the most affected, up to listed
	AllTouched int
	Mismatches []retry // the first, up to listed
	LookAlikes lookAlikes
	// DisputedPaid is the part of the double payments whose body was not that of
	// the first request under the key.
	DisputedPaid analysis.Money
	ExpiredPaid  analysis.Money // what the engine moved again under expired keys
}

// group is a duplicated key with what the engine made of its requests.
type group struct {
	*analysis.Group
	Src, Dst string // accounts of its first extra transfer
	Retries  []retry
	More     int // retries beyond those listed
}

// retry is one request as the engine answered it.
type retry struct {
	N, Seq   int64
	Key      string
	ClientID string
	At       time.Time
	Class    replay.Class
	Status   int
	V1       analysis.Money // what the unprotected service moved for it
}

// gaps between the first transfer of a key and the second.
type gaps struct{ Shortest, Median, Longest time.Duration }

// touched is an account that duplicates debited or credited.
type touched struct {
	Account, Currency string
	Out, In           int64 // minor units
	Transfers         int64
}

// measure makes the facts of a day.
func measure(ctx context.Context, day *Day) (facts, error) {
	db, err := openDay(day.DayDB)
	if err != nil {
		return facts{}, err
	}
	defer db.Close()
	m := newMeter(day.Duplicates)
	err = eachStep(ctx, db, day.Incident, m.see)
	if err != nil {
		return facts{}, err
	}
	if err := m.looks.nameFirsts(ctx, day.Incident); err != nil {
		return facts{}, err
	}
	return m.facts(day.Duplicates), nil
}

// step is a row of the query "steps".
type step struct {
	n        int64
	class    replay.Class
	status   int
	at       time.Time // of the request's arrival, by the replay's clock
	expired  bool      // ran under a key that had expired
	moved    int64     // and what follows is "" and 0 where the engine moved nothing
	currency string
	src, dst string
}

// eachStep walks the log and the replay's journal side by side.
func eachStep(ctx context.Context, db *sqlfile.DB, in *analysis.Incident, see func(*analysis.Request, *step) error) error {
	text, err := queries.ReadFile("sql/steps.sql")
	if err != nil {
		return err
	}
	stmt, err := db.Query(ctx, string(text))
	if err != nil {
		return fmt.Errorf("read steps: %w", err)
	}
	defer stmt.Close()
	for req, err := range in.Requests(ctx, 1) {
		if err != nil {
			return fmt.Errorf("read requests: %w", err)
		}
		if !stmt.Next() {
			break
		}
		s := readStep(stmt)
		if err := agree("the position of a request", s.n, req.N); err != nil {
			return err
		}
		if err := see(&req, &s); err != nil {
			return fmt.Errorf("measure request %d: %w", req.N, err)
		}
	}
	return stmt.Err()
}

func readStep(s *sqlfile.Stmt) step {
	return step{
		n: s.Int(0), class: replay.Class(s.Int(1)), status: int(s.Int(2)), at: time.Unix(0, s.Int(3)).UTC(),
		expired: s.Int(4) == 1, moved: s.Int(5), currency: s.String(6), src: s.String(7), dst: s.String(8),
	}
}

// meter collects the facts while the day passes by.
type meter struct {
	top        []group
	place      map[analysis.Scope]int // of the listed groups in top
	extra      map[string]bool        // transfer ids of all duplicates
	accounts   map[[2]string]*touched // by account and currency
	mismatches []retry
	disputed   analysis.Money
	expired    analysis.Money
	looks      lookAlikes
}

func newMeter(d *analysis.Duplicates) *meter {
	m := &meter{
		top: largest(d), place: map[analysis.Scope]int{},
		extra: make(map[string]bool, d.ExtraTransfers), accounts: map[[2]string]*touched{},
	}
	for i := range m.top {
		m.place[m.top[i].Scope] = i
	}
	for i := range d.Groups {
		for _, id := range d.Groups[i].Extra {
			m.extra[id] = true
		}
	}
	return m
}

// largest are the groups that cost most: by money where there is one currency,
// by extra transfers where amounts cannot be compared.
func largest(d *analysis.Duplicates) []group {
	_, currency, comparable := d.DoublePaid.Single()
	order := make([]*analysis.Group, len(d.Groups))
	for i := range d.Groups {
		order[i] = &d.Groups[i]
	}
	slices.SortStableFunc(order, func(a, b *analysis.Group) int {
		if comparable {
			return cmp.Compare(b.Paid.Of(currency), a.Paid.Of(currency))
		}
		return cmp.Compare(len(b.Extra), len(a.Extra))
	})
	top := make([]group, min(listed, len(order)))
	for i := range top {
		top[i].Group = order[i]
	}
	return top
}

// see takes in one request and what became of it.
func (m *meter) see(req *analysis.Request, s *step) error {
	if err := m.seeExtras(req, s); err != nil {
		return err
	}
	if i, ok := m.place[analysis.Scope{ClientID: req.ClientID, Endpoint: req.Endpoint, Key: req.Key}]; ok && !req.Keyless() {
		if err := m.top[i].add(req, s); err != nil {
			return err
		}
	}
	if s.class == replay.Mismatch && len(m.mismatches) < listed {
		r, err := retryOf(req, s)
		if err != nil {
			return err
		}
		m.mismatches = append(m.mismatches, r)
	}
	if s.class != replay.Created {
		return nil
	}
	if s.expired {
		if err := m.expired.Add(s.currency, s.moved); err != nil {
			return err
		}
	}
	return m.looks.see(req, s)
}

// seeExtras books the duplicates of a request to their accounts.
func (m *meter) seeExtras(req *analysis.Request, s *step) error {
	for _, t := range req.Transfers {
		if req.Keyless() || !m.extra[t.ID] {
			continue
		}
		out, in := m.account(t.Src, t.Currency), m.account(t.Dst, t.Currency)
		var err error
		if out.Out, err = sum(out.Out, t.Amount); err != nil {
			return err
		}
		if in.In, err = sum(in.In, t.Amount); err != nil {
			return err
		}
		out.Transfers++
		if in != out {
			in.Transfers++
		}
		if s.class == replay.Mismatch {
			if err := m.disputed.Add(t.Currency, t.Amount); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *meter) account(id, currency string) *touched {
	key := [2]string{id, currency}
	t := m.accounts[key]
	if t == nil {
		t = &touched{Account: id, Currency: currency}
		m.accounts[key] = t
	}
	return t
}

// retriesListed is how many requests of one key are told apart.
const retriesListed = 8

func (g *group) add(req *analysis.Request, s *step) error {
	for _, t := range req.Transfers {
		if g.Src == "" && g.Dst == "" && len(g.Extra) > 0 && t.ID == g.Extra[0] {
			g.Src, g.Dst = t.Src, t.Dst
		}
	}
	if len(g.Retries) == retriesListed {
		g.More++
		return nil
	}
	r, err := retryOf(req, s)
	g.Retries = append(g.Retries, r)
	return err
}

func retryOf(req *analysis.Request, s *step) (retry, error) {
	r := retry{
		N: req.N, Seq: req.Seq, Key: req.Key, ClientID: req.ClientID,
		At: s.at, Class: s.class, Status: s.status,
	}
	for _, t := range req.Transfers {
		if err := r.V1.Add(t.Currency, t.Amount); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (m *meter) facts(d *analysis.Duplicates) facts {
	f := facts{
		Groups: m.top, Gaps: gapsOf(d), AllTouched: len(m.accounts),
		Mismatches: m.mismatches, LookAlikes: m.looks, DisputedPaid: m.disputed, ExpiredPaid: m.expired,
	}
	for _, t := range m.accounts {
		f.Accounts = append(f.Accounts, *t)
	}
	slices.SortFunc(f.Accounts, func(a, b touched) int {
		return cmp.Or(
			cmp.Compare(b.Transfers, a.Transfers), cmp.Compare(b.Out, a.Out),
			cmp.Compare(a.Account, b.Account), cmp.Compare(a.Currency, b.Currency),
		)
	})
	f.Accounts = f.Accounts[:min(listed, len(f.Accounts))]
	return f
}

func gapsOf(d *analysis.Duplicates) gaps {
	if len(d.Groups) == 0 {
		return gaps{}
	}
	all := make([]time.Duration, len(d.Groups))
	for i := range d.Groups {
		all[i] = d.Groups[i].Gap
	}
	slices.Sort(all)
	return gaps{all[0], all[(len(all)-1)/2], all[len(all)-1]}
}

// Debited is what left the account once too often.
func (t touched) Debited() amount { return amount{t.Out, t.Currency} }

// Credited is what came into it once too often.
func (t touched) Credited() amount { return amount{t.In, t.Currency} }
