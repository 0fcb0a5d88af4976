package analysis

import (
	"cmp"
	"context"
	"slices"

	"idem/engine/sqlitestore/sqlfile"
)

// Names of the columns in messages: those of Schema, whatever the file's are.
var (
	accountColumns  = columnNames(accountTable)
	requestColumns  = columnNames(requestTable)
	transferColumns = columnNames(transferTable)
)

func columnNames(table int) []string {
	var list []string
	for _, c := range Schema()[table].Columns {
		list = append(list, c.Name)
	}
	return list
}

// badRequest finds the first column, in the order of Schema, that makes a row
// of req_log with a good seq unusable, and why; why is "" for a usable row.
// An unreadable time does not: the row is a payment all the same.
func badRequest(s *sqlfile.Stmt) (column int, why string) {
	for _, c := range []int{rClient, rEndpoint} {
		if why := whyNoText(s, c); why != "" {
			return c, why
		}
	}
	if !textual(s, rKey) {
		return rKey, whyText
	}
	if t := s.Type(rBody); t != sqlfile.Text && t != sqlfile.Blob || !isObject(s.Bytes(rBody)) {
		return rBody, whyBody
	}
	return 0, ""
}

// whyNoText is why column i cannot be used where a text must be, "" if it can.
func whyNoText(s *sqlfile.Stmt, i int) string {
	switch s.Type(i) {
	case sqlfile.Integer:
		return ""
	case sqlfile.Text:
		if len(s.Bytes(i)) > 0 {
			return ""
		}
		return whyMissing
	case sqlfile.Null:
		return whyMissing
	}
	return whyText
}

// transferRow is what a row of transfer_v1 holds besides its texts.
type transferRow struct {
	seq       int64
	hasSeq    bool
	amount    int64
	hasAmount bool  // it is an integer
	created   int64 // nanoseconds since 1970
	column    int
	why       string // why the row is unusable because of column, "" when it is not
}

// read takes the row s stands on, whose columns are those of Schema. Without an
// id, an amount, a currency or a time there is nothing to count. Whatever stands
// under key, src and dst, the money has moved: no sum may leave it out.
func (t *transferRow) read(s *sqlfile.Stmt) {
	*t = transferRow{}
	t.seq, t.hasSeq = integer(s, tSeq)
	var okCreated bool
	t.amount, t.hasAmount = integer(s, tAmount)
	if s.Type(tCreated) == sqlfile.Text {
		t.created, okCreated = parseInstant(s.Bytes(tCreated))
	}
	switch {
	case t.bad(tID, whyNoText(s, tID)):
	case !t.hasAmount:
		t.bad(tAmount, whyInteger)
	case t.bad(tCurrency, whyNoText(s, tCurrency)):
	case !okCreated:
		t.bad(tCreated, whyTime)
	}
}

func (t *transferRow) bad(column int, why string) bool {
	t.column, t.why = column, why
	return why != ""
}

// transfer is the usable row s stands on.
func (t *transferRow) transfer(s *sqlfile.Stmt, names *interner) TransferV1 {
	return TransferV1{
		ID: s.String(tID), Seq: t.seq, HasSeq: t.hasSeq, Key: named(s, tKey),
		Src: names.named(s, tSrc), Dst: names.named(s, tDst),
		Amount: t.amount, Currency: names.text(s, tCurrency), CreatedAt: instant(t.created),
	}
}

// sortTransfers puts the transfers of one request in the order they happened.
func sortTransfers(list []TransferV1) {
	slices.SortStableFunc(list, func(a, b TransferV1) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// eachAccount reads the table account in the order of its ids, by their text.
func (in *Incident) eachAccount(ctx context.Context, do func(a Account, bad *BadRow)) error {
	t := &in.tables[accountTable]
	sql := "SELECT " + t.list(0, 1, 2) + ", " + t.rowidOrNull() + " FROM " + t.name + " ORDER BY CAST(" + t.columns[0] + " AS TEXT), typeof(" + t.columns[0] + ")"
	var last Account
	first := true
	return in.each(ctx, sql, func(s *sqlfile.Stmt) {
		balance, ok := integer(s, 2)
		a := Account{Integer: s.Type(0) == sqlfile.Integer, Balance: balance}
		column, why := 0, whyNoText(s, 0)
		if why == "" {
			a.ID = s.String(0)
			if h, _, ok := text(s, 1); ok {
				a.Holder = string(h)
			}
		}
		switch {
		case why != "":
		case !first && a.ID == last.ID:
			why = whyRepeated
		case !ok:
			column, why = 2, whyInteger
		}
		if why != "" {
			do(a, &BadRow{"account", rowName(s, 0, 3), accountColumns[column], shown(s, column), why})
			return
		}
		first, last = false, a
		do(a, nil)
	})
}

// rowName names a row in a list of bad rows: by its id where column i holds one,
// else by its row id in column rowid.
func rowName(s *sqlfile.Stmt, i, rowid int) string {
	if whyNoText(s, i) == "" {
		b, rest := cut(s.Bytes(i), mostValue)
		return string(b) + rest
	}
	return "rowid " + s.String(rowid)
}
