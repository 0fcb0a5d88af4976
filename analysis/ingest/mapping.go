package ingest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Map is a mapping file: how requests, transfers, accounts and the bodies of
// requests are read. What it leaves out is detected.
type Map struct {
	Requests  Mapping `toml:"requests,omitzero"`
	Transfers Mapping `toml:"transfers,omitzero"`
	Accounts  Mapping `toml:"accounts,omitzero"`
	Body      Body    `toml:"body,omitzero"`
}

// Mapping is how the files of one role are read. An empty setting is not
// settled yet.
type Mapping struct {
	Format       string         `toml:"format,omitempty" json:"format,omitempty"`
	TimeIs       string         `toml:"time_is,omitempty" json:"time_is,omitempty"`             // start or end of the request
	TimeUnit     string         `toml:"time_unit,omitempty" json:"time_unit,omitempty"`         // of a time that is a number: s, ms, us, ns
	TimeLayout   string         `toml:"time_layout,omitempty" json:"time_layout,omitempty"`     // a layout of Go's time package
	Zone         string         `toml:"zone,omitempty" json:"zone,omitempty"`                   // of times without one
	DurationUnit string         `toml:"duration_unit,omitempty" json:"duration_unit,omitempty"` // s, ms, us, ns
	AmountUnit   string         `toml:"amount_unit,omitempty" json:"amount_unit,omitempty"`     // minor or major
	Decimal      string         `toml:"decimal,omitempty" json:"decimal,omitempty"`             // point or comma
	Currency     string         `toml:"currency,omitempty" json:"currency,omitempty"`           // where no column tells it
	Delimiter    string         `toml:"delimiter,omitempty" json:"delimiter,omitempty"`         // of CSV
	Missing      string         `toml:"missing,omitempty" json:"missing,omitempty"`             // what is written where there is no value, such as - or NULL
	Exponents    map[string]int `toml:"exponents,omitempty" json:"exponents,omitempty"`         // decimals of minor units by currency, where they are not those of ISO 4217
	// Columns tells where each field stands: names of columns, or places in
	// JSON. The first one that a row has is taken.
	Columns map[string]Places `toml:"columns,omitempty" json:"columns,omitempty"`
	// Fixed gives fields a text where no column has one: the endpoint of a log
	// that has but one, the house's account in a ledger of payments.
	Fixed map[string]string `toml:"fixed,omitempty" json:"fixed,omitempty"`
}

// Body is where a payment stands in the body of a request: places in its JSON,
// the first one that a body has is taken.
type Body struct {
	Src        Places `toml:"src,omitempty" json:"src"`
	Dst        Places `toml:"dst,omitempty" json:"dst"`
	Amount     Places `toml:"amount,omitempty" json:"amount"`
	Currency   Places `toml:"currency,omitempty" json:"currency"`
	Reference  Places `toml:"reference,omitempty" json:"reference"`
	Key        Places `toml:"key,omitempty" json:"key"`
	AmountUnit string `toml:"amount_unit,omitempty" json:"amount_unit"` // minor or major
	// DefaultSrc, DefaultDst and DefaultCurrency hold where a body tells none.
	DefaultSrc      string         `toml:"default_src,omitempty" json:"default_src,omitempty"`
	DefaultDst      string         `toml:"default_dst,omitempty" json:"default_dst,omitempty"`
	DefaultCurrency string         `toml:"default_currency,omitempty" json:"default_currency,omitempty"`
	Exponents       map[string]int `toml:"exponents,omitempty" json:"exponents,omitempty"`
}

// Places is one place or several, of which the first that is there counts.
type Places []string

// UnmarshalTOML reads a text or a list of texts.
func (p *Places) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		*p = Places{v}
		return nil
	case []any:
		*p = Places{} // an empty list says that there is no such place
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				return fmt.Errorf("a place must be a text, not %v", item)
			}
			*p = append(*p, text)
		}
		return nil
	}
	return fmt.Errorf("a place must be a text or a list of texts, not %v", v)
}

