package forks

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/recording/profile"
)

// input is one thing that decides.
type input struct {
	name, value, rests, turns string
}

func inputColumns() []report.Column[input] {
	type col = report.Column[input]
	return []col{
		{Name: "input", Head: "INPUT, MEAN OF A CHILD", Of: func(x input) report.Value { return report.Text(x.name) }},
		{Name: "value", Head: " HERE", Of: func(x input) report.Value { return report.Text(x.value) }},
		{Name: "rests_on", Head: "RESTS ON", Of: func(x input) report.Value { return report.Text(x.rests) }},
		{Name: "ranking_turns_at", Head: "RANKING TURNS AT", Drop: 1, Of: func(x input) report.Value { return report.Text(x.turns) }},
	}
}

// inputs lists what decides, what each rests on, and where it turns the ranking.
func (p *Point) inputs() []input {
	share, n := p.In.Overlap()
	spares, thinks := p.In.Forked()
	grade := func(role, figure string) string {
		return p.grade(profile.Want{Role: role, Figure: figure}, int64(len(p.children)))
	}
	rests := "assumed: that of recorded children"
	if _, few := p.In.Thin(); few > 0 {
		rests += fmt.Sprintf("; thin here: n %d", few)
	}
	if n > 0 {
		rests = p.grade(profile.Want{Role: profile.SubAgent, Figure: "overlap_parent_bytes"}, n)
	}
	said := grade(profile.SubAgent, "output")
	if p.In.Placeholders > 0 {
		said = "not known: missing on both sides"
	}
	hours := p.mean(func(q *crossover.Query) int64 { return thousand(q.Hour) })
	long := p.mean(func(q *crossover.Query) int64 { return thousand(q.Long) })
	forked, ran := "assumed: as the child did", ""
	if p.In.Forks > 0 {
		forked = fmt.Sprintf("assumed: %d simulated forks", p.In.Forks)
		ran = fmt.Sprintf("outcome of %d forks", p.In.Forks)
	}
	mean := func(of func(*crossover.Query) int64) string { return report.Quantity(p.mean(of)) }
	out := []input{
		{"what it reads that its parent had read", percent(share), rests, p.turn(0, 1000, overlap, percent)},
		{"parent's prompt at the spawn", mean(prefix), grade(profile.Main, "spawn_prompt"), p.scaled(prefix, func(q *crossover.Query, n int64) { q.Prefix = n })},
		{"its own first prompt", mean(own), grade(profile.SubAgent, "first_prompt"), p.scaled(own, func(q *crossover.Query, n int64) { q.Own, q.Know, q.Warm = n, q.Know-q.Own+n, min(q.Warm, n) })},
		{"of it, cached already", mean(func(q *crossover.Query) int64 { return q.Warm }), grade(profile.SubAgent, "first_warm"), ""},
		{"what it must read", mean(reads), grade(profile.SubAgent, ""), p.scaled(reads, func(q *crossover.Query, n int64) { q.Know = q.Own + n })},
		{"calls", mean(turns), grade(profile.SubAgent, "calls"), p.scaled(turns, func(q *crossover.Query, n int64) { q.Turns = max(n, 1) })},
		{"output of a call", mean(func(q *crossover.Query) int64 { return q.Output }), said, ""},
		{"children of one answer", mean(func(q *crossover.Query) int64 { return q.Siblings }), grade(profile.Main, "spawns"), p.reach() + " forks: the look-back ends"},
		{"its model", p.model(), "a fork has its parent's", p.flipped(p.oneModel() != "", "its parent's", func(q *crossover.Query) { q.Child = "" })},
		{"entries that live 1h, parents' and its own", percent(hours) + ", " + percent(long), "a fork has its parent's", p.flipped(hours+long > 0, "5m for all", func(q *crossover.Query) { q.Hour, q.Long = false, false })},
		{"calls that a fork does not make", percent(spares), forked, p.turn(0, 900, func(q *crossover.Query, v int64) { q.Spares = v }, percent)},
		{"what a fork thinks at each call beside", report.Quantity(thinks), forked, p.turn(0, 4000, func(q *crossover.Query, v int64) { q.Thinks = v }, report.Quantity)},
	}
	if n := p.In.Adds(); n > 0 {
		out = slices.Insert(out, 2, input{"what a fork's first prompt adds to it", report.Quantity(n), ran, p.scaled(adds, func(q *crossover.Query, n int64) { q.Adds = max(n, 1) })})
	} else if n := p.mean(answer); n > 0 {
		out = slices.Insert(out, 2, input{"what its parent says as it spawns it", report.Quantity(n), grade(profile.Main, ""), p.scaled(answer, func(q *crossover.Query, n int64) { q.Said = n })})
	}
	if n, _, _ := p.In.Missed(); n > 0 {
		out = append(out, input{"forks that miss part of their parent's prompt", percent(n * 1000 / p.In.Forks), ran,
			p.turn(0, 1000, func(q *crossover.Query, v int64) { q.Misses = v }, percent)})
	}
	if n := p.In.Again(); n != (crossover.Counts{}) {
		out = append(out,
			input{"what later misses make a fork write again", report.Quantity(n.Fork), ran, p.flipped(n.Fork > 0, "0", func(q *crossover.Query) { q.Forked = 0 })},
			input{"what misses make a fresh child write again", report.Quantity(n.Fresh), fmt.Sprintf("outcome of %d fresh ones", len(p.children)), p.flipped(n.Fresh > 0, "0", func(q *crossover.Query) { q.Again = 0 })})
	}
	return out
}

