package forks

import (
	"cmp"
	"fmt"
	"slices"

	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/recording/profile"
)

// Point is one comparison of forks with fresh sub-agents.
type Point struct {
	In   *crossover.Inputs
	Pair crossover.Pair // what the children cost
	How  string         // how that came out: billed, simulated, played
	// Profile is what figures of simulated sessions are compared with, nil for recorded
	// ones.
	Profile *profile.Profile
	Name    string   // of the profile
	From    []string // what the scenario drew from one
	Next    string   // what to type to see more; "" for nothing

	children []crossover.Query
}

// Drawn says that the sessions are simulated; from is what the scenario says of its
// figures, nil where nobody tells.
func (p *Point) Drawn(from []string) (err error) {
	p.From, p.Name = from, profile.Shipped()[0]
	p.Profile, err = profile.Open(p.Name)
	return err
}

// Tell says it: the answer, the map, the inputs.
func (p *Point) Tell(d *report.Document) {
	p.children = p.In.Settled()
	d.Label("forks", p.answer()...)
	d.Field("fork_to_fresh", report.Ratio(int64(p.Pair.Fork), int64(p.Pair.Fresh)))
	d.Say("")
	d.Table(p.chart())
	d.Say("")
	d.Table(p.models())
	d.Say("")
	d.Table(report.TableOf("fork_or_fresh_inputs", p.inputs(), inputColumns()...))
	d.Say("")
	d.Label("profile", p.recorded())
	d.Label("not compared", p.left()...)
	d.Label("next", p.Next)
}

// recorded says what the figures of a profile rest on.
func (p *Point) recorded() string {
	if p.Profile == nil {
		return ""
	}
	src := p.Profile.Sources[0]
	return fmt.Sprintf("recorded are figures of %s, %d sessions from %s to %s; outcomes come of what simulated agents do", p.Name, src.Sessions, src.From, src.To)
}

// answer is what it comes to, and where it turns.
func (p *Point) answer() []string {
	first := fmt.Sprintf("cost %s what fresh sub-agents cost (%s, %s: %s against %s)", times(p.Pair), p.How, Children(len(p.children)), report.Money(p.Pair.Fork), report.Money(p.Pair.Fresh))
	own, n := p.In.Overlap()
	yours := "here " + percent(own)
	if n == 0 {
		yours = percent(own) + " is assumed here"
	}
	at, ok := crossover.Turn(p.children, 0, 1000, overlap)
	if !ok {
		return []string{first, "at no overlap of what a child reads with what its parent has read does the ranking turn; " + yours}
	}
	return []string{first, fmt.Sprintf("the ranking turns where parents have read %s of what their children read; %s", percent(at), yours)}
}

func overlap(q *crossover.Query, share int64) { q.Lacks = 1000 - share }

func percent(thousandths int64) string { return report.Percent(thousandths, 1000) }

func times(p crossover.Pair) string { return report.Times(int64(p.Fork), int64(p.Fresh)) }

// Children is so many of them.
func Children(n int) string {
	if n == 1 {
		return "1 child"
	}
	return fmt.Sprintf("%d children", n)
}

// axis is a value on one of the map's axes.
type axis struct {
	value int64
	own   bool
}

// among puts one's own value among those that are looked at, in the place of one that
// is within a tenth of it.
func among(own int64, values ...int64) (out []axis) {
	for _, v := range values {
		if d := max(v-own, own-v); d*10 > max(own, v) {
			out = append(out, axis{v, false})
		}
	}
	out = append(out, axis{own, true})
	slices.SortFunc(out, func(a, b axis) int { return cmp.Compare(a.value, b.value) })
	return out
}

// chart is the map: which is cheaper, by how much of what children read their parents
// have read and by how long the parents' prompts are.
func (p *Point) chart() *report.Sheet {
	own, n := p.In.Overlap()
	type col = report.Column[axis]
	word := map[bool]string{true: ", yours", false: ", assumed"}[n > 0]
	columns := []col{
		{Name: "overlap", Of: func(a axis) report.Value { return report.Share(a.value, 1000) }},
		{Name: "yours", Of: func(a axis) report.Value { return report.Bool(a.own) }},
		{Head: "OVERLAP", Of: func(a axis) report.Value {
			if a.own {
				return report.Text(percent(a.value) + word)
			}
			return report.Text(percent(a.value))
		}}}
	for _, prefix := range among(p.mean(func(q *crossover.Query) int64 { return q.Prefix }), 20_000, 40_000, 80_000, 120_000, 160_000) {
		head := report.Quantity(prefix.value)
		if prefix.own {
			head += ", YOURS"
		}
		if len(columns) == 3 {
			head = "PARENT'S PROMPT " + head
		}
		columns = append(columns, col{Drop: drop(prefix), Name: fmt.Sprintf("fork_to_fresh_at_%d", prefix.value), Head: head, Of: func(a axis) report.Value {
			pair := p.with(func(q *crossover.Query) {
				overlap(q, a.value)
				if !prefix.own {
					q.Prefix = prefix.value
				}
			})
			return report.Ratio(int64(pair.Fork), int64(pair.Fresh)).As(cell(pair, a.own && prefix.own))
		}})
	}
	return report.TableOf("fork_or_fresh", among(own, 0, 150, 350, 500), columns...)
}

// drop leaves columns out on narrow terminals, the furthest first, one's own never.
func drop(a axis) int {
	if a.own {
		return 0
	}
	return 1 + int(max(a.value/80_000, 0))
}

// cell is the cheaper kind and what forks cost of the other.
func cell(pair crossover.Pair, own bool) string {
	text := "fresh " + times(pair)
	if pair.Fork <= pair.Fresh {
		text = "fork " + times(pair)
	}
	if own {
		text = "[" + text + "]"
	}
	return text
}

// with is what the children cost by arithmetic with something changed.
func (p *Point) with(change func(*crossover.Query)) crossover.Pair {
	list := slices.Clone(p.children)
	for i := range list {
		change(&list[i])
	}
	return crossover.Estimate(list)
}

// mean is a figure of the children, weighted alike.
func (p *Point) mean(of func(*crossover.Query) int64) (sum int64) {
	for i := range p.children {
		sum += of(&p.children[i])
	}
	return sum / int64(max(len(p.children), 1))
}

// left says what the comparison leaves out, and which children.
func (p *Point) left() []string {
	out := []string{fmt.Sprintf("what parents are billed, %d re-invocations by ended children among it: both kinds cause them", p.In.Reinvocations)}
	var why report.Findings
	for _, x := range p.In.Left {
		why.Add(x.Why, x.Thread, 0)
	}
	return append(out, why.Lines(len(p.In.Left)+1)...)
}
