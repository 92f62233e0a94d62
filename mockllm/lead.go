package mockllm

import "agentsim/sim/ahead"

// Lead implements kernel.Leader: it fetches what the first byte touches beside the call.
func (c *call) Lead() {
	ahead.Fetch(c.resp, 3)
	c.adm.Lead()
}
