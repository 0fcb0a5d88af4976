package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"idem/analysis/findings"
	"idem/analysis/replay"
	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures/dayfile"
)

// A day that something was injected into is a drill: both the file for machines
// and the report for people say so, in each language.
func TestADrillSaysThatItIsOne(t *testing.T) {
	path := dayfile.Lab(t)
	for _, o := range []replay.Options{{}, {CrashAt: []int64{68}}, {StallAt: []int64{68, 73}}, {RaceAt: []int64{1}}, {NoRenewal: true}} {
		r := prepared(t, replayed(t, path, engine.DefaultPolicy(), o))
		b, err := ResultJSON(r)
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Injected *injectedJSON }
		if err := json.Unmarshal(b, &file); err != nil {
			t.Fatal(err)
		}
		if (file.Injected != nil) != o.Injects() {
			t.Errorf("%+v: injected is %+v", o, file.Injected)
		}
		if i := file.Injected; i != nil && (!slices.Equal(i.CrashAt, o.CrashAt) || !slices.Equal(i.StallAt, o.StallAt) || !slices.Equal(i.RaceAt, o.RaceAt) || i.NoRenewal != o.NoRenewal) {
			t.Errorf("%+v: injected is %+v", o, i)
		}
		for _, lang := range Languages() {
			w, err := wordsOf(lang)
			if err != nil {
				t.Fatal(err)
			}
			text, err := r.Markdown(lang)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), w["injected"]) != o.Injects() {
				t.Errorf("%+v: the report in %s does not tell it", o, lang)
			}
		}
	}
}

// What was taken back is told wherever money is told, is never called stopped,
// and is on no list that is carried out without a person.
func TestNegativeAmountsAreTold(t *testing.T) {
	path := dayfile.Lab(t)
	db := writable(t, path, sqlfile.ReadWrite)
	execute(t, db, "UPDATE transfer_v1 SET amount = -amount")
	db.Close()
	day := replayed(t, path, engine.DefaultPolicy(), replay.Options{})
	for _, c := range day.Result.Stopped.Currencies() {
		if n := day.Result.Stopped.Of(c); n < 0 {
			t.Errorf("%d %s are called stopped", n, c)
		}
	}
	found, err := findings.Find(t.Context(), day.Incident, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for i := range refundLists {
		l := &refundLists[i]
		err := l.each(found, func(v refund) error {
			lines++
			if l.decision == "" {
				t.Errorf("%s would give back %d", l.name, v.Minor)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines == 0 {
		t.Error("nobody is asked about negative amounts")
	}
	var summary strings.Builder
	if err := Summary(&summary, day.Duplicates, day.Incident.Narrowing()); err != nil {
		t.Fatal(err)
	}
	r := prepared(t, day)
	text, err := r.Markdown(English)
	if err != nil {
		t.Fatal(err)
	}
	b, err := dupReportJSON(day.Duplicates, found, day.Evidence, "1", "")
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"120 transfers with a negative amount": summary.String(), "| Negative amounts | 120, -": string(text), "\"negative_amounts\": {\n    \"transfers\": 120,": string(b)} {
		if !strings.Contains(text, where) {
			t.Errorf("no %q in\n%s", where, text)
		}
	}
}
