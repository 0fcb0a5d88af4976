package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"html"
	"io"
	"strconv"
	"strings"

	"idem/analysis/ingest/moment"
	"idem/analysis/ingest/source"
)

// ofxFormat is Open Financial Exchange, SGML (1.x, where elements need no end) and
// XML (2.x). DTPOSTED is a time with its offset in brackets, [-5:EST]; without
// them the standard says GMT and banks mean their own clock, so that --zone is
// needed. A debit has a negative amount.
var ofxFormat = &Format{
	Name: "ofx", About: "Open Financial Exchange (OFX, QFX) statements", Roles: []Role{Transfers},
	Sniff: func(head []byte) bool {
		upper := bytes.ToUpper(head[:min(len(head), 4096)])
		return bytes.Contains(upper, []byte("<OFX>")) && (bytes.HasPrefix(bytes.TrimSpace(upper), []byte("OFXHEADER")) || bytes.Contains(upper, []byte("<?OFX")) || bytes.HasPrefix(bytes.TrimSpace(upper), []byte("<OFX>")))
	},
	Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
		return given.Or(Mapping{AmountUnit: "major", Fixed: map[string]string{"src": "counterparty"},
			Columns: bankColumns("DTPOSTED", "FITID", "CHECKNUM or REFNUM", "BANKACCTTO or NAME")}), nil
	},
	Read: func(in *Input, m *Mapping, out *Sink) error {
		r, err := m.rules()
		if err != nil {
			return err
		}
		o := &ofxReader{in: bufio.NewReaderSize(in, 64<<10), rules: r, mapping: m, out: out, line: 1}
		return o.read()
	},
}

type ofxReader struct {
	in      *bufio.Reader
	rules   *rules
	mapping *Mapping
	out     *Sink
	line    int64

	account, currency string
	other             bool              // inside of the account of the other side
	own               bool              // inside of the currency of the transaction
	row               map[string]string // of the transaction that is read, nil outside
	rowLine           int64
}

func (o *ofxReader) read() error {
	for o.out.Going() {
		tag, text, err := o.element()
		switch {
		case err == io.EOF:
			if o.row != nil {
				o.out.Reject(o.rowLine, []byte(o.row["FITID"]), errors.New("the file is cut inside of the transaction"))
			}
			return o.out.Err()
		case errors.Is(err, source.ErrTooLong):
			return misfit("line %d: an element is longer than 16 MiB", o.line)
		case err != nil:
			return err
		}
		o.take(tag, text)
	}
	return o.out.Err()
}

// take takes an element: its name in upper case, with a slash where it ends, and
// the text that follows.
func (o *ofxReader) take(tag, text string) {
	switch tag {
	case "STMTTRN":
		o.row, o.rowLine = map[string]string{}, o.line
	case "/STMTTRN":
		if o.row != nil {
			o.give()
		}
		o.row = nil
	case "BANKACCTTO", "CCACCTTO":
		o.other = true
	case "/BANKACCTTO", "/CCACCTTO":
		o.other = false
	case "CURDEF":
		o.currency = text
	case "ACCTID":
		if o.row == nil {
			o.account = text
		} else if o.other {
			o.row["OTHER"] = text
		}
	case "CURRENCY", "/CURRENCY":
		o.own = tag == "CURRENCY"
	case "CURSYM":
		// CURRENCY says what the amount is in; ORIGCURRENCY what it was converted from.
		if o.row != nil && o.own {
			o.row["CURRENCY"] = text
		}
	default:
		if o.row != nil && text != "" {
			o.row[tag] = text
		}
	}
}

