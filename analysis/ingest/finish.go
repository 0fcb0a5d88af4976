package ingest

import (
	"context"
	"fmt"
	"slices"

	"idem/engine/sqlitestore/sqlfile"
)

// loaded notes what a file held, and refuses a file that was there before under
// another name.
func (im *importer) loaded(f *file, out *Sink) error {
	size, sum, err := f.src.Sum()
	if err != nil {
		return err
	}
	im.done += size
	if f.sum != "" {
		// Two tables of one file are two sources.
		size, sum = f.size, f.sum
	}
	for i := range im.result.Sources {
		if s := &im.result.Sources[i]; s.SHA256 == sum && f.sum == "" {
			return usage("%s is the same file as %s: it would be counted twice", f.src.Path, s.Path)
		}
	}
	if out.clean != nil {
		im.result.Secrets += out.clean.Found
	}
	im.result.Sources = append(im.result.Sources, SourceResult{Role: f.role, Path: f.src.Path, Size: size, SHA256: sum,
		Compression: f.src.Compression, Encoding: f.src.Encoding, Format: f.format.Name, Mapping: f.mapping, Counts: out.counts, Unused: f.unused()})
	return nil
}

// mostRejects is how many rejected rows a Result lists.
const mostRejects = 20

// finish writes the provenance, counts, and commits.
func (im *importer) finish(context.Context) error {
	if err := im.sumUp(); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	if err := im.provenance(); err != nil {
		return fmt.Errorf("write provenance: %w", err)
	}
	for _, index := range []string{"by_request_ref", "by_reference", "by_key"} {
		if err := im.store.exec("DROP INDEX IF EXISTS " + index); err != nil {
			return fmt.Errorf("write incident: %w", err)
		}
	}
	if err := im.store.exec("COMMIT"); err != nil {
		return fmt.Errorf("write incident: %w", err)
	}
	return nil
}

func (im *importer) provenance() error {
	s := im.store
	add, err := s.prepare(`INSERT INTO source (id, role, path, size, sha256, compression, encoding, format, rows_read, accepted, rejected, aside, overlapping)
	  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	for i := range im.result.Sources {
		r := &im.result.Sources[i]
		add.BindInt(1, im.files[i].id)
		for k, text := range [...]string{string(r.Role), r.Path} {
			add.BindText(2+k, text)
		}
		add.BindInt(4, r.Size)
		for k, text := range [...]string{r.SHA256, r.Compression, r.Encoding, r.Format} {
			add.BindText(5+k, text)
		}
		for k, n := range [...]int64{r.Read, r.Accepted, r.Rejected, r.Aside, r.Overlapping} {
			add.BindInt(9+k, n)
		}
		if err := add.Run(); err != nil {
			return err
		}
	}
	return im.settings()
}

// settings keeps what is needed to do the same import again.
func (im *importer) settings() error {
	toml, err := im.store.prepare("INSERT INTO mapping (toml) VALUES (?)")
	if err != nil {
		return err
	}
	used := im.used()
	im.result.Body, im.result.Mapping = used.Body, used.Text()
	toml.BindText(1, im.result.Mapping)
	if err := toml.Run(); err != nil {
		return err
	}
	set, err := im.store.prepare("INSERT INTO import (name, value) VALUES (?, ?)")
	if err != nil {
		return err
	}
	secrets := "removed"
	if im.o.KeepSecrets {
		secrets = "kept"
	}
	for _, pair := range [][2]string{{"version", im.o.Version}, {"secrets", secrets}} {
		set.BindText(1, pair[0])
		set.BindText(2, pair[1])
		if err := set.Run(); err != nil {
			return err
		}
	}
	return nil
}

// used is the mapping as it was in the end. Files of one role that were read in
// different ways are detected again, so only what they share is fixed.
func (im *importer) used() Map {
	m := im.o.Map
	m.Body = im.body.Or()
	if im.openUnits {
		m.Body.AmountUnit = "minor" // the ledger has shown it
	}
	for _, role := range roles {
		list := slices.DeleteFunc(slices.Clone(im.files), func(f *file) bool { return f.role != role })
		switch {
		case len(list) == 0:
			*m.section(role) = Mapping{}
		case len(list) == 1 || alike(list):
			*m.section(role) = list[0].mapping
		}
	}
	return m
}

func alike(list []*file) bool {
	first := Map{Requests: list[0].mapping}.Text()
	for _, f := range list[1:] {
		if (Map{Requests: f.mapping}).Text() != first {
			return false
		}
	}
	return true
}

// sumUp fills the result.
func (im *importer) sumUp() error {
	s, r, b := im.store, &im.result, &im.books
	if s.disorder || im.changed {
		if err := b.recount(s); err != nil {
			return err
		}
	}
	r.Requests, r.Payments, r.Transfers = b.requests, b.payments, b.transfers
	r.Unmatched, r.Unanswered = b.joins[[2]string{}], b.paid.without(b.moved)
	r.Completed = b.completed
	r.Totals, r.Joins = b.totals, b.joinCounts()
	for _, q := range []struct {
		into *int64
		sql  string
	}{
		{&r.Accounts, "SELECT count(*) FROM account"},
		{&r.Assumed, "SELECT count(*) FROM account WHERE assumed"},
	} {
		var err error
		if *q.into, err = s.number(q.sql); err != nil {
			return err
		}
	}
	err := s.each("SELECT min(seq), received_at FROM req_log UNION ALL SELECT max(seq), received_at FROM req_log", func(row *sqlfile.Stmt) {
		if r.Last = row.String(1); r.First == "" {
			r.First = r.Last
		}
	})
	if err != nil {
		return err
	}
	list := fmt.Sprintf("SELECT source_id, line, aside, reason, text FROM reject ORDER BY aside, source_id, line LIMIT %d", mostRejects)
	return s.each(list, func(row *sqlfile.Stmt) {
		r.Rejects = append(r.Rejects, RejectedRow{im.pathOf(row.Int(0)), row.Int(1), row.Int(2) == 1, row.String(3), row.String(4)})
	})
}

func (im *importer) pathOf(id int64) string {
	for _, f := range im.files {
		if f.id == id {
			return f.src.Path
		}
	}
	return ""
}
