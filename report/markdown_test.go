package report

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"idem/analysis"
	"idem/engine"
)

var koreanSections = []string{"## 무엇이 잘못됐나", "## 어떻게 막았나", "## 남은 위험", "## 운영 규칙"}

// hostileText draws what breaks Markdown, tables, terminals and HTML, and any
// other text.
func hostileText() *rapid.Generator[string] {
	pieces := []string{
		"|", `\`, `\|`, "`", "``", "\n", "\r", "\n## x\n", "# ", "<b>", "</td>", "<!--", "[a](b)", "![i](j)",
		"http://e.example", "www.e.example", "a@b.example", "*", "__", "~~", "$$", "---", "| --- |", " ", "\t", "{1}", "{{x}}", "%s",
		"\x1b[31m", "\x00", "\u009b", "\u202e", "\u2028", "\ufeff", "\xff", "한글", "e\u0301", "👩‍👩‍👧", "&amp;", "&#124;", "```",
	}
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "free") {
			return rapid.String().Draw(t, "text")
		}
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
	})
}

// poison puts hostile text wherever a report shows data, and returns it.
func poison(t *rapid.T, r *Report) []string {
	var all []string
	draw := func(to ...*string) {
		for _, s := range to {
			*s = hostileText().Draw(t, "data")
			all = append(all, *s)
		}
	}
	draw(&r.day.Version)
	for i := range r.facts.Groups {
		g := &r.facts.Groups[i]
		draw(&g.Key, &g.ClientID, &g.Endpoint, &g.Src, &g.Dst)
	}
	for i := range r.facts.Accounts {
		draw(&r.facts.Accounts[i].Account)
	}
	for i := range r.facts.Mismatches {
		draw(&r.facts.Mismatches[i].Key, &r.facts.Mismatches[i].ClientID)
	}
	for i := range r.facts.LookAlikes.Examples {
		e := &r.facts.LookAlikes.Examples[i]
		draw(&e.FirstKey, &e.Key, &e.Src, &e.Dst)
	}
	for i := range r.day.Duplicates.Unmatched {
		u := &r.day.Duplicates.Unmatched[i]
		draw(&u.ID, &u.Src, &u.Dst)
	}
	for i := range r.day.Duplicates.Bad {
		b := &r.day.Duplicates.Bad[i]
		draw(&b.Row, &b.Value, &b.Reason)
	}
	told := len(all)
	for i := range r.day.Findings.Findings {
		f := &r.day.Findings.Findings[i]
		for k := range f.Sends {
			s := &f.Sends[k]
			draw(&s.Key, &s.BodyKey, &s.ClientID, &s.Endpoint, &s.Origin.File, &s.Origin.Note)
		}
		draw(&f.Kept.ID)
		for k := range f.Extra {
			draw(&f.Extra[k].ID, &f.Extra[k].Join)
			f.Extra[k].Of = f.Kept.ID
		}
	}
	all = all[:told] // what a chain tells of them depends on what they are
	var currency string
	draw(&currency)
	for _, m := range []*analysis.Money{&r.day.Result.V1Total, &r.day.Result.Transferred} {
		if err := m.Add(currency, 3); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// outline is the structure of a document: its headings and the cells of each
// row of its tables, with the code spans apart.
type outline struct {
	headings []string
	rows     []int
	code     []string
	active   []string // nodes that data must never become
}

func outlineOf(source []byte) outline {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	var o outline
	_ = ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			o.headings = append(o.headings, strings.Repeat("#", n.Level)+" "+string(n.Lines().Value(source)))
		case *east.TableRow, *east.TableHeader:
			o.rows = append(o.rows, n.ChildCount())
		case *ast.CodeSpan:
			var b bytes.Buffer
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				b.Write(c.(*ast.Text).Segment.Value(source))
			}
			o.code = append(o.code, b.String())
		case *ast.HTMLBlock, *ast.RawHTML, *ast.Link, *ast.AutoLink, *ast.Image, *ast.FencedCodeBlock, *ast.CodeBlock,
			*ast.ThematicBreak, *east.Strikethrough, *east.TaskCheckBox:
			o.active = append(o.active, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return o
}

// Whatever the data holds, the report keeps its shape: four sections, the same
// headings, the same tables, nothing active, and each string readable as code.
func TestDataCannotChangeTheReport(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := twoCurrencies(t)
		r.facts.Groups = slices.Clone(r.facts.Groups)
		data := poison(rt, r)
		lang := rapid.SampledFrom(Languages()).Draw(rt, "lang")
		got, err := r.Markdown(lang)
		if err != nil {
			rt.Fatal(err)
		}
		checkShape(rt, lang, got, data)
	})
}

