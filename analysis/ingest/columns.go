package ingest

// slot ties a value of a row, or one that is the same in every row, to the field
// it is for.
type slot[T any] struct {
	field *field[T]
	place int // in the list of places
	fixed []byte
}

// columnPlan is how the values of a row become a T: one slot for each place and
// fixed value, in the order of the table of fields.
type columnPlan[T any] struct {
	rules   *rules
	missing string // a text that is written where there is none
	places  []string
	slots   []slot[T]
}

func newColumnPlan[T any](fields []field[T], m *Mapping) (*columnPlan[T], error) {
	r, err := m.rules()
	if err != nil {
		return nil, err
	}
	p := &columnPlan[T]{rules: r, missing: m.Missing}
	for i := range fields {
		f := &fields[i]
		for _, place := range m.Columns[f.name] {
			p.slots = append(p.slots, slot[T]{field: f, place: len(p.places)})
			p.places = append(p.places, place)
		}
		if text, ok := m.Fixed[f.name]; ok {
			p.slots = append(p.slots, slot[T]{field: f, fixed: []byte(text)})
		}
	}
	return p, nil
}

// fill sets the fields of row from the values of the places. An empty value is
// none, and the next slot of its field counts.
func (p *columnPlan[T]) fill(row *T, values func(i int) []byte) error {
	done := (*field[T])(nil)
	for i := range p.slots {
		s := &p.slots[i]
		if s.field == done {
			continue
		}
		b := s.fixed
		if b == nil {
			b = values(s.place)
		}
		if len(b) == 0 || p.missing != "" && string(b) == p.missing {
			continue
		}
		done = s.field
		if err := s.field.set(p.rules, row, b); err != nil {
			return settle(s.field.name, err)
		}
	}
	return nil
}

// rowReader turns the rows of a general format into what they are.
type rowReader struct {
	role      Role
	fix       fixes
	places    []string
	requests  *columnPlan[Request]
	transfers *columnPlan[Transfer]
	accounts  *columnPlan[Account]
}

func newRowReader(role Role, m *Mapping, fix fixes) (*rowReader, error) {
	r := &rowReader{role: role, fix: fix}
	var err error
	switch role {
	case Requests:
		if r.requests, err = newColumnPlan(requestFields, m); err == nil {
			r.places = r.requests.places
		}
	case Transfers:
		if r.transfers, err = newColumnPlan(transferFields, m); err == nil {
			r.places = r.transfers.places
		}
	default:
		if r.accounts, err = newColumnPlan(accountFields, m); err == nil {
			r.places = r.accounts.places
		}
	}
	return r, err
}

// hand hands one row over, or rejects it; text is the row as it stands.
func (r *rowReader) hand(out *Sink, n int64, text func() []byte, values func(i int) []byte) {
	out.raw = text
	defer func() { out.raw = nil }()
	var err error
	switch r.role {
	case Requests:
		err = r.handRequest(out, n, values)
	case Transfers:
		row := Transfer{Line: n, Currency: r.transfers.rules.currency}
		if err = r.transfers.fill(&row, values); err == nil && r.fix.transfer != nil {
			err = r.fix.transfer(&row)
		}
		if err == nil {
			out.Transfer(&row)
		}
	default:
		row := Account{Line: n}
		if err = r.accounts.fill(&row, values); err == nil {
			out.Account(&row)
		}
	}
	if err != nil {
		out.refuseRow(n, text(), err)
	}
}

func (r *rowReader) handRequest(out *Sink, n int64, values func(i int) []byte) error {
	row := Request{Line: n, Duration: -1, AtEnd: r.requests.rules.atEnd}
	if err := r.requests.fill(&row, values); err != nil {
		return err
	}
	if r.fix.request != nil {
		if err := r.fix.request(&row); err != nil {
			return err
		}
	}
	// With a duration it matters whether a time is the start or the end.
	if row.Duration > 0 && !r.requests.rules.edge {
		return unsettled("--time-is", "the time could be the start or the end of the request")
	}
	out.Request(&row)
	return nil
}
