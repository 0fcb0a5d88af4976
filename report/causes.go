package report

import (
	"slices"

	"idem/analysis"
	"idem/analysis/findings"
)

// cause is one class of findings at one confidence.
type cause struct {
	Class      findings.Class
	Confidence findings.Confidence
	Findings   int64
	Transfers  int64 // extra and disputed
	Paid       analysis.Money
	Disputed   bool
}

// causesOf sums up what accuses transfers, in the order of the classes.
func causesOf(r *findings.Result) ([]cause, error) {
	type kind struct {
		findings.Class
		findings.Confidence
	}
	by := map[kind]*cause{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Accuses() {
			continue
		}
		k := kind{f.Class, f.Confidence}
		c := by[k]
		if c == nil {
			c = &cause{Class: f.Class, Confidence: f.Confidence}
			by[k] = c
		}
		c.Findings++
		c.Transfers += int64(len(f.Extra) + len(f.Disputed))
		c.Disputed = c.Disputed || len(f.Disputed) > 0
		if err := c.Paid.AddAll(f.Paid); err != nil {
			return nil, err
		}
	}
	var list []cause
	for _, class := range findings.Classes() {
		for _, confidence := range []findings.Confidence{findings.Certain, findings.Probable, findings.Suspected} {
			if c := by[kind{class, confidence}]; c != nil {
				list = append(list, *c)
			}
		}
	}
	return list, nil
}

// Meaning is the name of the text that says what the class is.
func (c cause) Meaning() string { return classText(c.Class) }

// Sure is the name of the text of a confidence.
func (c cause) Sure() string { return confidenceText(c.Confidence) }

func confidenceText(c findings.Confidence) string { return "confidence_" + c.String() }

// sumTable is the sums of one kind, the largest up to listed of them.
type sumTable struct {
	Title, Of string // names of texts
	Rows      []findings.Sum
	All       int
}

// Sums are those of the extra transfers, by client and by who was paid.
func (v *view) Sums() []sumTable {
	var list []sumTable
	for _, s := range []struct {
		title, of string
		sums      []findings.Sum
	}{{"title_by_client", "col_client", v.Findings.ByClient}, {"title_by_payee", "col_payee", v.Findings.ByPayee}} {
		if len(s.sums) > 0 {
			list = append(list, sumTable{s.title, s.of, s.sums[:min(listed, len(s.sums))], len(s.sums)})
		}
	}
	return list
}

// examplesOfEach is how many findings of one class are explained.
const examplesOfEach = 3

// examples are findings of every class that accuses transfers: of a day with
// thousands of one kind the rare ones are worth more than more of the same.
func examples(r *findings.Result) []*findings.Finding {
	if r == nil {
		return nil
	}
	seen := map[findings.Class]int{}
	var list []*findings.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Accuses() && seen[f.Class] < examplesOfEach {
			seen[f.Class]++
			list = append(list, f)
		}
	}
	order := findings.Classes()
	slices.SortStableFunc(list, func(a, b *findings.Finding) int {
		return slices.Index(order, a.Class) - slices.Index(order, b.Class)
	})
	return list[:min(listed, len(list))]
}
