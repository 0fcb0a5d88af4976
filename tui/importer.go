package tui

import (
	"context"

	"idem/analysis"
)

// Importer makes incidents of logs and ledgers. Only commands call it; it ends
// soon after its context does.
type Importer interface {
	// Import makes the incident that a form asks for; a dry one does all of the
	// work and keeps no file. It returns what was understood, for people.
	// Progress is told bytes; the total is 0 while it is unknown. An error that
	// wraps an Undecided names the flag that helps.
	Import(ctx context.Context, form ImportForm, dry bool, progress func(done, total int64)) (string, error)
	// Open opens an incident that was made, or a part of it.
	Open(ctx context.Context, file string, part analysis.Filter) (Session, error)
}

// ImportForm is what to import, as it was typed.
type ImportForm struct {
	Requests, Transfers, Accounts string // files, parted by commas
	Mapping                       string // file
	Settings                      string // flags, as on the command line
	Out                           string // file to make
}

// Undecided is the error of files that could be read in two ways.
type Undecided struct {
	Err  error
	Flag string // begins with the flag that says which way is meant
}

func (u *Undecided) Error() string { return u.Err.Error() }

func (u *Undecided) Unwrap() error { return u.Err }
