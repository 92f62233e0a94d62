package toscenario

import (
	"fmt"
	"slices"

	"agentsim/scenarios"
	"agentsim/scenarios/document"
	"agentsim/sim/vtime"
)

// variants are played side by side where there are misses that nothing explains: as it
// was told, and with those left to the cache model.
const variants = `variants:
  told: {}
  untold: {script: {untold: [misses]}}
`

// Text is the scenario as a file: of that name, with a sentence on where it comes from.
func (t *Told) Text(name, source string, slack vtime.Duration) []byte {
	calls, missed := 0, false
	for i := range t.Threads {
		calls += len(t.Threads[i].Calls)
		missed = missed || slices.ContainsFunc(t.Threads[i].Calls, func(c scenarios.RecordedCall) bool { return c.Miss != nil })
	}
	sc := scenarios.Scenario{Agentsim: scenarios.Version, Name: name}
	sc.About = scenarios.About{Why: fmt.Sprintf("A recorded session of %s in %s, call by call",
		things(calls, "call"), things(len(t.Threads), "thread")), Source: source}
	sc.Provider.Model, sc.Provider.TTL, sc.Provider.Options.LateExpiry = t.Model, t.TTL, slack
	sc.Recorded = slices.Clone(t.Threads)
	if day := 24 * vtime.Hour; t.Ends >= day {
		sc.Limits.Time = t.Ends + day
	}
	if most := t.longest(); most > maxPrompt {
		sc.Limits.Tokens = most
	}
	if !missed {
		sc.About.Why += "."
		return document.Encode(&sc, &scenarios.Scenario{}, nil)
	}
	sc.About.Why += "; untold leaves the misses that nothing explains to the cache model."
	return append(document.Encode(&sc, &scenarios.Scenario{}, nil), variants...)
}

// maxPrompt is the limit of a run where a scenario says nothing, in tokens.
var maxPrompt = scenarios.Defaults().Limits.Tokens

// longest is the longest prompt, in tokens.
func (t *Told) longest() (most int64) {
	for i := range t.Threads {
		for _, c := range t.Threads[i].Calls {
			most = max(most, c.Prompt+c.Input)
		}
	}
	return most
}

func things(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
