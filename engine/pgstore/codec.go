package pgstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

var (
	earliest = time.Unix(0, math.MinInt64).UTC()
	latest   = time.Unix(0, math.MaxInt64).UTC()
)

// nanos is t in unix nanoseconds. Go's own conversion would wrap around.
func nanos(t time.Time) (int64, error) {
	if t.Before(earliest) || t.After(latest) {
		return 0, fmt.Errorf("%w: %s", ErrTime, engine.FormatInstant(t))
	}
	return t.UnixNano(), nil
}

// clamped is t in unix nanoseconds, or the nearest that there is: good enough
// for comparing with what is stored, which is in range.
func clamped(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func instant(n int64) time.Time { return time.Unix(0, n).UTC() }

// utc is t as it comes back from the store: in UTC, without a monotonic part.
func utc(t time.Time) time.Time { return t.UTC().Round(0) }

// keyColumns are the columns that a record is found by.
func keyColumns(k engine.ScopedKey) []any {
	return []any{stored(k.ClientID), stored(k.Endpoint), stored(k.Key)}
}

// claimColumns are the columns that a claim writes, in the order of
// claim_insert.sql and claim_replace.sql.
func claimColumns(r *engine.Record) ([]any, error) {
	claimed, err := nanos(r.ClaimedAt)
	if err != nil {
		return nil, fmt.Errorf("claimed at: %w", err)
	}
	lease, err := nanos(r.LeaseUntil)
	if err != nil {
		return nil, fmt.Errorf("end of lease: %w", err)
	}
	return append(keyColumns(r.Key), r.Fingerprint[:], int64(r.Life), int64(r.Fence), r.Attempt, claimed, lease), nil
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
	r.ClaimedAt, r.LeaseUntil = instant(claimed), instant(lease)
	if r.State != engine.Completed {
		return r, nil
	}
	if completed == nil || status == nil || reason == nil || notKept == nil {
		return nil, damaged(key, "reply")
	}
	r.CompletedAt = instant(*completed)
	r.Reply.Status, r.Reply.NotKept = *status, *notKept
	return r, decodeReply(&r.Reply, *reason, header)
}

func damaged(key engine.ScopedKey, what string) error {
	return fmt.Errorf("%w: %s of the record of key %q", ErrDamaged, what, key.Key)
}

func decodeReply(reply *engine.Reply, reason string, header *string) (err error) {
	if reply.Reason, err = restored(reason); err != nil || header == nil {
		return err
	}
	reply.Header, err = decodeHeader(*header)
	return err
}

// encodeHeader writes the lines in their order as JSON; nil for none.
func encodeHeader(fields []engine.Field) *string {
	if len(fields) == 0 {
		return nil
	}
	lines := make([][2]string, len(fields))
	for i, f := range fields {
		lines[i] = [2]string{stored(f.Name), stored(f.Value)}
	}
	text, err := json.Marshal(lines)
	if err != nil {
		panic("pgstore: strings do not marshal: " + err.Error())
	}
	out := string(text)
	return &out
}

func decodeHeader(text string) ([]engine.Field, error) {
	var lines [][2]string
	if err := json.Unmarshal([]byte(text), &lines); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	fields := make([]engine.Field, len(lines))
	for i, line := range lines {
		name, err := restored(line[0])
		if err != nil {
			return nil, err
		}
		value, err := restored(line[1])
		if err != nil {
			return nil, err
		}
		fields[i] = engine.Field{Name: name, Value: value}
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
