package report

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/printable"
)

// Lang is a language of the report, by its BCP 47 tag.
type Lang string

// The languages there are.
const (
	Korean             Lang = "ko"
	English            Lang = "en"
	SimplifiedChinese  Lang = "zh-Hans"
	TraditionalChinese Lang = "zh-Hant"
)

// Languages are all languages, the report's own first.
func Languages() []Lang {
	return []Lang{Korean, English, SimplifiedChinese, TraditionalChinese}
}

// ErrLanguage: no report is written in that language.
var ErrLanguage = errors.New("unknown language")

// ParseLang finds the language that a BCP 47 tag asks for: "zh-TW" is zh-Hant,
// "en-GB" is en. The error wraps [ErrLanguage] and names the known ones.
func ParseLang(tag string) (Lang, error) {
	asked, err := language.Parse(tag)
	if err == nil {
		langs := Languages()
		tags := make([]language.Tag, len(langs))
		for i, l := range langs {
			tags[i] = language.MustParse(string(l))
		}
		// A matcher always answers; only its confidence tells a match from the default.
		if _, i, confidence := language.NewMatcher(tags).Match(asked); confidence >= language.High {
			return langs[i], nil
		}
	}
	return "", fmt.Errorf("%w %q, must be one of ko, en, zh-Hans, zh-Hant", ErrLanguage, tag)
}

// file is the name of the report in this language.
func (l Lang) file() string {
	if l == Korean {
		return "idem_report.md"
	}
	return "idem_report." + string(l) + ".md"
}

//go:embed lang/*.json
var langFiles embed.FS

// words are the texts of one language by their names, with places {1}, {2}, ...
// for what is told.
type words map[string]string

// known keeps the words of each language once they were read.
var known sync.Map // Lang -> words

func wordsOf(l Lang) (words, error) {
	if w, ok := known.Load(l); ok {
		return w.(words), nil
	}
	b, err := langFiles.ReadFile("lang/" + string(l) + ".json")
	if err != nil {
		return nil, fmt.Errorf("%w %q", ErrLanguage, string(l))
	}
	var w words
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, fmt.Errorf("texts of language %s: %w", l, err)
	}
	known.Store(l, w)
	return w, nil
}

// text is a named text with its places filled, as Markdown.
func (w words) text(name string, args ...any) (string, error) { return w.fill(name, args, w.show) }

// plain is a named text with its places filled, for a terminal or a JSON file.
func (w words) plain(name string, args ...any) (string, error) {
	return w.fill(name, args, w.showPlain)
}

func (w words) fill(name string, args []any, show func(any) string) (string, error) {
	text, ok := w[name]
	if !ok {
		return "", fmt.Errorf("no text %q", name)
	}
	out := make([]byte, 0, 2*len(text))
	for i := 0; i < len(text); i++ {
		// A place is "{1}" to "{9}".
		if text[i] == '{' && i+2 < len(text) && text[i+2] == '}' {
			if n := int(text[i+1]) - '1'; n >= 0 && n < len(args) {
				out = append(out, show(args[n])...)
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out), nil
}

// amount is money of one currency in minor units.
type amount struct {
	minor    int64
	currency string
}

// markdown is text that is safe as it stands. A plain string never is: it comes
// from the data.
type markdown string

// show writes a value into Markdown.
func (w words) show(v any) string {
	switch v := v.(type) {
	case markdown:
		return string(v)
	case int:
		return printable.Digits(int64(v))
	case int64:
		return printable.Digits(v)
	case amount:
		return w.amount(v)
	case analysis.Money:
		return w.money(v)
	case time.Time:
		return w.time(v)
	case time.Duration:
		return w.duration(v)
	case string:
		return code(v)
	case findings.TransferID:
		return code(string(v))
	case findings.Class:
		return string(v)
	case findings.Amount:
		return w.amount(amount{v.Minor, v.Currency})
	case findings.Status:
		return strconv.Itoa(int(v))
	case findings.Row:
		return w.row(v, w.show)
	default:
		return code(fmt.Sprint(v))
	}
}

// showPlain writes a value into plain text.
func (w words) showPlain(v any) string {
	switch v := v.(type) {
	case string:
		return shown(v)
	case findings.TransferID:
		return shown(string(v))
	case findings.Amount:
		return PlainAmount(v.Minor, v.Currency)
	case findings.Row:
		return w.row(v, w.showPlain)
	}
	return w.show(v)
}

// row names a row of the log, and the line that it was imported from.
func (w words) row(r findings.Row, show func(any) string) string {
	seq := markdown(strconv.FormatInt(r.Seq, 10))
	name, args := "request", []any{seq}
	if r.File != "" {
		name, args = "request_in", []any{seq, filepath.Base(r.File), markdown(strconv.FormatInt(r.Line, 10))}
	}
	text, err := w.fill(name, args, show)
	if err != nil {
		return string(seq) // a test holds that both texts are there
	}
	return text
}

// amount is the major unit and, where they differ, the minor units behind it.
func (w words) amount(a amount) string {
	minor, name := printable.Digits(a.minor), currencyName(a.currency)
	major, known := Major(a.minor, a.currency)
	switch {
	case !known:
		return fmt.Sprintf("%s %s (%s)", minor, name, w["minor_units"])
	case major == minor:
		return minor + " " + name
	default:
		return fmt.Sprintf("%s %s (%s)", major, name, minor)
	}
}

func (w words) money(m analysis.Money) string {
	list := m.Currencies()
	if len(list) == 0 {
		return "0"
	}
	for i, c := range list {
		list[i] = w.amount(amount{m.Of(c), c})
	}
	return strings.Join(list, " / ")
}

func (w words) time(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000")
}

// duration is a span in its two largest units, milliseconds below a minute.
func (w words) duration(d time.Duration) string {
	if d < time.Minute {
		return strings.ReplaceAll(w["seconds"], "{1}", seconds(d.Round(time.Millisecond)).String())
	}
	units := []struct {
		name string
		size time.Duration
	}{{"days", 24 * time.Hour}, {"hours", time.Hour}, {"minutes", time.Minute}, {"seconds", time.Second}}
	var parts []string
	for _, u := range units {
		if u.size > time.Hour && d < 2*u.size {
			continue // "24 h" says more than "1 d"
		}
		n := d / u.size
		d -= n * u.size
		if n > 0 {
			parts = append(parts, strings.ReplaceAll(w[u.name], "{1}", printable.Digits(int64(n))))
		}
		if len(parts) == 2 || (len(parts) == 1 && n == 0) {
			break
		}
	}
	return strings.Join(parts, " ")
}
