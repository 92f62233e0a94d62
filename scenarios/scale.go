package scenarios

// Scale is how often a type of agent is started in the world at large, for a
// reader who wants to know what a difference between variants comes to there.
type Scale struct {
	Type   string `yaml:"type"`
	Spawns int64  `yaml:"spawns"` // starts in a period
	Period string `yaml:"period"` // such as week
	Low    int64  `yaml:"low"`    // tokens that are said to be spared in a period, at least
	High   int64  `yaml:"high"`   // and at most
}

func (c *checker) scale() {
	s := c.s.Scale
	if s == nil {
		return
	}
	if s.Spawns < 1 {
		c.bad("scale.spawns", "how many agents are started in a period, such as 34_000_000", "a scale without starts")
	}
	if s.Period == "" {
		c.bad("scale", "period: week", "a scale without a period")
	}
	if s.Low < 0 || s.High < s.Low {
		c.bad("scale.high", "low and high are tokens in a period", "the bounds are %d to %d", s.Low, s.High)
	}
	if s.Type == "" {
		c.bad("scale", "type: Explore", "a scale of no type of agent")
	}
}
