package run

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
)

// inShards says how many sessions there are, and in which shards; of those that were
// interrupted how many there were.
func inShards(done []*harness.Population) string {
	first, last := done[0], done[len(done)-1]
	p, all := first.Scenario.Population, int64(first.Shards())
	sessions, shards := ui.Things(p.Sessions, "session"), ui.Things(all, "shard")
	if first.Stopped {
		sessions, shards = parted(first.Sessions, p.Sessions, "session"), parted(first.Totals.Runs, all, "shard")
	} else if last.Stopped {
		sessions += ", " + prefix(last.Variant) + parted(last.Sessions, last.Scenario.Population.Sessions, "session")
	}
	switch {
	case p.Shard == 1 && p.Sessions > 1:
		return sessions + " · each a shard by itself"
	case p.Sessions%p.Shard == 0:
		return fmt.Sprintf("%s · %s of %d", sessions, shards, p.Shard)
	case p.Sessions < p.Shard:
		return sessions + " · " + shards
	}
	return fmt.Sprintf("%s · %s of up to %d", sessions, shards, p.Shard)
}

// parted is a part of so many things.
func parted(n, of int64, what string) string { return ui.Count(n) + " of " + ui.Things(of, what) }

// goesOn says that what workers have done is kept, where they did it.
func (a *populations) goesOn() string {
	if a.server.URL == "" {
		return ""
	}
	return "; the same command goes on from what workers have done"
}

// open says how much of a population is over where not all of it is, which shards did not
// come to their end, how many agents below their roots were cut short, and how to see the
// first of these shards by itself.
func (a *populations) open(p *harness.Population) (lines []string) {
	switch sessions, shards := p.Scenario.Population.Sessions, int64(p.Shards()); {
	case p.Stopped && p.Totals.Runs == 0:
		return []string{prefix(p.Variant) + fmt.Sprintf("interrupted before any of %s was over: there are no figures", ui.Things(shards, "shard")) + a.goesOn()}
	case p.Stopped:
		lines = append(lines, prefix(p.Variant)+fmt.Sprintf("interrupted: these are the first %s, %s", parted(p.Sessions, sessions, "session"), parted(p.Totals.Runs, shards, "shard"))+a.goesOn())
	}
	told := len(lines)
	if p.Open > 0 {
		lines = append(lines, prefix(p.Variant)+fmt.Sprintf("%s did not finish; %s", ui.Things(p.Open, "shard"), p.Why))
	}
	if text := failedChildren(p.Totals.Run()); text != "" {
		lines = append(lines, prefix(p.Variant)+fmt.Sprintf("%s, in %s of %s", text, ui.Count(p.Short), ui.Things(p.Totals.Runs, "shard")))
	}
	if len(lines) == told {
		return lines
	}
	return append(lines, prefix(p.Variant)+"all figures, the cost too, are of less work than the scenario asks for; the first of these shards by itself:", a.alone(p, p.Look))
}

// auditedOf says how many shards of one were audited.
func (a *populations) auditedOf(p *harness.Population) string {
	shards := ui.Things(p.Totals.Runs, "shard")
	switch {
	case a.noAudit:
		return "nothing (--no-audit)"
	case p.Audited == 0:
		return "none of " + shards
	}
	return fmt.Sprintf("%d of %s in full, %s, none broken", p.Audited, shards, ui.Things(p.Checks, "check"))
}

// firsts are the first shards of populations, as runs.
func firsts(done []*harness.Population) (ran []executed) {
	for _, p := range done {
		if p.First != nil {
			ran = append(ran, executed{Run: p.First})
		}
	}
	return ran
}

func specsOf(ran []executed) (specs []*sim.Spec) {
	for _, x := range ran {
		specs = append(specs, x.Spec)
	}
	return specs
}

// models are those that any session called, that of the scenario first.
func (a *populations) models() (names []string) {
	for _, p := range a.done {
		provider := &p.Scenario.Provider
		names = append(names, provider.ModelID(provider.Model))
		for _, m := range p.Totals.Models {
			names = append(names, m.Name)
		}
	}
	once := names[:0]
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// rests says what the figures rest on: what makes many sessions of one, and what the
// first shard says of itself, which holds for all.
func (a *populations) rests(d *report.Document, ran []executed) {
	if len(ran) > 0 && small(ran[0].Spec.Scenario) {
		lines := []string{"not run with sizes of recorded sessions, whose heads are larger: they cost more", recordedSizes(a.s)}
		d.Label("life size", lines...)
		d.Field("life_size", report.List(lines[:1]))
	}
	if len(ran) > 0 && !small(ran[0].Spec.Scenario) && len(ran[0].Spec.Scenario.Work) == 0 {
		line := "heads alone are those of recorded sessions: these are as long as their exact turns, and recorded ones are longer"
		d.Label("life size", line)
		d.Field("life_size", report.List([]string{line}))
	}
	var all []report.Said
	for _, p := range a.done {
		all = append(all, report.Said{Variant: p.Variant, Texts: populationAssumed(p)})
	}
	d.Label("assumed", report.Gathered(all)...)
	d.Label("unverified", gathered(ran, func(r *sim.Result) []string { return r.Options })...)
}

// populationAssumed is what one rests on.
func populationAssumed(p *harness.Population) (texts []string) {
	of := p.Scenario.Population
	texts = append(texts, "population: "+sharing(of))
	if p.First != nil {
		texts[0] += "; the rest as shard 0 says"
	}
	if of.Limits != "" {
		texts = append(texts, fmt.Sprintf("each shard has its part of provider.rate_limits, by its sessions, and cannot use what others leave: %d parts", of.Shards()))
	}
	if p.First != nil {
		texts = append(texts, p.First.Result.Assumed...)
	}
	return texts
}

// sharing says what sessions share, and when they begin.
func sharing(p *scenarios.Population) string {
	if p.Workspace == 1 {
		return "each session has a workspace of its own, and finds nothing in its cache"
	}
	return fmt.Sprintf("workspaces of %d sessions, which share a cache and begin %s", p.Workspace, p.Arrivals)
}

// metOthers says how sessions that share a workspace met each other's caches.
func metOthers(p *harness.Population) string {
	if p.Scenario.Population.Workspace == 1 || p.Sessions == 0 {
		return ""
	}
	text := prefix(p.Variant) + ui.Count(p.Met.Found) + " of "
	if p.Sessions == 1 {
		text += "1 session's first requests"
	} else {
		text += ui.Things(p.Sessions, "session") + "' first requests"
	}
	text += " read what another session of their workspace had left"
	if p.Met.Expired > 0 {
		text += fmt.Sprintf("; for %s it had expired", ui.Count(p.Met.Expired))
	}
	return text
}
