package moment

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestRead(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for _, c := range []struct {
		r    Reader
		in   string
		want string
		err  error
	}{
		{in: "2026-03-10T09:00:00Z", want: "2026-03-10T09:00:00Z"},
		{in: "2026-03-10t09:00:00z", want: "2026-03-10T09:00:00Z"},
		{in: "2026-03-10 09:00:00.5 UTC", want: "2026-03-10T09:00:00.5Z"},
		{in: "2026-03-10T09:00:00,250+01:00", want: "2026-03-10T08:00:00.25Z"},
		{in: "2026-03-10T09:00:00+0100", want: "2026-03-10T08:00:00Z"},
		{in: "2026-03-10T09:00:00-03", want: "2026-03-10T12:00:00Z"},
		{in: "2026-03-10T09:00:00.1234567891Z", want: "2026-03-10T09:00:00.123456789Z"}, // ten digits: cut
		{in: "2026-03-10T09:00:00+14:00", want: "2026-03-09T19:00:00Z"},
		{in: "2026-03-10T09:00:00+14:01", err: ErrOffset},
		{in: "2026-03-10T09:00:00", err: ErrNoZone},
		{in: "2026-02-30T09:00:00Z", err: ErrDate},
		{in: "2026-13-01T09:00:00Z", err: ErrDate},
		{in: "2026-03-10T24:00:00Z", err: ErrDate},
		{in: "2024-02-29T00:00:00Z", want: "2024-02-29T00:00:00Z"},
		{in: "2016-12-31T23:59:60Z", want: "2017-01-01T00:00:00Z"},
		{in: "2017-01-01T00:59:60.5+01:00", want: "2017-01-01T00:00:00.5Z"},
		{in: "2016-12-30T23:59:60Z", err: ErrDate},
		{in: "2016-12-31T12:00:60Z", err: ErrDate},
		{in: "1500-01-01T00:00:00Z", err: ErrOutside},
		{in: "2026-3-10T09:00:00Z", err: ErrForm},
		{in: "2026-03-10T09:00Z", err: ErrForm},
		{in: "2026-03-10T09:00:00.Z", err: ErrForm},
		{in: "yesterday, at noon", err: ErrForm},
		{in: "", err: ErrForm},
		{in: "10/Mar/2026:09:00:00 +0100", want: "2026-03-10T08:00:00Z"},
		{in: "10/Mar/2026:09:00:00.250 +0100", want: "2026-03-10T08:00:00.25Z"},
		{in: "10/Mar/2026:09:00:00", err: ErrNoZone},
		{in: "10/Mra/2026:09:00:00 +0100", err: ErrForm},
		{in: "1773133200", err: ErrNoUnit},
		{r: Reader{Unit: time.Second}, in: "1773133200.123", want: "2026-03-10T09:00:00.123Z"},
		{r: Reader{Unit: time.Millisecond}, in: "1773133200123", want: "2026-03-10T09:00:00.123Z"},
		{r: Reader{Unit: time.Nanosecond}, in: "1773133200123456789", want: "2026-03-10T09:00:00.123456789Z"},
		{r: Reader{Unit: time.Second}, in: "1773133200123", err: ErrOutside},
		{r: Reader{Unit: time.Second}, in: "NaN", err: ErrForm},
		{r: Reader{Zone: berlin}, in: "2026-03-10T09:00:00", want: "2026-03-10T08:00:00Z"},
		{r: Reader{Zone: berlin}, in: "2026-07-10T09:00:00", want: "2026-07-10T07:00:00Z"},
		{r: Reader{Zone: berlin}, in: "2026-03-29T02:30:00", err: ErrGap},
		{r: Reader{Zone: berlin}, in: "2026-03-29T03:00:00", want: "2026-03-29T01:00:00Z"},
		{r: Reader{Zone: berlin}, in: "2026-10-25T02:30:00", err: ErrFold},
		{r: Reader{Zone: berlin}, in: "2026-10-25T02:30:00+01:00", want: "2026-10-25T01:30:00Z"},
		{r: Reader{Zone: berlin}, in: "2026-10-25T03:00:00", want: "2026-10-25T02:00:00Z"},
		{r: Reader{Layout: "02.01.2006 15:04:05"}, in: "10.03.2026 09:00:00", err: ErrNoZone},
		{r: Reader{Layout: "02.01.2006 15:04:05", Zone: berlin}, in: "10.03.2026 09:00:00", want: "2026-03-10T08:00:00Z"},
		{r: Reader{Layout: "02.01.2006 15:04:05", Zone: berlin}, in: "29.03.2026 02:30:00", err: ErrGap},
		{r: Reader{Layout: "02.01.2006 15:04:05", Zone: berlin}, in: "30.02.2026 02:30:00", err: ErrForm},
		{r: Reader{Layout: time.RFC1123Z}, in: "Tue, 10 Mar 2026 09:00:00 +0100", want: "2026-03-10T08:00:00Z"},
	} {
		ns, err := c.r.Read([]byte(c.in))
		switch {
		case !errors.Is(err, c.err) || (c.err == nil) != (err == nil):
			t.Errorf("%q: error %v, want %v", c.in, err, c.err)
		case err == nil && time.Unix(0, ns).UTC().Format(time.RFC3339Nano) != c.want:
			t.Errorf("%q: %s, want %s", c.in, time.Unix(0, ns).UTC().Format(time.RFC3339Nano), c.want)
		}
	}
}

