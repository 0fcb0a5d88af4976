package analysis

import (
	"context"
	"errors"
	"path/filepath"

	"idem/engine/sqlitestore/sqlfile"
)

// Narrowing says which part of an incident is looked at, and what it leaves out.
type Narrowing struct {
	Filter
	Requests, HiddenRequests   int64 // rows of req_log in the part, and the others
	Transfers, HiddenTransfers int64 // rows of transfer_v1, likewise
}

// Narrow gives the part of the incident that the filter holds, as an incident of
// its own: a day that is analysed and replayed like any other. Its file, path and
// evidence stay those of the whole.
//
//   - Requests of one scoped key stay together (see [Filter]). So a key has the
//     same first send, kept transfer and extra ones as in the whole, and each of
//     its requests the same outcome in a replay. So do requests of one seq. Any
//     other request without a key stands alone.
//   - A transfer goes with its request. One whose request is not in the log
//     stands alone too, and is in no client's and no endpoint's part.
//   - Accounts are all there. One opens with its balance in the file and what the
//     hidden transfers from before the part's first row had moved by then: what it
//     had when the part begins. What hidden transfers bring it after that is there
//     from the start, what they take is not, so that no payment of the part is
//     refused for one that nobody sees.
//
// The part is a copy in a private folder (see [TempDir]), of which the file
// itself knows nothing. It takes the incident over: closing the part closes both.
// A filter that holds everything gives the incident itself. Errors:
// ErrUnreadable, ErrOverflow where a balance does not fit, ctx's own; the
// incident is then still open.
func (in *Incident) Narrow(ctx context.Context, x Filter, opts ...Option) (*Incident, error) {
	if x.IsZero() {
		return in, nil
	}
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	dir, done, err := PrivateDir(o.tempDir)
	if err != nil {
		return nil, err
	}
	part := &Incident{File: in.File, passRows: in.passRows}
	part.reads, part.folder, part.discard = nil, dir, done
	copied := filepath.Join(dir, "part.db")
	if part.narrowing, err = in.copyPart(ctx, x, copied); err == nil {
		if err = part.readCopy(copied, heldBytes); err == nil {
			err = part.understand(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(TempError(err), part.File.Close())
	}
	part.whole = in
	return part, nil
}

// Whole is the incident that this one is a part of; itself where it is none.
func (in *Incident) Whole() *Incident {
	if in.whole == nil {
		return in
	}
	return in.whole
}

// Narrowing says which part of an incident this is; zero where it is all of it.
func (in *Incident) Narrowing() Narrowing { return in.narrowing }

// Close removes private copies, if there are any, of the whole too.
func (in *Incident) Close() error {
	err := in.File.Close()
	if in.whole != nil {
		err = errors.Join(err, in.whole.Close())
	}
	return err
}

// Private is [File.Private] of the whole.
func (in *Incident) Private() bool { return in.Whole().File.Private() }

// Evidence is [File.Evidence] of the whole: a part is no input.
func (in *Incident) Evidence(ctx context.Context, progress func(done, total int64)) (Evidence, error) {
	return in.Whole().File.Evidence(ctx, progress)
}

// copyPart writes the part into a new file.
func (in *Incident) copyPart(ctx context.Context, x Filter, path string) (Narrowing, error) {
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.Create)
	if err != nil {
		return Narrowing{}, err
	}
	defer db.Close()
	if err := db.Exec(ctx, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN"); err != nil {
		return Narrowing{}, err
	}
	e := newExcerpt(in, db, x)
	if err := e.run(ctx); err != nil {
		return Narrowing{}, err
	}
	return e.narrowing(), db.Exec(ctx, "COMMIT")
}
