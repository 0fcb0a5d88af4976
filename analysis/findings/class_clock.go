package findings

import "time"

// ClockSkew: the nodes' clocks differ so much that money moved before its
// request came in, and two nodes executed one key: leases and windows that are
// compared across nodes do not hold.
//
// A transfer before its cause on one node, and after it on the other, proves the
// clocks; the key proves the duplicate. Blind spot: a node whose clock is behind
// shows transfers that are late, which slow booking does, too.
const ClockSkew Class = "CLOCK_SKEW"

// clockSlack is how far two clocks may differ in good order.
const clockSlack = 2 * time.Second

func clockSkew(d *facts, c *keyCluster) bool {
	early, inOrder := uint32(0), uint32(0) // nodes
	for _, n := range c.transfers {
		t := &d.transfers[n]
		r := &d.requests[t.request]
		switch {
		case !r.is(timed) || r.place == none:
		case t.created < r.at-int64(clockSlack):
			early = r.node
		default:
			inOrder = r.node
		}
	}
	return early != 0 && inOrder != 0 && early != inOrder
}
