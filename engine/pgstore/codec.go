package pgstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// keyColumns are the columns that a record is found by.
func keyColumns(k engine.ScopedKey) []any {
	return []any{stored(k.ClientID), stored(k.Endpoint), stored(k.Key)}
}

// claimColumns are the columns that a claim writes, in the order of
// claim_insert.sql and claim_replace.sql.
func claimColumns(r *engine.Record) ([]any, error) {
	at, err := r.Instants()
	if err != nil {
		return nil, err
	}
	sum := r.Checksum()
	return append(keyColumns(r.Key), r.Fingerprint[:], int64(r.Life), int64(r.Fence), r.Attempt, at.Claimed, at.Lease, sum[:]), nil
}

// recordRow is a row of record.sql as it is kept.
type recordRow struct {
	state                 string
	fingerprint, checksum []byte
	claimed, lease        int64
	completed             *int64
	status                *int
	reason, header        *string
	body                  []byte
	notKept               *bool
}

// scanRecord reads the columns of record.sql; nil when there is no row.
func scanRecord(row pgx.Row, key engine.ScopedKey) (*engine.Record, error) {
	r := &engine.Record{Key: key}
	var k recordRow
	err := row.Scan(&k.state, &k.fingerprint, &r.Life, &r.Fence, &r.Attempt, &k.claimed, &k.lease, &k.checksum,
		&k.completed, &k.status, &k.reason, &k.header, &k.body, &k.notKept)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err == nil {
		err = k.read(r)
	}
	if err == nil {
		err = r.Check(k.checksum)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// read sets what a row says of a record.
func (k *recordRow) read(r *engine.Record) (err error) {
	var known bool
	if r.State, known = engine.ParseState(k.state); !known {
		return damaged(r.Key, "state")
	}
	if r.Fingerprint, err = engine.ParseFingerprint(k.fingerprint); err != nil {
		return damaged(r.Key, "fingerprint")
	}
	r.ClaimedAt, r.LeaseUntil = engine.InstantOf(k.claimed), engine.InstantOf(k.lease)
	if r.State != engine.Completed {
		return nil
	}
	if k.completed == nil || k.status == nil || k.reason == nil || k.notKept == nil {
		return damaged(r.Key, "reply")
	}
	r.CompletedAt = engine.InstantOf(*k.completed)
	r.Reply.Status, r.Reply.Body, r.Reply.NotKept = *k.status, k.body, *k.notKept
	return decodeReply(&r.Reply, *k.reason, k.header)
}

func damaged(key engine.ScopedKey, what string) error {
	return fmt.Errorf("%w: %s of the record of key %q", engine.ErrDamaged, what, key.Key)
}

func decodeReply(reply *engine.Reply, reason string, header *string) (err error) {
	if reply.Reason, err = restored(reason); err != nil || header == nil {
		return err
	}
	reply.Header, err = decodeHeader(*header)
	return err
}

// encodeHeader is the header's text with the escapes that TEXT needs; nil for
// none.
func encodeHeader(fields []engine.Field) *string {
	if len(fields) == 0 {
		return nil
	}
	escaped := make([]engine.Field, len(fields))
	for i, f := range fields {
		escaped[i] = engine.Field{Name: stored(f.Name), Value: stored(f.Value)}
	}
	text := engine.HeaderText(escaped)
	return &text
}

func decodeHeader(text string) ([]engine.Field, error) {
	fields, err := engine.ParseHeaderText(text)
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		if fields[i].Name, err = restored(f.Name); err != nil {
			return nil, err
		}
		if fields[i].Value, err = restored(f.Value); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// owned is a reply that shares no memory with the effect's and has no empty
// header.
func owned(r engine.Reply) engine.Reply {
	r.Body = slices.Clone(r.Body)
	r.Header = append([]engine.Field(nil), r.Header...)
	return r
}
