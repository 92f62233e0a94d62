package mockllm

import (
	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// pass is one more pass of the model within a request: a server tool has
// answered (CACHE-27).
type pass struct {
	result *llm.Node
	after  int64 // output tokens ahead of it
}

// notePass notes the result of a server tool. Results in a row are answered by
// one pass, and one that ends the answer by none.
func (c *call) notePass(result *llm.Node, after int64, last bool) {
	n := len(c.passes)
	if n > 0 && c.passes[n-1].result == result.Parent {
		c.passes = c.passes[:n-1]
	}
	if !last {
		c.passes = append(c.passes, pass{result, after})
	}
}

// wait sets the next callback behind the first byte: the next pass, or the end.
// A stream that breaks before a pass does not reach it.
func (c *call) wait() {
	at := c.end
	if c.passed < len(c.passes) {
		if p := c.instant(c.passed); p < c.end {
			at = p
		} else {
			c.passes = c.passes[:c.passed]
		}
	}
	c.timer = c.kernel.At(at, c)
}

// instant is when the tokens ahead of pass i have left. The tool's own time and
// the prefill behind it are not modelled.
func (c *call) instant(i int) vtime.Instant {
	return c.adm.Began.Add(c.streaming(c.passes[i].after))
}

// pass makes the next pass at the engine and notes its bill.
func (c *call) pass(now vtime.Instant) {
	p := &c.passes[c.passed]
	if c.passed == 0 {
		c.resp.Iterations = append(c.resp.Iterations, c.adm.Usage)
	}
	u := c.s.cfg.Engine.(cachemodel.Passer).Pass(now, &c.adm, p.result)
	c.resp.Iterations = append(c.resp.Iterations, u)
	c.passed++
	if m := c.model.meters; m != nil && m[1] != nil {
		m[1].take(now, c.model.metered(&u))
	}
}

// share gives each iteration its part of the output.
func (c *call) share(output int64) {
	for i := range c.resp.Iterations {
		from, to := int64(0), output
		if i > 0 {
			from = c.passes[i-1].after
		}
		if i < c.passed {
			to = min(c.passes[i].after, output)
		}
		c.resp.Iterations[i].Output = to - from
	}
}
