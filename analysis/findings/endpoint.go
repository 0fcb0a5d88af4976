package findings

// endpointKind is what the path of an endpoint says about it.
type endpointKind uint8

const (
	forEvents endpointKind = 1 << iota // events of providers come in here
	outgoing                           // money goes back to a customer
)

// classify looks at the path of each endpoint once.
func (d *facts) classify() {
	d.kinds = make([]endpointKind, len(d.names.list)+1)
	for i, name := range d.names.list {
		if hasWord(name, eventWords) {
			d.kinds[i+1] |= forEvents
		}
		if hasWord(name, outWords) {
			d.kinds[i+1] |= outgoing
		}
	}
}

func (d *facts) isKind(endpoint uint32, k endpointKind) bool {
	return int(endpoint) < len(d.kinds) && d.kinds[endpoint]&k != 0
}
