package realism

import (
	"slices"
	"strings"

	"agentsim/sim/recording/profile"
)

// Check is what is asked of a simulation.
type Check uint8

// The checks. Fit is against the profile that the simulation drew from;
// Generalisation against sessions that neither has seen, where halves of the
// recordings themselves are apart.
const (
	Fit Check = iota
	Generalisation
)

// Bounds in thousandths: of the larger over the smaller P50 and P90, and of the
// distance of shares.
var (
	ratioBounds = [...][2]int64{Fit: {1100, 1250}, Generalisation: {1250, 1500}}
	shareBound  = [...]int64{Fit: 50, Generalisation: 100}
	unitsBound  = [2]int64{1150, 1150} // of a child's input units, where the fit is checked
)

// bounded are the figures with a bound, by role. A figure in bounded[Generalisation]
// counts for both halves.
var bounded = [...]map[string][]string{
	Fit: {
		profile.Main: strings.Fields(`first_prompt last_prompt calls tool_uses growth spawn_prompt one_tool
			Bash.mix Read.mix Edit.mix Grep.mix TaskUpdate.mix Agent.mix`),
		profile.SubAgent: strings.Fields(`first_prompt last_prompt calls tool_uses growth one_tool input_units
			Read.mix Bash.mix Grep.mix Glob.mix Edit.mix`),
	},
	Generalisation: {
		profile.Main: strings.Fields(`first_prompt last_prompt calls growth output input_units spawn_prompt one_tool
			Bash.mix Read.mix Edit.mix Grep.mix TaskUpdate.mix Agent.mix thinking late Read.bytes Bash.time`),
		profile.SubAgent: strings.Fields(`first_prompt first_warm last_prompt calls tool_uses growth one_tool input_units
			Read.mix Bash.mix Grep.mix Glob.mix Edit.mix Read.bytes`),
	},
}

// bound is what a figure may be off at P50 and P90; of a share there is one. ok is
// false where nothing is asked.
func (c Check) bound(role, figure string, unit profile.Unit, floor []int64) (b [2]int64, ok bool) {
	if !slices.Contains(bounded[c][role], figure) {
		return b, false
	}
	b = ratioBounds[c]
	switch {
	case unit == profile.Share || unit == profile.Thousandth:
		b = [2]int64{shareBound[c], shareBound[c]}
	case c == Fit && figure == "input_units":
		b = unitsBound
	}
	if c == Generalisation {
		for i, f := range floor {
			b[i] = max(b[i], f)
		}
	}
	return b, true
}
