package query

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

var day = time.Date(2026, 3, 10, 7, 8, 9, 0, time.UTC)

func TestExact(t *testing.T) {
	at := func(clock string) time.Time {
		m, _ := time.Parse(time.RFC3339, "2026-03-10T"+clock+"Z")
		return m
	}
	for text, want := range map[string]Exact{
		"":                             {},
		"acct:..0 client:10:00":        {Account: "..0", Client: "10:00"},
		"client:shop-2":                {Client: "shop-2"},
		`CLIENT:"shop 2" acct:A-17`:    {Client: "shop 2", Account: "A-17"},
		"endpoint:/v1/x client:":       {Endpoint: "/v1/x"},
		"09:00..10:30":                 {From: at("09:00:00"), To: at("10:30:00")},
		"09:31":                        {From: at("09:31:00"), To: at("09:32:00")},
		"..12:00:05 client:a":          {Client: "a", To: at("12:00:05")},
		"2026-03-10T09:00..":           {From: at("09:00:00")},
		"2026-03-09..2026-03-10T01:00": {From: at("00:00:00").AddDate(0, 0, -1), To: at("01:00:00")},
		"2026-03-10..":                 {From: at("00:00:00")},
	} {
		if got, err := ParseExact(text, day); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"shop", "-client:a", `"a"`, "amount>3", "key:a", "outcome:409", "client:a client:b", "10:00..09:00", "09:00..x", "09:00 10:00"} {
		if got, err := ParseExact(text, day); err == nil {
			t.Errorf("%q is taken: %+v", text, got)
		}
	}
	if _, err := ParseExact("09:00..", time.Time{}); err == nil {
		t.Error("a time of no date is taken where no day is known")
	}
}

// What was asked stands in the prompt, and asks the same again.
func TestExactText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z/:.-]([a-z0-9 /:.-]{0,6}[a-z0-9])?`)
		hour := rapid.Custom(func(t *rapid.T) time.Time {
			return day.Add(time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "ns")))
		})
		x := Exact{Client: name.Draw(t, "client"), Endpoint: name.Draw(t, "endpoint"), Account: name.Draw(t, "account"), From: hour.Draw(t, "from")}
		x.To = x.From.Add(time.Hour)
		if got, err := ParseExact(x.Text(), time.Time{}); err != nil || got != x {
			t.Fatalf("%q gives %+v, %v; want %+v", x.Text(), got, err, x)
		}
	})
}
