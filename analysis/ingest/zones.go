package ingest

import "idem/analysis/ingest/moment"

// fixedOffsets are abbreviations of zones with the offset that they mean to the
// letter, and the place by whose clock they are used loosely, all year.
var fixedOffsets = map[string]struct{ offset, place string }{
	"UTC": {"+00:00", "UTC"}, "GMT": {"+00:00", "UTC"},
	"CET": {"+01:00", "Europe/Amsterdam"}, "CEST": {"+02:00", "Europe/Amsterdam"},
	"PST": {"-08:00", "America/Los_Angeles"}, "PDT": {"-07:00", "America/Los_Angeles"},
}

// zonedTime reads a local time in a zone that a column names: a place such as
// Europe/Berlin, an offset, or an abbreviation of which both readings agree. A
// zone of the mapping comes before that of the column.
func (r *rules) zonedTime(text, zone []byte) (int64, error) {
	if r.time.Zone != nil {
		at, err := r.time.Read(text)
		return at, settle("time", err)
	}
	if len(zone) == 0 {
		return 0, unsettled("--zone", "the time %.40q has no zone", text)
	}
	short, known := fixedOffsets[string(zone)]
	if !known {
		short.offset, short.place = string(zone), string(zone)
		if _, err := moment.Zone(short.place); err != nil {
			return 0, unsettled("--zone", "the zone %.40q of a time is not known", zone)
		}
	}
	exact, err := r.timeIn(text, short.offset)
	if err != nil {
		return 0, settle("time", err)
	}
	if loose, err := r.timeIn(text, short.place); err == nil && loose != exact {
		return 0, unsettled("--zone", "the zone %s of %.40q could be its offset or the clock of %s", zone, text, short.place)
	}
	return exact, nil
}

func (r *rules) timeIn(text []byte, zone string) (int64, error) {
	reader := moment.Reader{Layout: r.time.Layout}
	var err error
	if reader.Zone, err = moment.Zone(zone); err != nil {
		return 0, err
	}
	return reader.Read(text)
}
