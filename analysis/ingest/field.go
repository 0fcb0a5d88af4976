package ingest

import (
	"slices"
	"strings"

	"idem/analysis/ingest/money"
)

// field is one thing a column can hold: its name in the mapping file, the names
// of columns that are known to hold it, and how its text goes into a row.
type field[T any] struct {
	name    string
	aliases []string
	set     func(r *rules, row *T, b []byte) error
}

// requestFields, transferFields and accountFields are the tables of what a
// general format can read. Aliases are written as [plainName] gives them.
var requestFields = []field[Request]{
	{"time", []string{"received_at", "ts", "time", "at", "timestamp", "received", "time_utc", "received_utc",
		"start_time", "started_at", "start", "request_time_utc", "end_time", "ended_at", "finished_at", "completed_at",
		"date", "datetime", "time_local", "time_iso8601", "logged_at", "ts_ms", "time_ms", "timestamp_ms", "epoch", "epoch_ms", "created_at", "event_time"},
		func(r *rules, q *Request, b []byte) (err error) { q.At, err = r.time.Read(b); return err }},
	{"duration", []string{"duration_ms", "dur_ms", "elapsed_ms", "latency_ms", "duration", "elapsed", "latency", "request_time",
		"response_time", "response_time_ms", "took", "took_ms", "duration_s", "duration_us", "duration_ns", "latency_us", "latency_s", "latency_ns"},
		func(r *rules, q *Request, b []byte) (err error) { q.Duration, err = r.span(b); return err }},
	{"id", []string{"req", "request_id", "req_id", "id", "seq", "req_seq", "request_seq", "sequence", "seq_no", "x_request_id", "log_id"},
		func(_ *rules, q *Request, b []byte) error { q.Ref = b; return nil }},
	{"client", []string{"client_id", "client", "merchant", "merchant_id", "caller", "consumer", "api_key_id", "account_id", "tenant", "user_id"},
		func(_ *rules, q *Request, b []byte) error { q.Client = b; return nil }},
	{"method", []string{"method", "http_method", "verb", "request_method"},
		func(_ *rules, q *Request, b []byte) error { q.Method = b; return nil }},
	{"endpoint", []string{"endpoint", "path", "route", "uri", "url", "request_uri", "request_path", "target"},
		func(_ *rules, q *Request, b []byte) error { q.Endpoint = b; return nil }},
	{"key", append([]string{"idem_key", "key", "idemkey"}, keyHeaders...),
		func(_ *rules, q *Request, b []byte) error { q.Key = b; return nil }},
	{"body", []string{"body", "payload", "request_body", "req_body", "request_payload"},
		func(_ *rules, q *Request, b []byte) error { q.Body = b; return nil }},
	{"status", []string{"status", "status_code", "http_status", "response_status", "response_code"},
		func(_ *rules, q *Request, b []byte) (err error) { q.Status, err = count(b); return err }},
	{"attempts", []string{"attempts", "attempt", "tries"},
		func(_ *rules, q *Request, b []byte) (err error) { q.Attempts, err = count(b); return err }},
	{"node", []string{"node", "gateway", "host", "server", "hostname", "instance", "pod"},
		func(_ *rules, q *Request, b []byte) error { q.Node = b; return nil }},
	{"upstreams", []string{"upstreams", "upstream_status", "upstream_addr"},
		func(_ *rules, q *Request, b []byte) error { q.Upstreams = b; return nil }},
	{"retry", []string{"retry", "retry_count", "x_retry_count", "x_envoy_attempt_count", "x_stripe_client_retry_count"},
		func(_ *rules, q *Request, b []byte) error { q.Retry = b; return nil }},
	{"replayed", []string{"replayed", "idempotent_replayed", "idempotency_replayed"},
		func(_ *rules, q *Request, b []byte) error { q.Replayed = b; return nil }},
	{"trace", []string{"trace", "trace_id", "traceparent", "correlation_id", "x_correlation_id"},
		func(_ *rules, q *Request, b []byte) error { q.Trace = b; return nil }},
	{"note", []string{"note", "notes", "comment", "message"},
		func(_ *rules, q *Request, b []byte) error { q.Note = b; return nil }},
}

