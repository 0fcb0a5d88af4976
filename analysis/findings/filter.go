package findings

import "idem/analysis"

// holds reports whether a finding passes a filter: its requests and transfers
// belong together, as those of a key do.
func (f *Finding) holds(x *analysis.Filter) bool {
	met := x.Unasked()
	for i := range f.Sends {
		met |= x.Sent(f.Sends[i].At, f.Sends[i].ClientID, f.Sends[i].Endpoint)
	}
	for _, t := range f.Transfers() {
		met |= x.Moved(t.At, t.Src, t.Dst)
	}
	return met.All()
}
