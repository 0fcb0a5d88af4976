package ingest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
)

// camtFormat is the statements and notifications of ISO 20022: camt.052, 053 and
// 054, in XML of any version. Amounts are whole units with up to five decimals.
//
//   - A statement that says it is a copy or a duplicate repeats another one: its
//     entries are set aside. So are those that are pending or for information.
//   - An entry with details is one transfer for each: a batch is several. Details
//     without amounts leave the entry one transfer. Where the amounts of the details
//     do not add up to the entry's, it is rejected.
//   - A reversal goes by the entry's own credit or debit; only the parties of its
//     details are those of the transfer that it takes back, and change sides.
//   - A booking date without a time is the beginning of a day in --zone.
var camtFormat = &Format{
	Name: "camt", About: "camt.052, 053 and 054 statements in XML", Roles: []Role{Transfers},
	Sniff: func(head []byte) bool {
		return bytes.Contains(head, []byte("<")) && (bytes.Contains(head, []byte("BkToCstmrStmt")) || bytes.Contains(head, []byte("BkToCstmrDbtCdtNtfctn")) || bytes.Contains(head, []byte("BkToCstmrAcctRpt")))
	},
	Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
		return given.Or(Mapping{AmountUnit: "major", Decimal: "point", Fixed: map[string]string{"src": "counterparty"},
			Columns: bankColumns("BookgDt", "AcctSvcrRef or statement and entry", "EndToEndId", "RltdPties")}), nil
	},
	Read: func(in *Input, m *Mapping, out *Sink) error {
		r, err := m.rules()
		if err != nil {
			return err
		}
		c := &camtReader{rules: r, mapping: m, out: out, limit: &entryLimit{in: in.Reader, left: maxEntry}}
		return c.read()
	},
}

// camtEntry is what is read of an entry. Versions differ in where names and states
// stand.
type camtEntry struct {
	Ref      string     `xml:"NtryRef"`
	Amount   camtAmount `xml:"Amt"`
	Side     string     `xml:"CdtDbtInd"`
	Reversal string     `xml:"RvslInd"`
	Status   camtStatus `xml:"Sts"`
	Booked   camtDate   `xml:"BookgDt"`
	Value    camtDate   `xml:"ValDt"`
	BankRef  string     `xml:"AcctSvcrRef"`
	Details  []struct {
		Batch struct {
			Count string `xml:"NbOfTxs"`
		} `xml:"Btch"`
		Parts []camtPart `xml:"TxDtls"`
	} `xml:"NtryDtls"`
}

type camtAmount struct {
	Currency string `xml:"Ccy,attr"`
	Text     string `xml:",chardata"`
}

type camtStatus struct {
	Text string `xml:",chardata"`
	Code string `xml:"Cd"`
}

type camtDate struct {
	Date string `xml:"Dt"`
	Time string `xml:"DtTm"`
}

func (d *camtDate) text() string {
	if d.Time != "" {
		return strings.TrimSpace(d.Time)
	}
	return strings.TrimSpace(d.Date)
}

type camtPart struct {
	Refs struct {
		EndToEnd string `xml:"EndToEndId"`
		Tx       string `xml:"TxId"`
		Instr    string `xml:"InstrId"`
		Bank     string `xml:"AcctSvcrRef"`
	} `xml:"Refs"`
	Amount   camtAmount `xml:"Amt"`
	Original camtAmount `xml:"AmtDtls>TxAmt>Amt"`
	Parties  struct {
		Debtor          camtParty   `xml:"Dbtr"`
		DebtorAccount   camtAccount `xml:"DbtrAcct"`
		Creditor        camtParty   `xml:"Cdtr"`
		CreditorAccount camtAccount `xml:"CdtrAcct"`
	} `xml:"RltdPties"`
	Note []string `xml:"RmtInf>Ustrd"`
}

type camtParty struct {
	Name  string `xml:"Nm"`
	Inner string `xml:"Pty>Nm"`
}

type camtAccount struct {
	IBAN  string `xml:"Id>IBAN"`
	Other string `xml:"Id>Othr>Id"`
}

func (a *camtAccount) text(p *camtParty) []byte {
	for _, s := range []string{a.IBAN, a.Other, p.Name, p.Inner} {
		if s = strings.TrimSpace(s); s != "" {
			return []byte(s)
		}
	}
	return nil
}

// camtReader reads a document token by token, and entry by entry.
type camtReader struct {
	rules   *rules
	mapping *Mapping
	out     *Sink
	limit   *entryLimit
	dec     *xml.Decoder

	statement, copy  string // of the statement that is read
	account          camtAccount
	entries, rowLine int
}