func thousand(is bool) int64 { return map[bool]int64{true: 1000}[is] }

func prefix(q *crossover.Query) int64 { return q.Prefix }
func answer(q *crossover.Query) int64 { return q.Said }
func adds(q *crossover.Query) int64   { return q.Adds }
func own(q *crossover.Query) int64    { return q.Own + q.Task }
func reads(q *crossover.Query) int64  { return q.Know - q.Own }
func turns(q *crossover.Query) int64  { return q.Turns }

// reach is how many forks of one answer are too many for the look-back: it depends on
// whether their parents said anything beside their calls.
func (p *Point) reach() string {
	low, high := p.children[0].OutOfReach(), p.children[0].OutOfReach()
	for i := range p.children {
		n := p.children[i].OutOfReach()
		low, high = min(low, n), max(high, n)
	}
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d or %d", low, high)
}

// turn says at which value of an input the ranking turns.
func (p *Point) turn(low, high int64, set func(*crossover.Query, int64), say func(int64) string) string {
	at, ok := crossover.Turn(p.children, low, high, set)
	switch {
	case !p.holds:
		return "not known"
	case !ok:
		return "never"
	}
	return say(at)
}

// scaled says it of an input that is larger or smaller for every child by the same
// factor, from a tenth to ten.
func (p *Point) scaled(of func(*crossover.Query) int64, set func(*crossover.Query, int64)) string {
	mean := p.mean(of)
	return p.turn(100, 10_000, func(q *crossover.Query, v int64) { set(q, of(q)*v/1000) }, func(at int64) string { return report.Quantity(mean * at / 1000) })
}

// model says how many children have another model than their parents.
func (p *Point) model() string {
	other, name := 0, ""
	for i := range p.children {
		if q := &p.children[i]; q.Child != "" {
			other, name = other+1, q.Child
		}
	}
	if other == 0 {
		return "its parent's"
	}
	return fmt.Sprintf("%s (%d of %d)", name, other, len(p.children))
}

// flipped says whether something else turns the ranking, where it is something else.
func (p *Point) flipped(other bool, what string, change func(*crossover.Query)) string {
	switch {
	case !other:
		return ""
	case !p.holds:
		return "not known"
	}
	was, is := p.mapped(), p.with(change)
	if (was.Fork > was.Fresh) == (is.Fork > is.Fresh) {
		return "never: " + cell(is, false) + " at " + what
	}
	return what + ": " + cell(is, false)
}

// drawn are the inputs that a scenario draws from its profile, as it calls them, by
// their figure there; the others are outcomes of what agents do.
var drawn = map[string]string{"first_prompt": "first prompts of sub-agents", "calls": "tool uses an item takes a stranger",
	"spawns": "agents started in one answer", "overlap_parent_bytes": "reads of what the parent has read"}

// grade says what a figure rests on: the sessions themselves, or what simulated ones
// were drawn from, beside what was recorded. Only what was drawn of a profile is more
// than assumed.
func (p *Point) grade(w profile.Want, n int64) string {
	if p.Profile == nil {
		word := "measured"
		if n < profile.ThinBelow {
			word = "thin"
		}
		return fmt.Sprintf("%s: n %d, %s", word, n, sessions(int64(p.In.Sessions)))
	}
	w.Family = profile.FamilyOf(p.children[0].Model)
	f, family, grade := p.Profile.Locate(w)
	word, name := "assumed", drawn[w.Figure]
	switch {
	case p.From == nil:
		word = "simulated"
	case w.Figure == "":
		return "outcome"
	case f == nil:
	case name == "" && w.Figure != "output":
		word = "outcome"
	case slices.ContainsFunc(p.From, func(from string) bool { return strings.Contains(from, name+" (n ") }):
		word = grade.String()
	}
	if f == nil {
		return word + ": not recorded"
	}
	middle := ""
	switch k := profile.KindOf(w.Figure); {
	case f.Share != nil:
		middle = percent(*f.Share)
	case k != nil && k.Unit == profile.Thousandth:
		middle = "P50 " + percent(f.Percentile(50))
	case k != nil && k.Unit == profile.Tokens:
		middle = "P50 " + report.Quantity(profile.Convert(f.Percentile(50), family, w.Family))
	default:
		middle = "P50 " + report.Quantity(f.Percentile(50))
	}
	return fmt.Sprintf("%s; recorded %s, n %d", word, middle, f.N)
}
