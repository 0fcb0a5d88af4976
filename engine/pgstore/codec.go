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
	return append(keyColumns(r.Key), r.Fingerprint[:], int64(r.Life), int64(r.Fence), r.Attempt, at.Claimed, at.Lease), nil
}

// scanRecord reads the columns of record.sql; nil when there is no row.
func scanRecord(row pgx.Row, key engine.ScopedKey) (*engine.Record, error) {
	r := &engine.Record{Key: key}
	var state string
	var fingerprint []byte
	var claimed, lease int64
	var completed *int64
	var status *int
	var reason, header *string
	var notKept *bool
	err := row.Scan(&state, &fingerprint, &r.Life, &r.Fence, &r.Attempt, &claimed, &lease,
		&completed, &status, &reason, &header, &r.Reply.Body, &notKept)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var known bool
	if r.State, known = engine.ParseState(state); !known {
		return nil, damaged(key, "state")
	}
	if r.Fingerprint, err = engine.ParseFingerprint(fingerprint); err != nil {
		return nil, damaged(key, "fingerprint")
	}
	r.ClaimedAt, r.LeaseUntil = engine.InstantOf(claimed), engine.InstantOf(lease)
	if r.State != engine.Completed {
		return r, nil
	}
	if completed == nil || status == nil || reason == nil || notKept == nil {
		return nil, damaged(key, "reply")
	}
	r.CompletedAt = engine.InstantOf(*completed)
	r.Reply.Status, r.Reply.NotKept = *status, *notKept
	return r, decodeReply(&r.Reply, *reason, header)
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