// keyHeaders are the headers that carry an idempotency key, by the API that
// has them: the IETF draft, Stripe and most; PayPal; Checkout.com; Twilio;
// Amazon; Google; Mollie and others' spellings.
var keyHeaders = []string{"idempotency_key", "x_idempotency_key", "idempotencykey", "paypal_request_id", "cko_idempotency_key",
	"i_twilio_idempotency_token", "x_amz_idempotency_token", "x_idempotency_token", "idempotency_token", "x_goog_request_id", "x_request_key"}

var transferFields = []field[Transfer]{
	{"time", []string{"created_at", "ts", "time", "at", "timestamp", "created", "time_utc", "created_utc", "booked_at", "booking_date",
		"posted_at", "date", "datetime", "ts_ms", "time_ms", "timestamp_ms", "epoch", "epoch_ms", "executed_at", "settled_at"},
		func(r *rules, t *Transfer, b []byte) (err error) { t.At, err = r.time.Read(b); return err }},
	{"id", []string{"transfer_id", "transfer", "tx_id", "txn_id", "id", "transaction_id", "payment_id", "charge_id"},
		func(_ *rules, t *Transfer, b []byte) error { t.ID = b; return nil }},
	{"request", []string{"req", "request_id", "req_id", "req_seq", "request_seq", "request", "seq"},
		func(_ *rules, t *Transfer, b []byte) error { t.Request = b; return nil }},
	{"key", append([]string{"idem_key", "key", "idemkey"}, keyHeaders...),
		func(_ *rules, t *Transfer, b []byte) error { t.Key = b; return nil }},
	{"reference", []string{"reference", "ref", "order_id", "invoice_id", "external_id", "merchant_reference", "end_to_end_id", "client_reference"},
		func(_ *rules, t *Transfer, b []byte) error { t.Ref = b; return nil }},
	{"src", []string{"src", "from_acct", "from_account", "source", "debit", "payer", "debtor", "source_account", "debit_account"},
		func(_ *rules, t *Transfer, b []byte) error { t.Src = b; return nil }},
	{"dst", []string{"dst", "to_acct", "to_account", "destination", "credit", "payee", "creditor", "destination_account", "credit_account"},
		func(_ *rules, t *Transfer, b []byte) error { t.Dst = b; return nil }},
	{"currency", []string{"currency", "ccy", "currency_code"},
		func(_ *rules, t *Transfer, b []byte) error { t.Currency = money.Code(b); return nil }},
	{"amount", []string{"amount", "amount_minor", "minor_units", "amount_cents", "value", "gross", "gross_amount", "amount_major"},
		// The amount needs the currency, which stands before it in this table.
		func(r *rules, t *Transfer, b []byte) (err error) { t.Amount, err = r.amount(b, t.Currency); return err }},
	{"position", []string{"ledger_seq", "position", "ledger_position", "entry_no"},
		func(_ *rules, t *Transfer, b []byte) (err error) { t.Seq, err = count(b); return err }},
	{"note", []string{"note", "notes", "comment", "description", "memo"},
		func(_ *rules, t *Transfer, b []byte) error { t.Note = b; return nil }},
}

var accountFields = []field[Account]{
	{"id", []string{"acct_id", "account_id", "account", "acct", "id"},
		func(_ *rules, a *Account, b []byte) error { a.ID = b; return nil }},
	{"holder", []string{"holder", "holder_name", "owner", "name"},
		func(_ *rules, a *Account, b []byte) error { a.Holder = b; return nil }},
	{"balance", []string{"balance", "balance_minor", "opening_balance", "opening_balance_minor"},
		func(r *rules, a *Account, b []byte) (err error) { a.Balance, err = r.amount(b, nil); return err }},
}

// needed are the fields without which a row says nothing.
var needed = map[Role][]string{
	Requests:  {"time"},
	Transfers: {"time", "id", "src", "dst", "amount"},
	Accounts:  {"id", "balance"},
}

