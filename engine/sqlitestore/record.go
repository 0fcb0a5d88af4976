package sqlitestore

import (
	"fmt"
	"time"

	"idem/engine"
	"idem/engine/fault"
)

// record reads the record of a key; nil when there is none.
func (c *conn) record(key engine.ScopedKey) (*engine.Record, error) {
	row, err := c.row(sqlRecord, key.ClientID, key.Endpoint, key.Key)
	if err != nil || row == nil {
		return nil, err
	}
	return recordOf(key, row)
}

// checksum is the record's, good until the next one is asked for.
func (c *conn) checksum(r *engine.Record) []byte {
	c.sum = r.Checksum()
	return c.sum[:]
}

// insert writes a fresh record; false when the key has one.
func (s *session) insert(r *engine.Record) (bool, error) {
	at, err := r.Instants()
	if err != nil {
		return false, err
	}
	n, err := s.c.exec(sqlClaimInsert, r.Key.ClientID, r.Key.Endpoint, r.Key.Key,
		r.Fingerprint[:], int64(r.Life), int64(r.Fence), r.Attempt, at.Claimed, at.Lease, s.c.checksum(r))
	return n == 1, err
}

// replace writes a claim over the record that had the token was.
func (s *session) replace(r *engine.Record, was engine.Fence) error {
	at, err := r.Instants()
	if err != nil {
		return err
	}
	return exactlyOne(s.c.exec(sqlClaimReplace, r.Fingerprint[:], int64(r.Life), int64(r.Fence), r.Attempt, at.Claimed, at.Lease, s.c.checksum(r),
		r.Key.ClientID, r.Key.Endpoint, r.Key.Key, int64(was)))
}

// store completes the claim in progress.
func (s *session) store(r *engine.Record) error {
	at, err := r.Instants()
	if err != nil {
		return err
	}
	return exactlyOne(s.c.exec(sqlComplete, at.Completed, r.Reply.Status, r.Reply.Reason, headerText(r.Reply.Header),
		r.Reply.Body, r.Reply.NotKept, s.c.checksum(r), r.Key.ClientID, r.Key.Endpoint, r.Key.Key, int64(r.Fence)))
}

// release deletes the claim in progress.
func (s *session) release(r *engine.Record) error {
	return exactlyOne(s.c.exec(sqlRelease, r.Key.ClientID, r.Key.Endpoint, r.Key.Key, int64(r.Fence)))
}

func (c *conn) purge(cutoff, now time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	n, err := c.exec(sqlPurge, engine.NearestNanos(cutoff), engine.NearestNanos(now), limit)
	if err != nil {
		return 0, err
	}
	return int(n), fault.Point(fault.InPurge)
}

// exactlyOne: the rules allowed the write, so the row must have been there.
func exactlyOne(n int64, err error) error {
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: the record changed under the write lock (%d rows)", engine.ErrDamaged, n)
	}
	return err
}
