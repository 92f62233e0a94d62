package llm

import "agentsim/sim/rng"

// Settings are the request parameters that stand in no block and yet decide
// which cached prefixes are valid (CACHE-31). The zero value is the API's
// default for each.
type Settings struct {
	Effort          string // "low", "medium", "high" …; "" is the model's default
	Thinking        ThinkingMode
	ThinkingBudget  int64  // tokens; with ThinkingEnabled
	ToolChoice      string // "", "auto", "none", "any" or "tool:<name>"; "" and "auto" are one
	DisableParallel bool   // disable_parallel_tool_use
	Images          bool   // an image stands anywhere in the request
	Speed           string // "fast", or "standard" and "", which are one
	Citations       bool
	WebSearch       bool // the web search or web fetch server tool is on
	// ToolsInline: messages define tools and the request itself none that is not
	// deferred (CACHE-34); see ToolsInlineOnly.
	ToolsInline bool
}

// ThinkingMode is the thinking parameter.
type ThinkingMode uint8

// The thinking modes.
const (
	ThinkingDisabled ThinkingMode = iota
	ThinkingEnabled
	ThinkingAdaptive
	ThinkingBetweenTools // read of requests; no agent here asks for it
)

func (m ThinkingMode) String() string {
	return [...]string{"disabled", "enabled", "adaptive", "between_tools"}[m]
}

// ForcesTool reports whether tool_choice makes the model call a tool, which has
// hidden tokens of its own (CACHE-45).
func (s Settings) ForcesTool() bool {
	return s.ToolChoice == "any" || len(s.ToolChoice) > 5 && s.ToolChoice[:5] == "tool:"
}

// Salts are the settings as three numbers, one for each border; a changed salt
// changes every hash behind its border. Zero is the default settings' salt.
type Salts struct{ Root, System, Messages uint64 }

// SaltRules are the points where models differ or documentation is silent.
type SaltRules struct {
	// ThinkingRenderedFirst puts thinking and effort ahead of the tools, so that
	// a change misses everything; otherwise it misses from the messages on.
	ThinkingRenderedFirst bool
	// DefaultEffort is the effort that an omitted one means: naming it changes
	// nothing.
	DefaultEffort string
}

// Salts computes the salts by the table of CACHE-31.
func (s Settings) Salts(r SaltRules) Salts {
	var out Salts
	if s.Effort == r.DefaultEffort {
		s.Effort = ""
	}
	if s.Thinking != ThinkingEnabled {
		s.ThinkingBudget = 0
	}
	if s.Effort != "" || s.Thinking != ThinkingDisabled {
		h := rng.Root(1).Sub(s.Effort).Sub(s.Thinking.String()).At(uint64(s.ThinkingBudget)).Uint64()
		out.Messages ^= h
		if r.ThinkingRenderedFirst {
			out.Root ^= h
		}
	}
	if s.Speed == "standard" {
		s.Speed = ""
	}
	if s.WebSearch || s.Citations || s.Speed != "" {
		out.System ^= rng.Root(2).Sub(s.Speed).At(bit(s.WebSearch, 1) | bit(s.Citations, 2)).Uint64()
	}
	if s.ToolsInline {
		out.Root ^= rng.Root(4).Uint64()
	}
	if s.ToolChoice == "auto" {
		s.ToolChoice = ""
	}
	if s.ToolChoice != "" || s.DisableParallel || s.Images {
		out.Messages ^= rng.Root(3).Sub(s.ToolChoice).At(bit(s.DisableParallel, 1) | bit(s.Images, 2)).Uint64()
	}
	return out
}

func bit(b bool, v uint64) uint64 {
	if b {
		return v
	}
	return 0
}