func checkShape(t *rapid.T, lang Lang, got []byte, data []string) {
	var sections []string
	for line := range strings.Lines(string(got)) {
		if strings.HasPrefix(line, "## ") {
			sections = append(sections, strings.TrimSuffix(line, "\n"))
		}
	}
	if len(sections) != 4 || (lang == Korean && !slices.Equal(sections, koreanSections)) {
		t.Fatalf("%s: sections are %q", lang, sections)
	}
	if i := bytes.IndexFunc(got, func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }); i >= 0 {
		t.Fatalf("%s: invisible character at %d: %q", lang, i, got[i:min(i+20, len(got))])
	}
	o := outlineOf(got)
	if len(o.active) > 0 {
		t.Fatalf("%s: data became %q", lang, o.active)
	}
	if len(o.headings) != 1+4+13 {
		t.Fatalf("%s: %d headings %q", lang, len(o.headings), o.headings)
	}
	rendered := htmlOf(t, got)
	for _, s := range data {
		want := "<code>" + htmlText(shown(s)) + "</code>"
		if currencyName(s) != s && !strings.Contains(rendered, want) {
			t.Fatalf("%s: %q is not readable as %s", lang, s, want)
		}
	}
	if n := strings.Count(rendered, "<td></td>"); n > 0 {
		t.Fatalf("%s: %d cells are empty, so a row was torn", lang, n)
	}
}

func htmlOf(t *rapid.T, source []byte) string {
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(source, &b); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(` style="[^"]*"`).ReplaceAllString(b.String(), "")
}

func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

func TestUnprotectedDataWouldShow(t *testing.T) {
	o := outlineOf([]byte("| a |\n| --- |\n| <b>x</b> http://e.example |\n"))
	if len(o.active) < 3 {
		t.Errorf("the test's own eyes are shut: %q", o.active)
	}
}

func TestHeadlineNamesTheFigures(t *testing.T) {
	r := prepared(t, labDay(t))
	got, err := r.Markdown(Korean)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(got), "## ")
	for _, want := range []string{"23,074,200 KRW", "20건"} {
		if !strings.Contains(head, want) {
			t.Errorf("the part before the first section lacks %q:\n%s", want, head)
		}
	}
	var stopped int64
	for _, c := range r.day.Result.Stopped.Currencies() {
		stopped += r.day.Result.Stopped.Of(c)
	}
	if stopped != 23_074_200 {
		t.Errorf("the lab's day stopped %d", stopped)
	}
}

func TestStatusesOfThePolicy(t *testing.T) {
	r := oneCurrency(t)
	r.day.Result.Policy.OnInFlight, r.day.Result.Policy.OnMismatch = 425, 400
	got, err := r.Markdown(English)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 425 in flight |", "| 400 mismatch |", "On 425 the first", "On 400 (key reused)", "| `on_in_flight` | `425` |"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("lacks %q", want)
		}
	}
	if strings.Contains(string(got), "409") && !strings.Contains(string(got), "#2 409") {
		t.Error("speaks of 409, which is not the policy's")
	}
}

func TestRetentionWarning(t *testing.T) {
	for _, c := range []struct {
		make func(*testing.T) *Report
		want bool
	}{{oneCurrency, false}, {twoCurrencies, true}, {quiet, false}} {
		got, err := c.make(t).Markdown(English)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(got), "> **Warning: the retention") != c.want {
			t.Errorf("warning is not %v:\n%.600s", c.want, got)
		}
	}
}

func TestEveryKnobHasAReason(t *testing.T) {
	for _, lang := range Languages() {
		w, err := wordsOf(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range engine.Knobs() {
			if w["why_"+k.Name] == "" {
				t.Errorf("%s: no text why_%s", lang, k.Name)
			}
		}
	}
}

func TestRenderEndsWithItsWriter(t *testing.T) {
	for _, f := range Formats()[1:] {
		if err := f.write(context.Background(), failing{}, oneCurrency(t)); err == nil {
			t.Errorf("%s: an error of the writer was dropped", f.File)
		}
	}
}
