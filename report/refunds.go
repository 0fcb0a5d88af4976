package report

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/engine"
)

// refundList says which findings go into one pair of files. What is certain and
// what a person must look at never stand in one file.
type refundList struct {
	name     string
	about    string
	rows     func(*findings.Finding) []findings.Transfer
	decision string // of a person, still to be made
}

var refundLists = []refundList{
	{"refunds", "extra transfers that a key or the log proves", func(f *findings.Finding) []findings.Transfer {
		return extras(f, provenRefund)
	}, ""},
	{"refunds_to_check", "extra transfers that are probable or suspected, or that moved no money: a person decides on each", func(f *findings.Finding) []findings.Transfer {
		return extras(f, func(f *findings.Finding, t *findings.Transfer) bool { return !provenRefund(f, t) })
	}, "open"},
	{"refunds_disputed", "transfers of which one was meant: a person says which", func(f *findings.Finding) []findings.Transfer {
		return f.Disputed
	}, "open"},
}

// provenRefund reports whether an extra transfer may go back without a person:
// it is certain, and there is money to give back. A negative amount was taken
// back already; to refund it would move the money a third time.
func provenRefund(f *findings.Finding, t *findings.Transfer) bool {
	return f.Confidence == findings.Certain && t.Amount > 0
}

// extras are those extra transfers of a finding that a list is about.
func extras(f *findings.Finding, mine func(*findings.Finding, *findings.Transfer) bool) []findings.Transfer {
	var list []findings.Transfer
	for i := range f.Extra {
		if mine(f, &f.Extra[i]) {
			list = append(list, f.Extra[i])
		}
	}
	return list
}

// refund is one line of a list.
type refund struct {
	Key        string `json:"refund_key"`
	Extra      string `json:"transfer_id"`
	Original   string `json:"original_transfer_id"` // "" of a disputed one
	Payer      string `json:"refund_to"`
	Payee      string `json:"refund_from"`
	Minor      int64  `json:"amount_minor"`
	Decimal    string `json:"amount"` // "" where the currency's digits are not known
	Currency   string `json:"currency"`
	Class      string `json:"class"`
	Confidence string `json:"confidence"`
	ClientID   string `json:"client_id"`
	Created    string `json:"created_at"`
	Decision   string `json:"decision,omitempty"` // of a person; empty in the list that needs none
}

// RefundKey is the idempotency key under which an extra transfer is refunded. It
// is made of that transfer alone, so that the same refund, however often and by
// whoever it is asked for, is one request. The amount is no part of it: whoever
// asks for another amount under this key must be refused, not paid.
func RefundKey(t *findings.Transfer) string {
	h := sha256.New()
	for _, part := range []string{"refund 1", t.ID, t.Src, t.Dst} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "refund-" + hex.EncodeToString(h.Sum(nil)[:16])
}

func refundOf(f *findings.Finding, t *findings.Transfer, decision string) refund {
	decimal := ""
	if text, known := Major(t.Amount, t.Currency); known {
		decimal = strings.ReplaceAll(text, ",", "")
	}
	return refund{
		Key: RefundKey(t), Extra: valid(t.ID), Original: valid(t.Of), Payer: valid(t.Src), Payee: valid(t.Dst),
		Minor: t.Amount, Decimal: decimal, Currency: valid(t.Currency), Class: string(f.Class),
		Confidence: f.Confidence.String(), ClientID: valid(f.ClientID()), Created: engine.FormatInstant(t.At), Decision: decision,
	}
}

// each calls do for each line of the list, in the order of the findings.
func (l *refundList) each(r *findings.Result, do func(refund) error) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		rows := l.rows(f)
		for k := range rows {
			if err := do(refundOf(f, &rows[k], l.decision)); err != nil {
				return err
			}
		}
	}
	return nil
}

var refundColumns = []string{
	"refund_key", "transfer_id", "original_transfer_id", "refund_to", "refund_from", "amount_minor", "amount", "currency",
	"class", "confidence", "client_id", "created_at", "decision",
}

// csv writes the list for a spreadsheet.
func (l *refundList) csv(w io.Writer, r *findings.Result) error {
	out := csv.NewWriter(w)
	if err := out.Write(refundColumns); err != nil {
		return err
	}
	err := l.each(r, func(v refund) error {
		cells := []string{v.Key, v.Extra, v.Original, v.Payer, v.Payee, strconv.FormatInt(v.Minor, 10), v.Decimal, v.Currency,
			v.Class, v.Confidence, v.ClientID, v.Created, v.Decision}
		for i, cell := range cells {
			if i != amountCell && i != decimalCell { // numbers that this program wrote
				cells[i] = Neutral(cell)
			}
		}
		return out.Write(cells)
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

const (
	amountCell  = 5
	decimalCell = 6
)

// Neutral is a text as a cell that no spreadsheet takes for a formula: an
// apostrophe stands before what would begin one
// (https://owasp.org/www-community/attacks/CSV_Injection), also behind blanks,
// which some of them skip.
func Neutral(cell string) string {
	trimmed := strings.TrimLeft(cell, " \u00a0\v\f\n")
	if trimmed == "" {
		return cell
	}
	for _, mark := range []string{"=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠", "|", "%"} {
		if strings.HasPrefix(trimmed, mark) {
			return "'" + cell
		}
	}
	return cell
}

// json writes the list for a program, its texts as they are.
func (l *refundList) json(w io.Writer, r *findings.Result, evidence analysis.Evidence, version string) error {
	text, err := encode(struct {
		About    string       `json:"about"`
		Evidence evidenceJSON `json:"evidence"`
		Version  string       `json:"version"`
		Filter   *FilterJSON  `json:"filter"`
		Refunds  []refund     `json:"refunds"`
	}{l.about, evidenceOf(evidence), version, FilterOf(r.Narrowed), []refund{}})
	if err != nil {
		return err
	}
	var rows []refund
	if err := l.each(r, func(v refund) error { rows = append(rows, v); return nil }); err != nil {
		return err
	}
	list := longList{"refunds", len(rows), "", func(i int) (any, error) { return rows[i], nil }}
	rest, err := list.splice(w, text)
	if err != nil {
		return err
	}
	_, err = w.Write(rest)
	return err
}

// WriteRefunds writes the lists of refunds into dir, each as CSV and as JSON, all
// of them or none, and gives their paths. Only refunds.csv and refunds.json may be
// carried out without a person.
func WriteRefunds(ctx context.Context, dir string, in *analysis.Incident, r *findings.Result, evidence analysis.Evidence, version string) ([]string, error) {
	var formats []Format
	for i := range refundLists {
		l := &refundLists[i]
		formats = append(formats,
			Format{File: l.name + ".csv", About: l.about, write: func(_ context.Context, w io.Writer, _ *Report) error { return l.csv(w, r) }},
			Format{File: l.name + ".json", About: l.about, write: func(_ context.Context, w io.Writer, _ *Report) error {
				return l.json(w, r, evidence, version)
			}})
	}
	return writeInto(ctx, dir, formats, in, nil)
}