func (c *camtReader) read() error {
	c.dec = xml.NewDecoder(c.limit)
	c.dec.CharsetReader = charsetReader
	depth := 0
	for c.out.Going() {
		c.limit.left = maxEntry
		token, err := c.dec.Token()
		if err == io.EOF {
			return c.out.Err()
		}
		if err != nil {
			return c.broken(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			c.rowLine, _ = c.dec.InputPos()
			inside, err := c.element(&t)
			if err != nil {
				return c.broken(err)
			}
			if inside {
				depth-- // its end was read with it
			}
		case xml.EndElement:
			depth--
		}
	}
	return c.out.Err()
}

// broken: behind broken XML nothing can be found again. A document that is cut
// costs the entry in which it ends.
func (c *camtReader) broken(err error) error {
	if s := new(xml.SyntaxError); errors.As(err, &s) {
		if strings.Contains(s.Msg, "unexpected EOF") {
			line, _ := c.dec.InputPos()
			c.out.Reject(int64(line), nil, errors.New("the XML is cut here"))
			return c.out.Err()
		}
		return misfit("the XML breaks, and what follows cannot be read: %w", err)
	}
	return err
}

// element reads what matters as a whole; whole says that it did.
func (c *camtReader) element(t *xml.StartElement) (whole bool, err error) {
	text := func(into *string) (bool, error) { return true, c.dec.DecodeElement(into, t) }
	switch t.Name.Local {
	case "Stmt", "Ntfctn", "Rpt":
		c.statement, c.copy, c.account, c.entries = "", "", camtAccount{}, 0
	case "Id":
		if c.statement == "" {
			return text(&c.statement)
		}
	case "CpyDplctInd":
		return text(&c.copy)
	case "Acct":
		return true, c.dec.DecodeElement(&c.account, t)
	case "GrpHdr", "Bal", "TxsSummry", "FrToDt", "Intrst", "RltdAcct":
		return true, c.dec.Skip()
	case "Ntry":
		var e camtEntry
		if err := c.dec.DecodeElement(&e, t); err != nil {
			return true, err
		}
		c.entries++
		c.entry(&e)
		return true, nil
	}
	return false, nil
}

// entry hands over the transfers of an entry.
func (c *camtReader) entry(e *camtEntry) {
	shown := fmt.Appendf(nil, "%s %s %s %s %s", e.Booked.text(), e.Side, e.Amount.Text, e.Amount.Currency, e.BankRef)
	refuse := func(err error) { c.out.refuseRow(int64(c.rowLine), shown, err) }
	if why := c.asideEntry(e); why != "" {
		refuse(aside(why))
		return
	}
	row := bankRow{account: c.account.text(&camtParty{}), credit: e.Side == "CRDT", amount: []byte(e.Amount.Text), currency: []byte(e.Amount.Currency), ref: []byte(e.Ref)}
	if e.Side != "CRDT" && e.Side != "DBIT" {
		refuse(errors.New("the entry is neither a credit nor a debit"))
		return
	}
	date := e.Booked.text()
	if date == "" {
		date = e.Value.text()
	}
	var err error
	if row.at, err = c.rules.bankTime([]byte(date)); err != nil {
		refuse(err)
		return
	}
	var parts []camtPart
	for i := range e.Details {
		parts = append(parts, e.Details[i].Parts...)
	}
	if len(parts) > 1 {
		if parts, err = c.split(e, parts); err != nil {
			refuse(err)
			return
		}
	}
	c.hand(e, row, parts, shown)
}

func (c *camtReader) asideEntry(e *camtEntry) string {
	status := strings.TrimSpace(e.Status.Text + e.Status.Code)
	switch {
	case c.copy != "" && c.copy != "ORGN":
		return "an entry of a copy of a statement (" + c.copy + ")"
	case status != "" && status != "BOOK":
		return "an entry that is not booked (" + status + ")"
	}
	return ""
}

// split checks that the parts of a batch add up. Parts without amounts cannot be
// told apart: then the entry stays whole.
func (c *camtReader) split(e *camtEntry, parts []camtPart) ([]camtPart, error) {
	whole, err := c.rules.amount([]byte(e.Amount.Text), []byte(e.Amount.Currency))
	if err != nil {
		return nil, settle("amount", err)
	}
	var sum int64
	for i := range parts {
		a := parts[i].amount()
		if a.Text == "" || a.Currency != e.Amount.Currency {
			return nil, nil
		}
		n, err := c.rules.amount([]byte(a.Text), []byte(a.Currency))
		if err != nil {
			return nil, settle("amount", err)
		}
		if sum += n; sum < 0 {
			return nil, errors.New("the parts add up to more than fits 64 bits")
		}
	}
	if sum != whole {
		return nil, fmt.Errorf("the parts of the batch add up to %d minor units, the entry is %d", sum, whole)
	}
	return parts, nil
}

func (p *camtPart) amount() camtAmount {
	if p.Amount.Text != "" {
		return p.Amount
	}
	return p.Original
}

func (c *camtReader) hand(e *camtEntry, row bankRow, parts []camtPart, shown []byte) {
	id := []byte(e.BankRef)
	if len(id) == 0 {
		id = joined([]byte(c.statement), number(c.entries))
	}
	whole := len(parts) <= 1
	if len(parts) == 0 {
		parts = make([]camtPart, 1)
	}
	for i := range parts {
		p, one := &parts[i], row
		one.id = id
		if !whole {
			a := p.amount()
			one.amount, one.currency, one.id = []byte(a.Text), []byte(a.Currency), joined(id, number(i+1))
		}
		if p.Refs.Bank != "" && p.Refs.Bank != e.BankRef {
			one.id = []byte(p.Refs.Bank)
		}
		if ref := p.Refs.EndToEnd; ref != "" && ref != "NOTPROVIDED" {
			one.ref = []byte(ref)
		}
		if one.credit != (strings.TrimSpace(e.Reversal) == "true") {
			one.other = p.Parties.DebtorAccount.text(&p.Parties.Debtor)
		} else {
			one.other = p.Parties.CreditorAccount.text(&p.Parties.Creditor)
		}
		one.note = []byte(strings.Join(p.Note, " "))
		one.hand(c.out, c.rules, c.mapping, int64(c.rowLine), shown)
	}
}

// charsetReader reads the encodings that XML documents name.
func charsetReader(name string, in io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(name), "utf-") {
		return in, nil // it was decoded when the file was opened
	}
	e, err := ianaindex.IANA.Encoding(name)
	if err != nil || e == nil {
		return nil, fmt.Errorf("the encoding %q is not known", name)
	}
	if e == charmap.ISO8859_1 {
		e = charmap.Windows1252 // as browsers read it: a superset, whose controls nobody means
	}
	return e.NewDecoder().Reader(in), nil
}