// TestAppendReads: every instant is read back as it was written, and so is what
// a clock anywhere shows, unless its clocks were changed just then.
func TestAppendReads(t *testing.T) {
	zones := []*time.Location{time.UTC, zone(t, "Europe/Berlin"), zone(t, "America/St_Johns"), zone(t, "Asia/Kathmandu"), zone(t, "+05:30")}
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(-9_000_000_000_000_000_000, 9_000_000_000_000_000_000).Draw(t, "ns")
		got, err := (&Reader{}).Read(Append(nil, ns))
		if err != nil || got != ns {
			t.Fatalf("%d: %d, %v", ns, got, err)
		}
		z := zones[rapid.IntRange(0, len(zones)-1).Draw(t, "zone")]
		local := time.Unix(0, ns).In(z)
		if _, offset := local.Zone(); offset%60 != 0 {
			return // before railways, clocks were minutes and seconds off
		}
		r := Reader{Zone: z}
		got, err = r.Read([]byte(local.Format("2006-01-02T15:04:05.999999999")))
		if !errors.Is(err, ErrFold) && (err != nil || got != ns) {
			t.Fatalf("%s: %d, want %d: %v", local, got, ns, err)
		}
	})
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		in   string
		unit time.Duration
		want int64
		ok   bool
	}{
		{"0.820", time.Second, 820_000_000, true},
		{"820", time.Millisecond, 820_000_000, true},
		{"820.5", time.Millisecond, 820_500_000, true},
		{"820.0000009", time.Millisecond, 820_000_000, true},
		{"-1", time.Second, -1_000_000_000, true},
		{"820.9", time.Nanosecond, 820, true},
		{"9223372036854775807", time.Second, 0, false},
		{"99999999999999999999999", time.Nanosecond, 0, false},
		{"1e3", time.Second, 0, false},
		{"1.", time.Second, 0, false},
		{".5", time.Second, 0, false},
		{"", time.Second, 0, false},
		{"NaN", time.Second, 0, false},
	} {
		got, err := Span([]byte(c.in), c.unit)
		if got != c.want && c.ok || (err == nil) != c.ok {
			t.Errorf("%q: %d, %v", c.in, got, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("2026-03-10T09:00:00.123Z")
	f.Add("10/Oct/2000:13:55:36 -0700")
	f.Fuzz(func(t *testing.T, text string) {
		ns, err := (&Reader{Unit: time.Millisecond}).Read([]byte(text))
		if err == nil && !inRange(ns) && ns > 0 {
			t.Fatalf("%q: %d", text, ns)
		}
		if parsed, perr := time.Parse(time.RFC3339Nano, text); perr == nil && err == nil && len(text) > 12 && text[4] == '-' && parsed.UnixNano() != ns {
			t.Fatalf("%q: %d, want %d", text, ns, parsed.UnixNano())
		}
	})
}
