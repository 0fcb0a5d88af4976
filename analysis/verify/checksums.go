package verify

import (
	"context"
	"errors"
	"fmt"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

// checksums: each record is the one that its checksum was made of.
func (a *audit) checksums(ctx context.Context, c *Check) error {
	kept := int64(0)
	if err := a.rows(ctx, "checksummed", func(s *sqlfile.Stmt) { kept = s.Int(0) }); err != nil {
		return err
	}
	if kept == 0 {
		c.Note = "the records have no checksums: an older version made them"
		return nil
	}
	without := 0
	err := a.rows(ctx, "checksums", func(s *sqlfile.Stmt) {
		c.Rows++
		if null(s, 16) {
			without++
			return
		}
		r, err := wholeRecord(s)
		if err == nil && r.Check(blob(s, 16)) != nil {
			err = errors.New("its checksum differs")
		}
		if err != nil {
			c.fail(keyRow(s.String(2)), "it is not what was stored, and a retry gets an error: %v", err)
		}
	})
	if without > 0 {
		c.Note = fmt.Sprintf("%d of %d records have no checksum: an older version made them", without, c.Rows)
	}
	return err
}

// wholeRecord reads a row of checksums.sql.
func wholeRecord(s *sqlfile.Stmt) (r engine.Record, err error) {
	r.Key = engine.ScopedKey{ClientID: s.String(0), Endpoint: s.String(1), Key: s.String(2)}
	var known bool
	if r.State, known = engine.ParseState(s.String(3)); !known {
		return r, fmt.Errorf("its state is %q", s.String(3))
	}
	if r.Fingerprint, err = engine.ParseFingerprint(s.Bytes(4)); err != nil {
		return r, err
	}
	r.Life, r.Fence, r.Attempt = engine.Fence(s.Int(5)), engine.Fence(s.Int(6)), int(s.Int(7))
	r.ClaimedAt, r.LeaseUntil = engine.InstantOf(s.Int(8)), engine.InstantOf(s.Int(9))
	if r.State != engine.Completed {
		return r, nil
	}
	if null(s, 10) || null(s, 11) || null(s, 12) || null(s, 15) {
		return r, errors.New("its reply is not whole")
	}
	r.CompletedAt = engine.InstantOf(s.Int(10))
	r.Reply.Status, r.Reply.Reason, r.Reply.Body, r.Reply.NotKept = int(s.Int(11)), s.String(12), blob(s, 14), s.Int(15) != 0
	r.Reply.Header, err = engine.ParseHeaderText(s.String(13))
	return r, err
}
