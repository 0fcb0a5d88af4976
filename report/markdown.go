package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"text/template"
	"time"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/replay"
	"idem/engine"
)

//go:embed report.md.tmpl
var reportTemplate string

// Markdown is the report for people: a headline and four sections. The template
// is one for all languages; what stands in it besides structure are texts of the
// language and values, and each value goes through words.show, which lets no
// string from the data be anything but a piece of inline code.
func (r *Report) Markdown(lang Lang) ([]byte, error) {
	w, err := wordsOf(lang)
	if err != nil {
		return nil, err
	}
	tmpl, err := template.New("report").Funcs(template.FuncMap{
		"t":    w.text,
		"all":  func(name string, args []any) (string, error) { return w.text(name, args...) },
		"show": w.show,
		"sure": func(f *findings.Finding) string { return confidenceText(f.Confidence) },
		"why": func(f *findings.Finding) ([]string, error) {
			e, err := why(f, w.text)
			return e.Lines(" ← "), err
		},
	}).Parse(reportTemplate)
	if err != nil {
		return nil, fmt.Errorf("parse the report's template: %w", err)
	}
	v, err := viewOf(&r.day, &r.facts)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("write the report in %s: %w", lang, err)
	}
	return b.Bytes(), nil
}

// view is what the template sees.
type view struct {
	Dup         *analysis.Duplicates
	Res         *replay.Result
	Facts       *facts
	Findings    *findings.Result
	Causes      []cause
	Examples    []*findings.Finding
	Evidence    analysis.Evidence
	Narrowed    analysis.Narrowing
	Version     string
	PolicyHash  string
	Currencies  []currencyView
	Outcomes    []outcome
	Balance     []balance
	Risks       []risk
	Knobs       []engine.Knob
	LookWindow  time.Duration
	Unmatched   []analysis.TransferV1
	Bad         []analysis.BadRow
	AllBad      int64
	MoreGroups  int
	KeyLifetime any // a duration, or the text "forever"
}

// currencyView is the money of one currency on both sides.
type currencyView struct{ V1, Transferred, DoublePaid amount }

// outcome is one class with its number of requests.
type outcome struct {
	Name  string // of its text
	Class markdown
	Count int64
}

// balance takes the difference of one currency apart.
type balance struct {
	Currency                 markdown
	V1, Transferred, Avoided amount
	Raw                      markdown // Avoided as result.json has it
	Terms                    []term
}

// term is one part of the difference; Minus where it is subtracted.
type term struct {
	Name   string // of its text
	Amount amount
}

func viewOf(day *Day, f *facts) (*view, error) {
	res, dup := &day.Result, day.Duplicates
	v := &view{
		Dup: dup, Res: res, Facts: f, Findings: day.Findings, Examples: examples(day.Findings), Evidence: day.Evidence, Version: day.Version, Narrowed: day.Incident.Narrowing(),
		PolicyHash: res.Policy.Hash(), Outcomes: outcomes(res), Risks: risks(day, f),
		Knobs: engine.Knobs(), LookWindow: lookWindow,
		Unmatched: dup.Unmatched[:min(listed, len(dup.Unmatched))], Bad: dup.Bad[:min(listed, len(dup.Bad))],
		AllBad: dup.BadRequests + dup.BadTransfers + dup.BadAccounts, MoreGroups: len(dup.Groups) - len(f.Groups), KeyLifetime: lifetime(res.Policy.Retention),
	}
	if day.Findings != nil {
		var err error
		if v.Causes, err = causesOf(day.Findings); err != nil {
			return nil, fmt.Errorf("sum up findings: %w", err)
		}
	}
	avoided, err := res.Avoided()
	if err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	for _, c := range currencies(res.V1Total, res.Transferred) {
		v.Currencies = append(v.Currencies, currencyView{
			amount{res.V1Total.Of(c), c}, amount{res.Transferred.Of(c), c}, amount{dup.DoublePaid.Of(c), c},
		})
		v.Balance = append(v.Balance, balance{
			Currency: markdown(currencyName(c)), V1: amount{res.V1Total.Of(c), c},
			Transferred: amount{res.Transferred.Of(c), c}, Avoided: amount{avoided.Of(c), c},
			Raw: markdown(strconv.FormatInt(avoided.Of(c), 10)), Terms: terms(&res.Reconciliation, c),
		})
	}
	return v, nil
}