func (o *ofxReader) give() {
	shown := []byte(o.row["DTPOSTED"] + " " + o.row["TRNTYPE"] + " " + o.row["TRNAMT"] + " " + o.row["FITID"])
	at, err := o.rules.ofxTime(o.row["DTPOSTED"])
	if err != nil {
		o.out.Reject(o.rowLine, shown, err)
		return
	}
	row := bankRow{account: []byte(o.account), currency: []byte(firstOf(o.row["CURRENCY"], o.currency)), at: at, id: []byte(o.row["FITID"]), note: []byte(o.row["MEMO"])}
	amount := o.row["TRNAMT"]
	row.credit = !strings.HasPrefix(amount, "-")
	row.amount = []byte(strings.TrimLeft(amount, "+-"))
	row.other = []byte(firstOf(o.row["OTHER"], o.row["NAME"], o.row["PAYEEID"]))
	row.ref = []byte(firstOf(o.row["REFNUM"], o.row["CHECKNUM"]))
	row.hand(o.out, o.rules, o.mapping, o.rowLine, shown)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// element reads to the next tag, and the text behind it.
func (o *ofxReader) element() (tag, text string, err error) {
	if _, err = o.until('<'); err != nil {
		return "", "", err
	}
	name, err := o.until('>')
	if err != nil {
		return "", "", err
	}
	value, err := o.peekText()
	if err != nil && err != io.EOF {
		return "", "", err
	}
	return strings.ToUpper(strings.TrimSpace(name)), strings.TrimSpace(html.UnescapeString(value)), nil
}

// until reads up to and with a byte, and gives what stood before it.
func (o *ofxReader) until(end byte) (string, error) {
	var b []byte
	for {
		piece, err := o.in.ReadSlice(end)
		o.line += int64(bytes.Count(piece, []byte{'\n'}))
		b = append(b, piece...)
		switch {
		case err == nil:
			return string(b[:len(b)-1]), nil
		case len(b) > source.MaxLine:
			return "", source.ErrTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// peekText is the text up to the next tag, which is left to be read.
func (o *ofxReader) peekText() (string, error) {
	text, err := o.until('<')
	if err == nil {
		err = o.in.UnreadByte()
	}
	return text, err
}

// ofxTime reads YYYYMMDD, with HHMMSS and .XXX or without, and an offset in
// brackets, hours and a fraction of one: [-3.5:NST], which some write [+5.30:IST].
func (r *rules) ofxTime(text string) (int64, error) {
	digits, bracket, zoned := strings.Cut(text, "[")
	digits = strings.TrimSpace(digits)
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(whole) == 8 {
		whole += "000000"
	}
	if len(whole) == 12 {
		whole += "00"
	}
	if len(whole) != 14 || !allDigits([]byte(whole+fraction)) {
		return 0, errors.New("time: " + strconv.Quote(text) + " is not of the form of OFX")
	}
	iso := whole[:4] + "-" + whole[4:6] + "-" + whole[6:8] + "T" + whole[8:10] + ":" + whole[10:12] + ":" + whole[12:]
	if fraction != "" {
		iso += "." + fraction
	}
	if !zoned {
		at, err := r.time.Read([]byte(iso))
		return at, settle("time", err)
	}
	offset, _, _ := strings.Cut(strings.TrimSuffix(bracket, "]"), ":")
	zone, ok := ofxOffset(offset)
	if !ok {
		return 0, errors.New("time: the zone of " + strconv.Quote(text) + " is not known")
	}
	at, err := new(moment.Reader).Read([]byte(iso + zone))
	return at, settle("time", err)
}

// ofxOffset makes +hh:mm of hours and a fraction, which no zone has but as a
// half or a quarter.
func ofxOffset(text string) (string, bool) {
	sign := "+"
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = "-", rest
	}
	hours, fraction, _ := strings.Cut(strings.TrimPrefix(text, "+"), ".")
	minutes, known := map[string]string{"": "00", "0": "00", "00": "00", "5": "30", "50": "30", "30": "30", "75": "45", "45": "45"}[fraction]
	if len(hours) == 1 {
		hours = "0" + hours
	}
	return sign + hours + ":" + minutes, known && len(hours) == 2 && allDigits([]byte(hours))
}
