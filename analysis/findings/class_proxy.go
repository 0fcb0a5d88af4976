package findings

// ProxyRetry: the log has one request, the ledger two transfers of it. What
// resent it stands below the log: a load balancer, a mesh, a driver.
//
// One row that moved the same money twice proves it. It is no proof where the
// body asks for the sum of the transfers, which is a payment in parts: that is
// no finding. Blind spot: parts that are equal, of a body that names no amount;
// then it is only probable, unless the log counts several attempts.
const ProxyRetry Class = "PROXY_RETRY"

func proxyRetry(d *facts, c *keyCluster) bool {
	first := d.transfers[c.transfers[0]].request
	for _, t := range c.transfers {
		if d.transfers[t].request != first {
			return false
		}
	}
	return true
}

// parts reports whether the transfers of a request are the parts of what it
// asked for.
func (d *facts) parts(transfers []int32) bool {
	asked := d.requests[d.transfers[transfers[0]].request].asked
	sum := int64(0)
	for _, t := range transfers {
		sum += d.transfers[t].amount
	}
	return asked > 0 && sum == asked
}

// proxyConfidence is how sure it is that one request was executed twice.
func (d *facts) proxyConfidence(t *transfer) Confidence {
	r := &d.requests[t.request]
	if r.asked == t.amount || r.is(resent) {
		return Certain
	}
	return Probable
}