// ParseMap reads a mapping file. A name that it does not know is an error.
func ParseMap(text []byte) (Map, error) {
	var m Map
	meta, err := toml.Decode(string(text), &m)
	if err != nil {
		return Map{}, fmt.Errorf("mapping file: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Map{}, fmt.Errorf("mapping file: %s is not known", unknown[0])
	}
	for _, role := range roles {
		if err := m.section(role).known(role); err != nil {
			return Map{}, err
		}
	}
	return m, nil
}

// known refuses fields that a role does not have.
func (m *Mapping) known(role Role) error {
	for _, table := range []struct {
		name   string
		fields []string
	}{{"columns", slices.Sorted(maps.Keys(m.Columns))}, {"fixed", slices.Sorted(maps.Keys(m.Fixed))}} {
		for _, name := range table.fields {
			if _, ok := fieldNamed(role, name); !ok {
				return fmt.Errorf("mapping file: %s.%s.%s is not known; there are %s", role, table.name, name, strings.Join(fieldNames(role), ", "))
			}
		}
	}
	return nil
}

func (m *Map) section(role Role) *Mapping {
	switch role {
	case Requests:
		return &m.Requests
	case Transfers:
		return &m.Transfers
	}
	return &m.Accounts
}

// Text is the mapping as a file that repeats it.
func (m Map) Text() string {
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	if err := enc.Encode(m); err != nil {
		panic("ingest: a mapping does not encode: " + err.Error())
	}
	return b.String()
}

// Or fills what m leaves open from other.
func (m Mapping) Or(other Mapping) Mapping {
	for _, f := range []struct{ into, from *string }{
		{&m.Format, &other.Format}, {&m.TimeIs, &other.TimeIs}, {&m.TimeUnit, &other.TimeUnit},
		{&m.TimeLayout, &other.TimeLayout}, {&m.Zone, &other.Zone}, {&m.DurationUnit, &other.DurationUnit},
		{&m.AmountUnit, &other.AmountUnit}, {&m.Decimal, &other.Decimal}, {&m.Currency, &other.Currency},
		{&m.Delimiter, &other.Delimiter}, {&m.Missing, &other.Missing},
	} {
		if *f.into == "" {
			*f.into = *f.from
		}
	}
	columns := maps.Clone(other.Columns)
	if columns == nil {
		columns = map[string]Places{}
	}
	maps.Copy(columns, m.Columns)
	m.Columns = columns
	if m.Exponents == nil {
		m.Exponents = other.Exponents
	}
	if m.Fixed == nil {
		m.Fixed = other.Fixed
	}
	return m
}

// check refuses settings that are none.
func (m *Mapping) check() error {
	for _, s := range []struct {
		name, value string
		allowed     []string
	}{
		{"time_is", m.TimeIs, []string{"start", "end"}},
		{"time_unit", m.TimeUnit, []string{"s", "ms", "us", "ns"}},
		{"duration_unit", m.DurationUnit, []string{"s", "ms", "us", "ns"}},
		{"amount_unit", m.AmountUnit, []string{"minor", "major"}},
		{"decimal", m.Decimal, []string{"point", "comma"}},
	} {
		if s.value != "" && !slices.Contains(s.allowed, s.value) {
			return fmt.Errorf("%s is %q: it must be %s", s.name, s.value, strings.Join(s.allowed, " or "))
		}
	}
	return nil
}

// Settle puts settings of the command line over those of the file. A setting
// goes to every role that has such a thing; format is that of all files.
func (m *Map) Settle(s Mapping, format, bodyUnit string) error {
	s.Columns, s.Format = nil, format
	requests, transfers, accounts := s, s, s
	requests.AmountUnit, requests.Decimal, requests.Currency = "", "", ""
	for _, other := range []*Mapping{&transfers, &accounts} {
		other.TimeIs, other.DurationUnit = "", ""
	}
	m.Requests, m.Transfers, m.Accounts = requests.Or(m.Requests), transfers.Or(m.Transfers), accounts.Or(m.Accounts)
	if bodyUnit != "" {
		m.Body.AmountUnit = bodyUnit
	}
	for _, role := range roles {
		if _, err := m.section(role).rules(); err != nil {
			return usage("%w", err)
		}
	}
	if err := (&Mapping{AmountUnit: m.Body.AmountUnit}).check(); err != nil {
		return usage("%w", err)
	}
	return nil
}
