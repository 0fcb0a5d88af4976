package ingest

import (
	"context"
	"fmt"
	"io"

	"idem/crash"
)

// Options say what to import.
type Options struct {
	Requests, Transfers, Accounts []string // paths; "-" is Stdin
	Map                           Map
	Out                           string // the incident to make
	Force                         bool   // replace it when it exists
	DryRun                        bool   // do all the work and keep no file
	KeepSecrets                   bool
	PseudonymKey                  []byte // nil: derived from the files
	Stdin                         io.Reader
	Version                       string
	Progress                      func(done, total int64) // bytes; may be nil
}

// Import makes an incident database of logs and ledgers. The file appears whole
// or not at all. An error that wraps an [Unsettled] names the flag that helps.
func Import(ctx context.Context, o Options) (*Result, error) {
	if len(o.Requests) == 0 && len(o.Transfers) == 0 {
		return nil, usage("there is nothing to import: name files of requests, transfers or both")
	}
	j, err := plan(ctx, o)
	defer j.close()
	if err != nil {
		return nil, err
	}
	var result *Result
	err = placed(o, func(tmp string) (err error) {
		result, err = j.run(ctx, tmp)
		return err
	})
	return result, crash.Again(err)
}

// importer is an import under way.
type importer struct {
	*job
	store     *store
	byID      *byID
	tally     *tally
	join      join
	books     books
	changed   bool // rows were taken out or changed again
	openUnits bool // bodies hold amounts whose unit only the ledger can tell
	result    Result
	done      int64
}

func (j *job) run(ctx context.Context, tmp string) (_ *Result, err error) {
	im := &importer{job: j}
	if im.store, err = createStore(ctx, tmp); err != nil {
		return nil, err
	}
	defer func() {
		if cerr := im.store.close(); err == nil {
			err = cerr
		}
	}()
	if im.tally, err = newTally(im.store); err != nil {
		return nil, fmt.Errorf("create incident: %w", err)
	}
	for _, step := range []func(context.Context) error{im.requests, im.transfers, im.accounts, im.finish} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &im.result, nil
}

func (im *importer) loadAll(ctx context.Context, role Role) error {
	for _, f := range im.files {
		if f.role == role {
			if err := im.load(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (im *importer) requests(ctx context.Context) error {
	if err := im.loadAll(ctx, Requests); err != nil {
		return err
	}
	err := im.store.sort()
	if err != nil {
		return fmt.Errorf("sort requests: %w", err)
	}
	if im.byID, err = newByID(im.store); err != nil {
		return err
	}
	if err := im.foldRequests(); err != nil {
		return fmt.Errorf("find overlapping requests: %w", err)
	}
	return nil
}

func (im *importer) transfers(ctx context.Context) error {
	if err := im.loadAll(ctx, Transfers); err != nil {
		return err
	}
	if err := im.foldTransfers(); err != nil {
		return fmt.Errorf("find overlapping transfers: %w", err)
	}
	if err := im.joinRest(ctx); err != nil {
		return fmt.Errorf("join transfers: %w", err)
	}
	if err := im.settleUnits(); err != nil {
		return err
	}
	return im.completeBodies()
}

func (im *importer) accounts(ctx context.Context) error {
	if err := im.loadAll(ctx, Accounts); err != nil {
		return err
	}
	return im.tally.assume()
}

// progress tells how many bytes of all files were read; of how many is unknown
// where one of them is a stream or a table.
func (im *importer) progress(f *file) {
	if im.o.Progress != nil {
		im.o.Progress(im.done+f.src.Position(), im.size)
	}
}
