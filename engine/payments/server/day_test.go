package server

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/memstore"
	"idem/engine/payments"
	"idem/fixtures/dayfile"

	_ "modernc.org/sqlite" // to read the day
)

// sent is a row of the day's log.
type sent struct {
	at                          time.Time
	client, endpoint, key, body string
}

// labDay is the lab's day: its accounts and its log.
func labDay(t *testing.T) (accounts []engine.Account, log []sent) {
	t.Helper()
	path := dayfile.Lab(t)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	each(t, db, "SELECT acct_id, holder, balance FROM account", func(scan func(...any) error) error {
		var a engine.Account
		err := scan(&a.ID, &a.Holder, &a.Balance)
		accounts = append(accounts, a)
		return err
	})
	each(t, db, "SELECT received_at, client_id, endpoint, idem_key, body FROM req_log ORDER BY seq", func(scan func(...any) error) error {
		var s sent
		var at string
		if err := scan(&at, &s.client, &s.endpoint, &s.key, &s.body); err != nil {
			return err
		}
		s.at, err = time.Parse(time.RFC3339Nano, at)
		log = append(log, s)
		return err
	})
	return accounts, log
}

func each(t *testing.T, db *sql.DB, query string, row func(scan func(...any) error) error) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

type counts struct{ created, replayed, rejected int }

func (c *counts) add(status int, replay bool) {
	switch {
	case replay:
		c.replayed++
	case status == 201:
		c.created++
	case status == 409 || status == 422:
		c.rejected++
	}
}

// serial sends the day through the engine alone, one request after the other.
func serial(t *testing.T, p engine.Policy, accounts []engine.Account, log []sent) (c counts) {
	t.Helper()
	store := memstore.New()
	if _, err := payments.OpenAccounts(t.Context(), store, accounts); err != nil {
		t.Fatal(err)
	}
	for i, s := range log {
		claim, err := p.Claim(engine.Request{ClientID: s.client, Endpoint: s.endpoint, Key: s.key, Body: []byte(s.body)}, s.at)
		if err != nil {
			t.Fatal(err)
		}
		v, err := store.Claim(t.Context(), claim, p)
		if err != nil {
			t.Fatal(err)
		}
		if v.Outcome != engine.Fresh {
			a := v.Answer(p)
			c.add(a.Status, a.Replay)
			continue
		}
		done := engine.Completion{Key: claim.Key, Fence: v.Record.Fence, Now: s.at}
		rec, _, err := store.Complete(t.Context(), done, p, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			order, refused, err := engine.ParseOrder([]byte(s.body))
			if err != nil || refused != nil {
				return engine.Reply{}, fmt.Errorf("row %d: %v, %v", i, refused, err)
			}
			return engine.Pay(ctx, tx, order, fmt.Sprint("T", i), s.at)
		})
		if err != nil {
			t.Fatal(err)
		}
		c.add(rec.Reply.Status, false)
	}
	return c
}

func (l *live) sendDay(now *time.Time, log []sent) (c counts) {
	for _, s := range log {
		*now = s.at
		got := l.do("POST", s.endpoint, s.client, s.key, s.body)
		c.add(got.status, got.header.Get("Idempotent-Replayed") == "true")
	}
	return c
}

func TestDayUnderTheWorkbenchPolicy(t *testing.T) {
	accounts, log := labDay(t)
	var now time.Time
	l := start(t, Config{Policy: engine.DefaultPolicy(), Accounts: accounts, Now: func() time.Time { return now }})
	got, want := l.sendDay(&now, log), serial(t, engine.DefaultPolicy(), accounts, log)
	if got != want {
		t.Errorf("served %+v, engine alone %+v", got, want)
	}
	if got.created != 100 || got.created+got.replayed+got.rejected != len(log) || got.replayed == 0 || got.rejected < 2 {
		t.Errorf("of %d requests: %+v", len(log), got)
	}
}

// The API's own policy compares bytes: a retry that was written anew is refused.
func TestDayUnderTheDefaultPolicy(t *testing.T) {
	accounts, log := labDay(t)
	var now time.Time
	l := start(t, Config{Accounts: accounts, Now: func() time.Time { return now }})
	got := l.sendDay(&now, log)
	first := map[string]string{}
	want := counts{}
	for _, s := range log {
		body, retry := first[s.client+" "+s.key]
		switch {
		case !retry:
			want.created++
			first[s.client+" "+s.key] = s.body
		case body == s.body:
			want.replayed++
		default:
			want.rejected++
		}
	}
	if got != want {
		t.Errorf("served %+v, want %+v", got, want)
	}
	canonical := serial(t, engine.DefaultPolicy(), accounts, log)
	if got.rejected <= canonical.rejected {
		t.Errorf("no retry was written anew: %+v and %+v", got, canonical)
	}
}

func TestRecordOfADay(t *testing.T) {
	accounts, log := labDay(t)
	path := filepath.Join(t.TempDir(), "record.db")
	var now time.Time
	l := start(t, Config{Policy: engine.DefaultPolicy(), Accounts: accounts, Record: path, Now: func() time.Time { return now }})
	c := l.sendDay(&now, log)
	l.do("POST", "/v1/transfers", "", "k", "{}")         // belongs to nobody
	l.do("GET", "/v1/transfers", log[0].client, "k", "") // takes no key
	l.end()

	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	i := 0
	each(t, db, "SELECT received_at, client_id, endpoint, idem_key, body FROM req_log ORDER BY seq", func(scan func(...any) error) error {
		var s sent
		var at string
		err := scan(&at, &s.client, &s.endpoint, &s.key, &s.body)
		if i >= len(log) || s.endpoint != log[i].endpoint || s.key != log[i].key || s.body != log[i].body || at != engine.FormatInstant(log[i].at) {
			t.Errorf("row %d: %+v", i, s)
		}
		i++
		return err
	})
	if i != len(log) {
		t.Errorf("%d rows, want %d", i, len(log))
	}
	for query, want := range map[string]int{
		"SELECT count(*) FROM account":     len(accounts),
		"SELECT count(*) FROM transfer_v1": c.created,
		"SELECT count(*) FROM transfer_v1 t JOIN req_log r USING (seq) WHERE r.outcome = 'executed' AND t.idem_key = r.idem_key":           c.created,
		"SELECT count(*) FROM req_log WHERE outcome = 'replayed'":                                                                          c.replayed,
		"SELECT count(*) FROM req_log WHERE client_id IN (SELECT client_id FROM req_log GROUP BY client_id HAVING length(client_id) = 64)": len(log),
	} {
		each(t, db, query, func(scan func(...any) error) error {
			var got int
			err := scan(&got)
			if got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
			return err
		})
	}
}
