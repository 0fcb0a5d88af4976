package findings_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"idem/analysis"
	"idem/engine/sqlitestore/sqlfile"
)

// scene is a made incident: requests and what they moved.
type scene struct {
	requests  []sent
	transfers []moved
}

// sent is a row of req_log. Zero values are what most rows have.
type sent struct {
	at                    string // of the day, or with its date
	ms                    int    // duration
	client, endpoint, key string
	body                  string
	status                int
	node                  string
	attempts              int
	seq                   int // given by scene.send
}

// moved is a row of transfer_v1.
type moved struct {
	seq      int // of its request, 0: none
	at       time.Time
	src, dst string
	amount   int64
	currency string
	key      string
	id       string // "T" and its place in the scene, unless it is given
}

func moment(text string) time.Time {
	if !strings.Contains(text, "T") {
		text = "2026-03-10T" + text
	}
	t, err := time.Parse(time.RFC3339Nano, text+"Z")
	if err != nil {
		panic(err)
	}
	return t
}

// send logs a request.
func (s *scene) send(r sent) sent {
	r.seq = len(s.requests) + 1
	for _, d := range []struct {
		field *string
		value string
	}{{&r.client, "shop"}, {&r.endpoint, "/v1/payments"}, {&r.node, "n1"}} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if r.status == 0 {
		r.status = 201
	}
	if r.ms == 0 {
		r.ms = 200
	}
	s.requests = append(s.requests, r)
	return r
}

// pay logs a request and the transfer that it asks for.
func (s *scene) pay(r sent, src, dst string, amount int64, more string) sent {
	r.body = asks(src, dst, amount, more)
	r = s.send(r)
	s.move(r, src, dst, amount)
	return r
}

// move books a transfer half way through its request.
func (s *scene) move(r sent, src, dst string, amount int64) {
	s.transfers = append(s.transfers, moved{r.seq, moment(r.at).Add(time.Duration(r.ms) * time.Millisecond / 2), src, dst, amount, "USD", r.key, ""})
}

// asks is a body; more holds further members, as in `"ref":"o-1"`.
func asks(src, dst string, amount int64, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"src":%q,"dst":%q,"amount":%d,"currency":"USD"%s}`, src, dst, amount, more)
}

const sceneTables = `
CREATE TABLE account (acct_id TEXT, holder TEXT, balance INTEGER);
CREATE TABLE req_log (seq INTEGER PRIMARY KEY, received_at TEXT, client_id TEXT, endpoint TEXT, idem_key TEXT, body TEXT,
  duration_ms INTEGER, status INTEGER, node TEXT, attempts INTEGER);
CREATE TABLE transfer_v1 (transfer_id TEXT PRIMARY KEY, seq INTEGER, idem_key TEXT, src TEXT, dst TEXT, amount INTEGER,
  currency TEXT, created_at TEXT);
BEGIN;`

const timeLayout = "2006-01-02T15:04:05.999999999Z"

// open makes the database.
func (s *scene) open(t testing.TB) *analysis.Incident {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scene.db")
	if err := s.write(path); err != nil {
		t.Fatal(err)
	}
	return opened(t, path)
}

// openAt opens it from a file of that name, for one of many cases; it is theirs to close.
func (s *scene) openAt(t interface {
	Helper()
	Fatal(args ...any)
}, path string) *analysis.Incident {
	t.Helper()
	err := s.write(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := analysis.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func (s *scene) write(path string) error {
	ctx := context.Background()
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.Create)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Exec(ctx, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"+sceneTables); err != nil {
		return err
	}
	q, err := db.Query(ctx, "INSERT INTO req_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	for _, r := range s.requests {
		q.BindInt(1, int64(r.seq))
		for i, text := range []string{moment(r.at).Format(timeLayout), r.client, r.endpoint, r.key, r.body} {
			q.BindText(2+i, text)
		}
		q.BindInt(7, int64(r.ms))
		q.BindInt(8, int64(r.status))
		q.BindText(9, r.node)
		q.BindInt(10, int64(max(r.attempts, 1)))
		if err := q.Run(); err != nil {
			return err
		}
	}
	q.Close()
	if q, err = db.Query(ctx, "INSERT INTO transfer_v1 VALUES (?, ?, ?, ?, ?, ?, ?, ?)"); err != nil {
		return err
	}
	for i, m := range s.transfers {
		id := m.id
		if id == "" {
			id = fmt.Sprint("T", i+1)
		}
		q.BindText(1, id)
		if q.BindInt(2, int64(m.seq)); m.seq == 0 {
			q.BindNull(2)
		}
		for k, text := range []string{m.key, m.src, m.dst} {
			q.BindText(3+k, text)
		}
		q.BindInt(6, m.amount)
		q.BindText(7, m.currency)
		q.BindText(8, m.at.Format(timeLayout))
		if err := q.Run(); err != nil {
			return err
		}
	}
	q.Close()
	return db.Exec(ctx, "COMMIT")
}
