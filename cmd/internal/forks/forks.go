package forks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/recording/profile"
)

// Point is one comparison of forks with fresh sub-agents.
type Point struct {
	In   *crossover.Inputs
	Pair crossover.Pair // what the children cost
	How  string         // how that came out: billed, simulated, played
	Why  string         // what fresh sub-agents they are compared with, where there are others
	Seed string         // the only one that was looked at, where something is drawn from it
	Over string         // what to type to see other seeds
	// Missed is why forks did not find their parents' prompts in the cache; "" where
	// nobody tells.
	Missed string
	// Profile is what figures of simulated sessions are compared with, nil for recorded
	// ones.
	Profile *profile.Profile
	Name    string   // of the profile
	Of      []string // runs that were looked up: on the same work, with the other kind of children
	From    []string // what the scenario drew from one
	Next    string   // what to type to see more; "" for nothing

	children []crossover.Query
	holds    bool // the map gives about what the children cost
}

// Drawn says that the sessions are simulated; from is what the scenario says of its
// figures, nil where nobody tells. They are compared with the profile of the binary,
// unless another one was given.
func (p *Point) Drawn(from []string) (err error) {
	p.From = from
	if p.Profile == nil {
		p.Name = profile.Shipped()[0]
		p.Profile, err = profile.Open(p.Name)
	}
	return err
}

// Tell says it: the answer, the map, the inputs.
func (p *Point) Tell(d *report.Document) {
	p.children = p.In.Settled()
	x, y := ratio(p.mapped()), ratio(p.Pair)
	p.holds = (x > 1000) == (y > 1000) && 4*max(x-y, y-x) <= y
	d.Label("forks", p.answer()...)
	d.Field("fork_to_fresh", report.Ratio(int64(p.Pair.Fork), int64(p.Pair.Fresh)))
	if len(p.Of) > 0 {
		d.Field("other_runs", report.List(p.Of))
	}
	if p.In.Forks == 0 {
		low, high := p.In.Between(p.Pair)
		d.Field("fork_to_fresh_low", report.Ratio(low, 1000))
		d.Field("fork_to_fresh_high", report.Ratio(high, 1000))
	}
	d.Say("")
	d.Table(p.chart())
	d.Say("")
	d.Table(p.models())
	d.Say("")
	d.Table(report.TableOf("fork_or_fresh_inputs", p.inputs(), inputColumns()...))
	d.Say("")
	d.Label("profile", p.recorded())
	d.Label("not compared", p.left()...)
	d.Label("next", p.Next, p.Over)
}

// recorded says what the figures of a profile rest on.
func (p *Point) recorded() string {
	if p.Profile == nil {
		return ""
	}
	src := p.Profile.Sources[0]
	days := ""
	if src.From != "" {
		days = " from " + src.From + " to " + src.To
	}
	return fmt.Sprintf("recorded are figures of %s, %s%s; outcomes come of what simulated agents do", p.Name, sessions(src.Sessions), days)
}

// answer is what it comes to, and where it turns.
func (p *Point) answer() []string {
	over := ""
	if p.Seed != "" {
		over = " at seed " + p.Seed + " alone"
	}
	out := []string{fmt.Sprintf("cost %s what fresh sub-agents cost%s%s (%s, %s: %s against %s)", times(p.Pair), over, p.oneModel(), p.How, Children(len(p.children)), report.Money(p.Pair.Fork), report.Money(p.Pair.Fresh))}
	if p.Seed != "" {
		out = append(out, "another seed gives another ratio: next says how to see more of them")
	}
	out = append(out, p.otherwise()...)
	if p.Why != "" {
		out = append(out, p.Why)
	}
	if p.Profile != nil && p.In.Forks > 0 && p.Pair != p.In.Billed {
		out = append(out, fmt.Sprintf("the runs themselves were billed %s: %s against %s", times(p.In.Billed), report.Money(p.In.Billed.Fork), report.Money(p.In.Billed.Fresh)))
	}
	if n := p.In.Placeholders; n > 0 {
		out = append(out, fmt.Sprintf("output is not known for %d of %d calls of children, and in no figure but as placeholders", n, p.sum(turns)))
	}
	cached := "everything cached and forks alike"
	if p.In.Again() != (crossover.Counts{}) {
		cached = "forks alike, and everything cached but what they and fresh ones missed"
	}
	if n, _, lost := p.In.Missed(); n > 0 {
		cached = "forks alike, and everything cached but what they missed"
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%d of %d forks did not find all of their parent's prompt in the cache, and wrote %s tokens of it again: %s", n, p.In.Forks, report.Quantity(lost), p.Missed), ": "))
	}
	if n := p.sum(func(q *crossover.Query) int64 { return q.Misses / 1000 }); n > 0 && p.In.Forks == 0 {
		cached = "forks alike, and everything cached but what the look-back does not reach"
		out = append(out, fmt.Sprintf("%d of %d forks would be too many of one answer: their parent's entry is out of the look-back's reach, and they write its prompt again but for tools and system prompt", n, len(p.children)))
	}
	here := p.mapped()
	switch {
	case !p.holds:
		return slices.Insert(out, 1, fmt.Sprintf("the map does not hold here: it is arithmetic, %s, and gives %s, %s", cached, times(here), apart(here, p.Pair)))
	case times(here) != times(p.Pair):
		out = append(out, fmt.Sprintf("the map is arithmetic, %s: it gives %s here, %s; as much may its other cells and the turn be off", cached, times(here), apart(here, p.Pair)))
	}
	return append(out, p.turning())
}

