package check

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/metrics/report"
	"agentsim/sim/agent"
	"agentsim/sim/recording/profile"
)

// shape takes from the profile what a session of the day has, and says how well each
// figure is known. What the profile cannot tell stays as it is by default.
func (c *check) shape() error {
	p, err := loading.OneSource(c.o.profile)
	if err != nil {
		return err
	}
	family, d := profile.FamilyOf(c.Agents[0].Model), &c.o.day
	find := func(role, figure string) (f *profile.Figure, of, how string) {
		f, of, grade := p.Locate(profile.Want{Role: role, Family: family, Figure: figure})
		switch {
		case f == nil:
			return nil, "", "assumed: the profile has too few"
		case grade == profile.Scaled:
			return f, of, fmt.Sprintf("scaled from %s, n %d", of, f.N)
		}
		return f, of, fmt.Sprintf("%s, n %d", grade, f.N)
	}
	main, _, ofMain := find(profile.Main, "calls")
	if main != nil {
		d.Turns = max(main.Mean(), 1)
	}
	if c.o.turns > 0 {
		d.Turns, ofMain = c.o.turns, "--turns"
	}
	started, _, ofStarted := find(profile.Main, "Agent.failed") // a result for each
	starts := "each type of sub-agent started once"
	if threads, _, _ := find(profile.Main, "Agent.mix"); started != nil && threads != nil {
		starts = fmt.Sprintf("%.1f sub-agents started", float64(started.N)/float64(threads.N))
		d.Starts = started.N * 1000 / threads.N / int64(len(c.Agents)-1)
	}
	child, _, ofChild := find(profile.SubAgent, "calls_whole")
	if child == nil {
		child, _, ofChild = find(profile.SubAgent, "calls")
	}
	if child != nil {
		d.SubTurns = max(child.Mean(), 1)
	}
	x, days := p.Sources[0], ""
	if x.From != "" {
		days = ", " + x.From + " to " + x.To
	}
	c.session = fmt.Sprintf("%d turns of the main agent (%s), %s (%s), with %d turns each (%s); profile %s, %s%s",
		d.Turns, ofMain, starts, ofStarted, d.SubTurns, ofChild, c.o.profile, ui.Things(x.Sessions, "session"), days)
	for _, x := range [...]struct{ role, agent string }{{profile.Main, heads.Main}, {profile.SubAgent, agent.TypeGeneralPurpose}} {
		i := slices.IndexFunc(c.Agents, func(a *heads.Agent) bool { return a.Name == x.agent })
		if f, of, how := find(x.role, "first_prompt"); f != nil && i >= 0 {
			c.recorded = append(c.recorded, c.asRecorded(c.Agents[i], profile.Convert(f.Percentile(50), of, family), how))
		}
	}
	return nil
}

// asRecorded says what an agent costs whose first prompt is as large as those of the
// profile, with which runs that take it begin.
func (c *check) asRecorded(a *heads.Agent, tokens int64, how string) string {
	all, _ := c.Tokens(a)
	here, there := a.Cost(c.Prices, all, c.o.day), a.Cost(c.Prices, tokens, c.o.day)
	return fmt.Sprintf("recorded sessions begin with more: %s with %s tok at P50 (%s), %s to begin and %s a day in place of %s and %s below",
		a.Name, ui.Count(tokens), how, report.Dollars(there.Begin), report.Dollars(there.Day), report.Dollars(here.Begin), report.Dollars(here.Day))
}