// known are the names and aliases of the fields of a role.
type known struct {
	name    string
	aliases []string
}

func fieldsOf(role Role) []known {
	switch role {
	case Requests:
		return namesOf(requestFields)
	case Transfers:
		return namesOf(transferFields)
	}
	return namesOf(accountFields)
}

func namesOf[T any](fields []field[T]) []known {
	var list []known
	for _, f := range fields {
		list = append(list, known{f.name, f.aliases})
	}
	return list
}

func fieldNamed(role Role, name string) (known, bool) {
	for _, f := range fieldsOf(role) {
		if f.name == name {
			return f, true
		}
	}
	return known{}, false
}

func fieldNames(role Role) []string {
	var list []string
	for _, f := range fieldsOf(role) {
		list = append(list, f.name)
	}
	return list
}

// plainName makes names of columns and headers comparable: lower case, with an
// underscore for everything that is neither letter nor digit.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r | 0x20
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 0x80:
			return r
		}
		return '_'
	}, name)
	return strings.Trim(plain, "_")
}

// detect finds the columns that are known by name. columns are names as the
// file has them; name gives the part of one that is compared. Columns that are
// given stay as they are.
func detect(role Role, columns []string, given Mapping, name func(string) string) (Mapping, error) {
	m := given.Or(Mapping{})
	taken := map[string]bool{}
	for _, places := range given.Columns {
		for _, p := range places {
			taken[p] = true
		}
	}
	for _, f := range fieldsOf(role) {
		if len(m.Columns[f.name]) > 0 {
			continue
		}
		var found []string
		for _, c := range columns {
			if !taken[c] && slices.Contains(f.aliases, plainName(name(c))) {
				found = append(found, c)
			}
		}
		switch {
		case len(found) == 1:
			m.Columns[f.name] = Places(found)
		case len(found) > 1:
			return m, unsettled("--map with "+f.name+" under ["+string(role)+".columns]", "the %s of %s could stand in %s", f.name, role, strings.Join(found, ", "))
		}
	}
	for _, name := range needed[role] {
		if _, fixed := m.Fixed[name]; !fixed && len(m.Columns[name]) == 0 {
			return m, misfit("no column is known as the %s of %s; there are %s. --map names it under [%s.columns]", name, role, strings.Join(columns, ", "), role)
		}
	}
	m.factsByName(role)
	return m, nil
}

// factsByName settles what the names of columns say.
func (m *Mapping) factsByName(role Role) {
	fill := func(into *string, value string) {
		if *into == "" {
			*into = value
		}
	}
	for _, c := range m.Columns["time"] {
		plain := plainName(c)
		if strings.HasSuffix(plain, "_utc") {
			fill(&m.Zone, "UTC")
		}
		fill(&m.TimeUnit, unitByName(plain))
		if role == Requests {
			fill(&m.TimeIs, edgeByName(plain))
		}
	}
	for _, c := range m.Columns["duration"] {
		fill(&m.DurationUnit, unitByName(plainName(c)))
	}
	for _, name := range []string{"amount", "balance"} {
		for _, c := range m.Columns[name] {
			fill(&m.AmountUnit, amountUnitByName(plainName(c)))
		}
	}
}

func unitByName(plain string) string {
	for _, unit := range []string{"s", "ms", "us", "ns"} {
		if strings.HasSuffix(plain, "_"+unit) {
			return unit
		}
	}
	return ""
}

// edgeByName tells whether a time is that of a request's start or end. The names
// of received_at in an incident database are its start.
func edgeByName(plain string) string {
	switch plain {
	case "received_at", "ts", "time", "at", "timestamp", "received", "time_utc", "received_utc", "start_time", "started_at", "start", "request_time_utc":
		return "start"
	case "end_time", "ended_at", "finished_at", "completed_at":
		return "end"
	}
	return ""
}

func amountUnitByName(plain string) string {
	switch {
	case strings.Contains(plain, "minor"), strings.HasSuffix(plain, "_cents"):
		return "minor"
	case strings.HasSuffix(plain, "_major"):
		return "major"
	}
	return ""
}