// otherwise says whence it is known what forks do otherwise, or how far that may lead.
func (p *Point) otherwise() (out []string) {
	if len(p.Of) > 0 {
		out = append(out, "what forks think and which calls they do not make is told by "+strings.Join(p.Of, ", ")+", which did the same work")
	}
	if p.In.Forks > 0 {
		return out
	}
	low, high := p.In.Between(p.Pair)
	const one = 1000
	turns := ""
	if low < one && high > one {
		turns = ", so which is cheaper is not known"
	}
	out = append(out, fmt.Sprintf("or %s to %s%s: no fork ran, and forks are assumed to make the same calls and to think no more at them", report.Times(low, one), report.Times(high, one), turns),
		fmt.Sprintf("in fork-vs-subagent they make %s to %s of the calls less and think %d to %d tokens more at each (seeds %d to %d and %d)", percent(crossover.Most.Spares), percent(crossover.Least.Spares),
			crossover.Least.Thinks, crossover.Most.Thinks, crossover.Seen[0], crossover.Seen[len(crossover.Seen)-2], crossover.Seen[len(crossover.Seen)-1]))
	if p.Next != "" {
		out = append(out, "next records forks on the same work: asked again, this takes from them what they do")
	}
	return out
}

// mapped is what the map gives for the children as they are.
func (p *Point) mapped() crossover.Pair { return p.with(func(*crossover.Query) {}) }

// ratio is what forks cost of fresh sub-agents, in thousandths.
func ratio(p crossover.Pair) int64 { return int64(p.Fork) * 1000 / int64(p.Fresh) }

// oneModel is the ratio without what another model of the children's makes of it.
func (p *Point) oneModel() string {
	if !slices.ContainsFunc(p.children, func(q crossover.Query) bool { return q.Child != "" }) {
		return ""
	}
	alike := p.with(func(q *crossover.Query) { q.Child = "" })
	return fmt.Sprintf("; %s by arithmetic were children on their parents' model", times(alike))
}

// apart says how far a ratio is from that of another pair.
func apart(a, b crossover.Pair) string {
	x, y := ratio(a), ratio(b)
	if x < y {
		return report.Percent(y-x, y) + " less"
	}
	return report.Percent(x-y, y) + " more"
}

// known is the share that n of all children were measured to have. Of simulated ones
// few are no sample.
func known(share, n, all int64, sample bool) string {
	here := "here " + percent(share)
	switch thin := n < profile.ThinBelow; {
	case n == 0:
		return percent(share) + " is assumed here"
	case n < all && thin:
		return here + fmt.Sprintf(" (n %d of %d, thin)", n, all)
	case n < all:
		return here + fmt.Sprintf(" (n %d of %d)", n, all)
	case thin && sample:
		return here + fmt.Sprintf(" (n %d, thin)", n)
	}
	return here
}

