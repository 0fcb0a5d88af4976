package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idem/engine/sqlitestore/sqlfile"
)

// Column is one column of an incident, under all the names it may have.
type Column struct {
	Name     string
	Synonyms []string
	Optional bool
}

// Table is one table (or view) of an incident.
type Table struct {
	Name    string
	Columns []Column
}

// Schema is what an incident holds: the one table of names that are known.
// Names of tables and columns are compared without regard to ASCII case.
func Schema() []Table {
	return []Table{
		{"account", []Column{
			{"acct_id", []string{"account_id", "account", "acct"}, false},
			{"holder", []string{"holder_name", "owner", "name"}, false},
			{"balance", []string{"balance_minor", "opening_balance"}, false},
		}},
		{"req_log", []Column{
			{"seq", []string{"req_seq", "request_seq", "sequence", "seq_no"}, false},
			{"received_at", []string{"ts", "time", "at", "timestamp", "received", "time_utc"}, false},
			{"client_id", []string{"client", "merchant", "merchant_id", "caller"}, false},
			{"endpoint", []string{"path", "route", "uri", "url"}, false},
			{"idem_key", []string{"key", "idempotency_key", "idempotency-key", "idemkey"}, false},
			{"body", []string{"payload", "request_body", "req_body"}, false},
			{"duration_ms", []string{"dur_ms", "elapsed_ms", "latency_ms"}, true},
			{"status", []string{"status_code", "http_status"}, true},
			{"method", []string{"http_method", "verb"}, true},
			{"node", []string{"gateway", "host", "server"}, true},
			{"attempts", []string{"attempt", "tries"}, true},
		}},
		{"transfer_v1", []Column{
			{"transfer_id", []string{"transfer", "tx_id", "txn_id"}, false},
			{"seq", []string{"req_seq", "request_id", "request_seq", "req"}, false},
			{"idem_key", []string{"key", "idempotency_key", "idempotency-key", "idemkey"}, false},
			{"src", []string{"from_acct", "from_account", "source", "debit"}, false},
			{"dst", []string{"to_acct", "to_account", "destination", "credit"}, false},
			{"amount", []string{"amount_minor", "minor_units"}, false},
			{"currency", []string{"ccy", "currency_code"}, false},
			{"created_at", []string{"ts", "time", "at", "timestamp", "created", "time_utc"}, false},
		}},
	}
}

// The tables and columns of Schema, by position.
const (
	accountTable = iota
	requestTable
	transferTable
)

const (
	rSeq = iota
	rReceived
	rClient
	rEndpoint
	rKey
	rBody
	rDuration
	rStatus
	rMethod
	rNode
	rAttempts
)

const (
	tID = iota
	tSeq
	tKey
	tSrc
	tDst
	tAmount
	tCurrency
	tCreated
)

// table is a Table as it stands in one file.
type table struct {
	name    string   // quoted
	bare    string   // not quoted
	columns []string // quoted, by position in Schema; "NULL" where an optional one is missing
	rowid   string   // a name of the row id, "" where the table has none
	place   string   // an ORDER BY list that always gives one order, by row id if there is one
	seq     seqOrder
}

// list joins the columns at the given positions, for a SELECT.
func (t *table) list(columns ...int) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = t.columns[c]
	}
	return strings.Join(names, ", ")
}

// rowidOrNull is the row id as a column of a SELECT.
func (t *table) rowidOrNull() string {
	if t.rowid == "" {
		return "NULL"
	}
	return t.rowid
}

// sqlTables names what a file holds that can be read like a table.
const sqlTables = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"

// resolve finds the tables of Schema in db.
func resolve(ctx context.Context, db *sqlfile.DB, path string) ([]table, error) {
	found, err := names(ctx, db, sqlTables)
	if err != nil {
		return nil, readError(path, err)
	}
	var tables []table
	for _, want := range Schema() {
		t, err := resolveTable(ctx, db, path, want, found)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func resolveTable(ctx context.Context, db *sqlfile.DB, path string, want Table, found []string) (table, error) {
	name, ok := match(found, want.Name)
	if !ok {
		return table{}, unreadable(path, nil, "table %s is missing; found: %s", want.Name, listed(found))
	}
	t := table{name: quote(name), bare: name}
	columns, err := names(ctx, db, "SELECT name FROM pragma_table_xinfo("+literal(name)+")")
	if err != nil {
		return t, readError(path, err)
	}
	for _, c := range want.Columns {
		column, err := c.find(columns)
		if err != nil {
			return t, unreadable(path, nil, "table %s: %v", want.Name, err)
		}
		t.columns = append(t.columns, column)
	}
	if t.rowid, err = rowidName(ctx, db, t.name, columns); err != nil {
		return t, readError(path, err)
	}
	if t.place = t.rowid; t.place == "" {
		t.place = strings.Join(slices.DeleteFunc(slices.Clone(t.columns), func(c string) bool { return c == "NULL" }), ", ")
	}
	return t, nil
}

// find is the quoted name of c among the columns of a table.
func (c Column) find(columns []string) (string, error) {
	var hits []string
	for _, name := range append([]string{c.Name}, c.Synonyms...) {
		if hit, ok := match(columns, name); ok {
			hits = append(hits, hit)
		}
	}
	switch {
	case len(hits) > 1:
		return "", fmt.Errorf("column %s could be any of %s; rename all but one", c.Name, listed(hits))
	case len(hits) == 1:
		return quote(hits[0]), nil
	case c.Optional:
		return "NULL", nil
	}
	return "", fmt.Errorf("column %s is missing (also known as %s); found: %s", c.Name, listed(c.Synonyms), listed(columns))
}

// rowidName is a name under which the row id can be had: one that no column
// has taken. Views and WITHOUT ROWID tables have none.
func rowidName(ctx context.Context, db *sqlfile.DB, quoted string, columns []string) (string, error) {
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if _, taken := match(columns, name); taken {
			continue
		}
		s, err := db.Query(ctx, "SELECT "+name+" FROM "+quoted+" LIMIT 0")
		if err != nil {
			return "", ctx.Err()
		}
		return name, s.Close()
	}
	return "", nil
}

func names(ctx context.Context, db *sqlfile.DB, sql string) ([]string, error) {
	s, err := db.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	var list []string
	for s.Next() {
		list = append(list, s.String(0))
	}
	return list, s.Close()
}

func match(found []string, name string) (string, bool) {
	i := slices.IndexFunc(found, func(f string) bool { return strings.EqualFold(f, name) })
	if i < 0 {
		return "", false
	}
	return found[i], true
}

// listed shows names in an error: quoted, and not more than fit a screen.
func listed(list []string) string {
	const most = 40
	if len(list) == 0 {
		return "nothing"
	}
	rest := ""
	if len(list) > most {
		rest = fmt.Sprintf(" and %d more", len(list)-most)
		list = list[:most]
	}
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = fmt.Sprintf("%.60q", s)
	}
	return strings.Join(shown, ", ") + rest
}

// quote makes name an identifier, literal makes s a string, whatever they hold.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
func literal(s string) string  { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
