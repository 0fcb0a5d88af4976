package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

// record is a row of records.sql.
type record struct {
	state  engine.State
	status int64
	body   []byte
	fence  int64
	made   *made // nil: its life made no transfer
}

// made is a transfer with the token that made it.
type made struct {
	fence int64
	id    string
	there bool // the transfer itself, not only its tie
	row   engine.Transfer
	at    string // created_at as it is stored
}

// records: a record's state and answer agree with what its life made.
func (a *audit) records(ctx context.Context, c *Check) error {
	return a.rows(ctx, "records", func(s *sqlfile.Stmt) {
		c.Rows++
		r, ok := recordOf(s)
		if !ok {
			c.fail(keyRow(s.String(0)), "it is in no state that a record can be in: %q", s.String(1))
			return
		}
		if why := r.wrong(); why != "" {
			c.fail(keyRow(s.String(0)), "%s", why)
		}
	})
}

func keyRow(key string) string { return fmt.Sprintf("key %q", key) }

func recordOf(s *sqlfile.Stmt) (r record, ok bool) {
	if r.state, ok = engine.ParseState(s.String(1)); !ok {
		return r, false
	}
	r.status, r.body, r.fence = s.Int(2), s.Bytes(3), s.Int(4)
	if null(s, 7) {
		return r, true
	}
	m := &made{fence: s.Int(6), id: s.String(7), there: !null(s, 8), at: s.String(13)}
	m.row = engine.Transfer{ID: m.id, Src: s.String(9), Dst: s.String(10), Currency: s.String(12)}
	m.row.Amount, _ = integer(s, 11)
	r.made = m
	return r, true
}

// wrong says what does not agree; "" when all does.
func (r *record) wrong() string {
	success := r.state == engine.Completed && r.status >= 200 && r.status < 300
	said, announces := announced(r.body)
	switch {
	case r.made == nil && success && announces:
		return fmt.Sprintf("it was answered %d with transfer %q, and its life made none", r.status, said.ID)
	case r.made == nil:
		return ""
	case r.state == engine.InProgress:
		return fmt.Sprintf("it is in progress, and transfer %q is made", r.made.id)
	case !success:
		return fmt.Sprintf("it was answered %d, and transfer %q is made", r.status, r.made.id)
	case r.made.fence != r.fence:
		return fmt.Sprintf("transfer %q was made under token %d, and the answer under %d", r.made.id, r.made.fence, r.fence)
	case announces && r.status != 201: // engine.Pay's
		return fmt.Sprintf("transfer %q is made and told, and it was answered %d", r.made.id, r.status)
	case !r.made.there || !announces:
		return "" // a lost transfer is told by its tie; another kind of answer says nothing of it
	}
	return r.made.differs(said)
}

// differs compares a transfer with what its client was told.
func (m *made) differs(said announcement) string {
	for _, d := range []struct{ column, told, made string }{
		{"transfer_id", said.ID, m.id}, {"src", said.order.Src.Text, m.row.Src}, {"dst", said.order.Dst.Text, m.row.Dst},
		{"amount", fmt.Sprint(said.order.Amount), fmt.Sprint(m.row.Amount)}, {"currency", said.order.Currency, m.row.Currency},
		{"created_at", said.CreatedAt, m.at},
	} {
		if d.told != d.made {
			return fmt.Sprintf("its client was told of %s %q, and transfer %q has %q", d.column, d.told, m.id, d.made)
		}
	}
	return ""
}

// announcement is what a reply says of the transfer it is for.
type announcement struct {
	ID        string `json:"transfer_id"`
	CreatedAt string `json:"created_at"`
	order     engine.Order
}

// announced reads a reply; ok is false for one that announces no transfer.
func announced(body []byte) (said announcement, ok bool) {
	if len(body) == 0 || json.Unmarshal(body, &said) != nil || said.ID == "" {
		return said, false
	}
	order, refused, err := engine.ParseOrder(body)
	said.order = order
	return said, err == nil && refused == nil
}

// longestLease is how far ahead a lease can end: a policy's longest.
const longestLease = 24 * time.Hour

// claims: each claim in progress is one that the rules hand to a retry when its
// lease has run out, and that ends within a lease from now.
func (a *audit) claims(ctx context.Context, c *Check) error {
	lapsed := 0
	err := a.rows(ctx, "claims", func(s *sqlfile.Stmt) {
		c.Rows++
		r, err := openClaim(s)
		if err != nil {
			c.fail(keyRow(s.String(2)), "no retry can take it: %v", err)
			return
		}
		retry := engine.Claim{Key: r.Key, Fingerprint: r.Fingerprint, Now: r.LeaseUntil, Lease: time.Second}
		v, err := engine.Decide(&r, retry, r.Fence+1, engine.DefaultPolicy())
		switch {
		case err != nil || v.Outcome != engine.Fresh:
			c.fail(keyRow(r.Key.Key), "a retry after its lease is answered %v, %v", v.Outcome, err)
		case r.LeaseUntil.Before(r.ClaimedAt):
			c.fail(keyRow(r.Key.Key), "its lease ended before it began")
		case !a.report.Day && r.LeaseUntil.After(a.o.Now.Add(longestLease)):
			c.fail(keyRow(r.Key.Key), "its lease ends %s, later than any policy allows", engine.FormatInstant(r.LeaseUntil))
		case r.Lapsed(a.o.Now):
			lapsed++
		}
	})
	if c.Rows > 0 && !a.report.Day {
		c.Note = fmt.Sprintf("%d in progress, of which %d wait for a retry to take them over", c.Rows, lapsed)
	}
	return err
}

func openClaim(s *sqlfile.Stmt) (r engine.Record, err error) {
	r.Key = engine.ScopedKey{ClientID: s.String(0), Endpoint: s.String(1), Key: s.String(2)}
	r.State = engine.InProgress
	r.Fingerprint, err = engine.ParseFingerprint(s.Bytes(3))
	r.Life, r.Fence, r.Attempt = engine.Fence(s.Int(4)), engine.Fence(s.Int(5)), int(s.Int(6))
	r.ClaimedAt, r.LeaseUntil = time.Unix(0, s.Int(7)).UTC(), time.Unix(0, s.Int(8)).UTC()
	return r, err
}