// turning says where the ranking turns, and what share the children have.
func (p *Point) turning() string {
	own, n := p.In.Overlap()
	here := known(own, n, int64(len(p.children)), p.Profile == nil)
	if share, few := p.In.Thin(); few > 0 {
		here += fmt.Sprintf(", as of recorded children: %d of %d show theirs, %s, which is too few", few, len(p.children), percent(share))
	}
	at, ok := crossover.Turn(p.children, 0, 1000, overlap)
	if !ok {
		return "the ranking is the same whatever share of what children read their parents have read; " + here
	}
	return fmt.Sprintf("the ranking turns where parents have read %s of what their children read; %s", percent(at), here)
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

// sessions is so many of them.
func sessions(n int64) string {
	if n == 1 {
		return "1 session"
	}
	return fmt.Sprintf("%d sessions", n)
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
	word := ", yours" // of the reader's own sessions
	if p.Profile != nil {
		word = ", here"
	}
	mine := strings.ToUpper(word)
	if n == 0 {
		word = ", assumed"
	}
	shares := []int64{0, 150, 350, 500}
	at, turns := crossover.Turn(p.children, 0, 1000, overlap)
	if turns = turns && at < 1000 && p.holds; turns && !slices.Contains(shares, at) {
		shares = append(shares, at)
	}
	columns := []col{
		{Name: "overlap", Of: func(a axis) report.Value { return report.Share(a.value, 1000) }},
		{Name: "yours", Of: func(a axis) report.Value { return report.Bool(a.own) }},
		{Head: "OVERLAP", Of: func(a axis) report.Value {
			switch {
			case a.own:
				return report.Text(percent(a.value) + word)
			case turns && a.value == at:
				return report.Text(percent(a.value) + ", turn")
			}
			return report.Text(percent(a.value))
		}}}
	for _, prefix := range among(p.mean(func(q *crossover.Query) int64 { return q.Prefix }), 20_000, 40_000, 80_000, 120_000, 160_000) {
		head := report.Quantity(prefix.value)
		if prefix.own {
			head += mine
		}
		columns = append(columns, col{Drop: drop(prefix), Axis: "PARENT'S PROMPT", Name: fmt.Sprintf("fork_to_fresh_at_%d", prefix.value), Head: head, Of: func(a axis) report.Value {
			pair := p.with(func(q *crossover.Query) {
				overlap(q, a.value)
				if !prefix.own {
					q.Prefix = prefix.value
				}
			})
			return report.Ratio(int64(pair.Fork), int64(pair.Fresh)).As(cell(pair, a.own && prefix.own && p.holds))
		}})
	}
	return report.TableOf("fork_or_fresh", among(own, shares...), columns...)
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

// sum is a figure of the children.
func (p *Point) sum(of func(*crossover.Query) int64) (sum int64) {
	for i := range p.children {
		sum += of(&p.children[i])
	}
	return sum
}

// mean is a figure of the children, weighted alike.
func (p *Point) mean(of func(*crossover.Query) int64) int64 {
	return p.sum(of) / int64(max(len(p.children), 1))
}

// left says what the comparison leaves out, and which children.
func (p *Point) left() []string {
	billed := "what parents are billed, which both kinds cause"
	if n := p.In.Background; n > 0 {
		billed += fmt.Sprintf(" (notifications of children that ended in the background: %d)", n)
	}
	out := []string{billed}
	var why report.Findings
	for _, x := range p.In.Left {
		why.Add(x.Why, x.Thread, 0)
	}
	return append(out, why.Lines(len(p.In.Left)+1)...)
}

// modelRow is a model of fresh children; "" is each one's own.
type modelRow struct{ name, id string }

// models is the other map: by the model of fresh children and by what a fork thinks at
// each call beside what a child answers.
func (p *Point) models() *report.Sheet {
	_, own := p.In.Forked()
	type col = report.Column[modelRow]
	columns := []col{{Name: "childs_model", Head: "CHILD'S MODEL", Of: func(m modelRow) report.Value { return report.Text(m.name) }}}
	for _, thinks := range among(own, 0, 250, 500, 1000) {
		head := report.Quantity(thinks.value)
		if thinks.own {
			head += ", HERE"
		}
		columns = append(columns, col{Name: fmt.Sprintf("fork_to_fresh_thinking_%d", thinks.value), Axis: "A FORK THINKS", Head: head, Drop: drop(thinks), Of: func(m modelRow) report.Value {
			pair := p.with(func(q *crossover.Query) {
				q.Thinks = thinks.value
				switch m.id {
				case "":
				case theirs:
					q.Child = ""
				default:
					q.Child = m.id
				}
			})
			return report.Ratio(int64(pair.Fork), int64(pair.Fresh)).As(cell(pair, m.id == "" && thinks.own && p.holds))
		}})
	}
	return report.TableOf("fork_or_fresh_models", p.others(), columns...)
}

// others are the children's own models, their parents', and the newest small one that
// counts tokens alike.
func (p *Point) others() []modelRow {
	out := []modelRow{{name: "as it is"}}
	first := p.children[0]
	if slices.ContainsFunc(p.children, func(q crossover.Query) bool { return q.Child != "" }) {
		out = append(out, modelRow{"its parent's", theirs})
	}
	for _, id := range cachemodel.Models() {
		if strings.HasPrefix(id, small) && profile.FamilyOf(id) == profile.FamilyOf(first.Model) {
			f, _ := cachemodel.Lookup(id) // it is of the list
			if slices.ContainsFunc(p.children, func(q crossover.Query) bool { return q.Child != f.Pinned() }) {
				out = append(out, modelRow{strings.TrimPrefix(id, "claude-"), f.Pinned()})
			}
			break
		}
	}
	return out
}

const (
	small  = "claude-haiku-"
	theirs = "parent" // every child has its parent's model
)