// lifetime is a retention as a value to show.
func lifetime(d time.Duration) any {
	if d == engine.Forever {
		return "forever"
	}
	return d
}

// terms are the parts of the difference: what was stopped, and every other that
// is not zero.
func terms(rec *replay.Reconciliation, c string) []term {
	list := []term{{"term_stopped", amount{rec.Stopped.Of(c), c}}}
	for _, t := range []struct {
		name string
		sum  analysis.Money
	}{
		{"term_refused", rec.RefusedV1}, {"term_unusable", rec.UnusableV1}, {"term_unmatched", rec.Unmatched},
		{"term_differs", rec.AmountDiffers}, {"term_taken_back", rec.TakenBack}, {"term_only_replay", rec.OnlyReplay},
	} {
		if n := t.sum.Of(c); n != 0 {
			list = append(list, term{t.name, amount{n, c}})
		}
	}
	return list
}

func outcomes(res *replay.Result) []outcome {
	p := &res.Policy
	mismatch := markdown("mismatch")
	if p.OnMismatch != engine.MismatchReplays {
		mismatch = markdown(fmt.Sprintf("%d mismatch", p.OnMismatch))
	}
	return []outcome{
		{"outcome_created", "created", res.Created},
		{"outcome_replayed", "replayed", res.Replayed},
		{"outcome_in_flight", markdown(fmt.Sprintf("%d in flight", p.OnInFlight)), res.InFlight},
		{"outcome_mismatch", mismatch, res.Mismatch},
		{"outcome_refused", "refused", res.Refused},
	}
}

// Answer is what the client of a request got: the outcome and the status, 0
// where there was no answer.
func (r retry) Answer() markdown {
	switch {
	case r.Class == replay.InFlight:
		return markdown(fmt.Sprintf("#%d %d in flight", r.N, r.Status))
	case r.Class == replay.Mismatch:
		return markdown(fmt.Sprintf("#%d %d mismatch", r.N, r.Status))
	case r.Status == 0:
		return markdown(fmt.Sprintf("#%d %s", r.N, r.Class))
	}
	return markdown(fmt.Sprintf("#%d %s %d", r.N, r.Class, r.Status))
}

// injection is one thing done to a day that its log does not say: the name of
// its text, and the seq of its request.
type injection struct {
	Name string
	Seq  int64
}

// Injections are all of them, none for a day as the log has it.
func (v *view) Injections() []injection {
	var list []injection
	o := &v.Res.Injected
	for _, kind := range []struct {
		name string
		seqs []int64
	}{{"injected_crash", o.CrashAt}, {"injected_stall", o.StallAt}, {"injected_race", o.RaceAt}} {
		for _, seq := range kind.seqs {
			list = append(list, injection{kind.name, seq})
		}
	}
	if o.NoRenewal {
		list = append(list, injection{Name: "injected_no_renewal"})
	}
	return list
}

// IsReplay reports whether a mismatch is answered with the first result.
func (v *view) IsReplay() bool { return v.Res.Policy.OnMismatch == engine.MismatchReplays }

// Conditions are those of the part of the incident that the report is about.
func (v *view) Conditions() []condition { return conditions(&v.Narrowed.Filter) }

// Status writes an HTTP status, which has no thousands.
func (v *view) Status(n any) markdown { return markdown(fmt.Sprint(n)) }

// Value is a knob's value under the policy.
func (v *view) Value(k engine.Knob) string { return k.Get(v.Res.Policy) }

// RetryAfter is the longest wait that a retry is told: what is left of the
// lease, 1 to 30 seconds.
func (v *view) RetryAfter() time.Duration {
	return min(max(v.Res.Policy.Lease, time.Second), 30*time.Second)
}

// Amount is what a transfer moved.
func (v *view) Amount(t analysis.TransferV1) amount { return amount{t.Amount, t.Currency} }
