package ingest

import (
	"bytes"
	"strconv"
)

// bankRow is an entry of an account's statement. A bank shows one side: the
// account, and of the other what it was told.
type bankRow struct {
	account, other []byte
	credit         bool // money came in
	amount         []byte
	currency       []byte
	at             int64
	id, ref, note  []byte
}

// bankColumns are where a bank's format reads what from: it is shown and stored.
func bankColumns(date, id, ref, other string) map[string]Places {
	return map[string]Places{"time": {date}, "id": {id}, "reference": {ref}, "src": {"account or " + other}, "dst": {"account or " + other}}
}

// hand hands an entry over, or rejects it.
func (b *bankRow) hand(out *Sink, r *rules, m *Mapping, line int64, text []byte) {
	t := Transfer{Line: line, At: b.at, ID: b.id, Ref: b.ref, Currency: b.currency, Note: b.note}
	if len(t.Currency) == 0 {
		t.Currency = r.currency
	}
	other := b.other
	if len(other) == 0 {
		other = []byte(m.Fixed["src"])
	}
	if t.Src, t.Dst = b.account, other; b.credit {
		t.Src, t.Dst = other, b.account
	}
	var err error
	if t.Amount, err = r.amount(b.amount, t.Currency); err != nil {
		out.Reject(line, text, settle("amount", err))
		return
	}
	out.Transfer(&t)
}

// joined parts texts by slashes, without empty ones.
func joined(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if len(b) > 0 {
			b = append(b, '/')
		}
		b = append(b, p...)
	}
	return b
}

func number(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// bankTime reads a date or a time of a statement. A date is the beginning of a
// day on the bank's clock.
func (r *rules) bankTime(b []byte) (int64, error) {
	b = bytes.TrimSpace(b)
	if len(b) == len("2006-01-02") {
		b = append(bytes.Clone(b), "T00:00:00"...)
	} else if len(b) > 10 && (b[10] == 'Z' || b[10] == '+' || b[10] == '-') { // a date with a zone, as XML has it
		b = append(append(bytes.Clone(b[:10]), "T00:00:00"...), b[10:]...)
	}
	at, err := r.time.Read(b)
	return at, settle("time", err)
}
