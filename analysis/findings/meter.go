package findings

import "sync/atomic"

// counter is a sum that several readers add to.
type counter struct{ n atomic.Int64 }

func (c *counter) add(n int64) int64 { return c.n.Add(n) }
