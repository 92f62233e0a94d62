package scenarios

import "agentsim/sim/vtime"

// Compaction says when an agent's history becomes a summary, and how long that
// may be (LOOP-07).
type Compaction struct {
	Share  *int64 `yaml:"share"`
	Window int64  `yaml:"window"`
	Budget int64  `yaml:"budget"`
}

// Forks are variants of forking that show what is lost (ISO-08, FRK-06).
type Forks struct {
	Rerender       bool   `yaml:"rerender"`        // system prompt and history are rendered anew
	FreshDecisions bool   `yaml:"fresh_decisions"` // likewise, and content replacement is decided anew
	Directory      string `yaml:"directory"`
	TypedChildren  bool   `yaml:"typed_children"`
}

// ReplaceFlip sets, at an instant, the size over which a tool result is replaced
// and what its preview keeps, in bytes. Decisions taken stay (LOOP-11).
type ReplaceFlip struct {
	At      vtime.Duration `yaml:"at"`
	Over    int            `yaml:"over"`
	Preview int            `yaml:"preview"`
}

// What holds of histories where nothing else is said.
const (
	FullShare     = 80    // percent of a window that are full (LOOP-07)
	summaryBudget = 4_000 // tokens, as much as a report's
)

// CompactionShare is the percentage of a window that is full, 0 for none.
func (s *Scenario) CompactionShare() int64 {
	if s.Compaction == nil || s.Compaction.Share == nil {
		return FullShare
	}
	return *s.Compaction.Share
}

// SummaryBudget is how many tokens a summary of the policy may have.
func (s *Scenario) SummaryBudget() int64 {
	if s.Compaction == nil || s.Compaction.Budget == 0 {
		return summaryBudget
	}
	return s.Compaction.Budget
}

// ContextWindow is the window of a model that has one of own tokens, 0 for one
// that is not established.
func (s *Scenario) ContextWindow(own int64) int64 {
	if s.Compaction == nil || s.Compaction.Window == 0 {
		return own
	}
	return s.Compaction.Window
}

func (c *checker) compaction() {
	if k := c.s.Compaction; k != nil && k.Share != nil && *k.Share > 100 {
		c.bad("compaction.share", "80 is the default", "compaction.share is a percentage, not %d", *k.Share)
	}
	for i, f := range c.s.ReplaceFlips {
		if f.Preview > f.Over && f.Over > 0 {
			c.bad("replace_flips["+itoa(i)+"].preview", "", "the preview is longer than what it replaces: %d bytes of results over %d", f.Preview, f.Over)
		}
	}
}

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
		c.bad("scale.spawns", "how many agents are started in a period, such as 34_000_000", "a scale without spawns, the starts of its agents")
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
