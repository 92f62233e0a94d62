package crossover

import (
	"cmp"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording"
	"agentsim/sim/recording/profile"
	"agentsim/sim/rng"
)

// Inputs are what decides between forks and fresh sub-agents, read from runs and
// recorded sessions: every command that compares the two takes them from here.
// Re-invocations of the parent are left out of all of them: both kinds cause as many.
type Inputs struct {
	Sessions     int
	Children     []Query // as each child was as a fresh sub-agent, and would be as a fork
	Billed       Pair    // what the children were billed; Fork is 0 where no forks ran
	Forks        int64   // forks that ran, on the same work
	Background   int64   // children that reported by notifications
	Placeholders int64   // calls of fresh children whose output the recording does not tell
	Left         []Left
	// Sample says that the children stand for others like them: what fewer than
	// profile.ThinBelow of them show is not used for all.
	Sample bool

	sizes         *profile.Measure
	shares        map[string]pooled // by figure, of the sessions so far
	turns, output Counts
	again, behind int64 // tokens that forks wrote again, and those of their parents' prompts
	missed, reach int64 // forks that did not find all that the cache had of their parents' prompts, and what these read
	lost          int64 // what of it they did not find
	adds          int64 // tokens of forks' first prompts beside their parents'
}

// Left is a child that is not compared, and why.
type Left struct{ Thread, Why string }

// Counts is a number of forks and of fresh children.
type Counts struct{ Fork, Fresh int64 }

func (c *Counts) add(k kind, n int64) {
	if k == fork {
		c.Fork += n
		return
	}
	c.Fresh += n
}

// Add reads a session: its sub-agents, and its forks, which are taken for the same
// work done by forks.
func (in *Inputs) Add(s *recording.Session) {
	in.Sessions++
	if in.sizes == nil {
		in.sizes = profile.New(profile.Options{Joined: true})
	}
	in.sizes.Add("", s)
	in.shares = nil
	of := make([][]*recording.Request, len(s.Threads))
	width := map[int32]int64{}
	for i := range s.Requests {
		r := &s.Requests[i]
		of[r.Thread] = append(of[r.Thread], r)
	}
	for i := range s.Threads {
		if t := &s.Threads[i]; len(of[i]) > 0 && t.SpawnedBy >= 0 {
			width[t.SpawnedBy]++
		}
	}
	for i := range s.Threads {
		t := &s.Threads[i]
		if len(of[i]) == 0 || t.Kind != recording.SubAgent && t.Kind != recording.Fork {
			continue
		}
		in.child(s, t, of[i], width[t.SpawnedBy])
	}
}

// child reads one child.
func (in *Inputs) child(s *recording.Session, t *recording.Thread, reqs []*recording.Request, width int64) {
	q, cost, why := measured(s, t, reqs, width)
	if why != "" {
		in.Left = append(in.Left, Left{t.Name, why})
		return
	}
	if t.Async {
		in.Background++
	}
	if t.Kind == recording.Fork {
		in.Forks++
		in.Billed.Fork += cost
		in.count(fork, &q)
		in.again, in.behind = in.again+q.Again, in.behind+q.Prefix
		first, by := reqs[0].Usage, s.Requests[t.SpawnedBy].Usage
		in.adds += first.Prompt() - q.Prefix
		if lost := by.Prompt() - by.Input - first.Read; lost > 0 { // the cache had all but the parent's uncached input
			in.missed, in.reach, in.lost = in.missed+1, in.reach+first.Read, in.lost+lost
		}
		return
	}
	for _, r := range reqs {
		if !r.OutputKnown {
			in.Placeholders++
		}
	}
	in.Children = append(in.Children, q)
	in.Billed.Fresh += cost
	in.count(fresh, &q)
}

func (in *Inputs) count(k kind, q *Query) {
	in.turns.add(k, q.Turns)
	in.output.add(k, q.Turns*q.Output)
}

// TaskTokens is what a child is taken to be told, of its first prompt, in tokens.
const TaskTokens = 200

// measured is a child as a query, what it was billed, and why it is none.
func measured(s *recording.Session, t *recording.Thread, reqs []*recording.Request, width int64) (q Query, cost cachemodel.Picodollars, why string) {
	if t.SpawnedBy < 0 {
		return q, 0, "who spawned it is not in the recording"
	}
	by, first, last := &s.Requests[t.SpawnedBy], reqs[0].Usage, reqs[len(reqs)-1].Usage
	var output int64
	for _, r := range reqs {
		p, err := cachemodel.LookupBillable(r.Model)
		switch {
		case err != nil || !r.Billed || !r.WritesKnown:
			return q, 0, "its bill is not known"
		case r.Compacted:
			return q, 0, "its conversation was compacted"
		}
		cost += p.Cost(r.Usage)
		output += r.Usage.Output
	}
	parent, err := cachemodel.LookupBillable(by.Model)
	if err != nil {
		return q, 0, "its parent's prices are not known"
	}
	lives, _ := s.Lifetime(int(t.SpawnedBy))
	own := llm.TTL5m
	for _, r := range reqs {
		if r.Usage.Write1h > r.Usage.Write5m {
			own = llm.TTL1h
		}
	}
	child, _ := cachemodel.Lookup(reqs[0].Model) // found above
	turns := int64(len(reqs))
	q = Query{Model: parent.Pinned(), Prefix: by.Usage.Prompt(), Turns: turns, Siblings: width, Reading: MaxTurns, Task: TaskTokens,
		Output: output / turns, Lacks: 1000, Hour: lives == llm.TTL1h, Long: own == llm.TTL1h}
	for i, r := range reqs[1:] {
		before := reqs[i].Usage.Prompt()
		switch late := r.Start.Sub(reqs[i].Last) > own.Duration(); {
		case 2*r.Usage.Read >= before:
		case late:
			q.Pauses++
		default:
			q.Again += before - r.Usage.Read
		}
	}
	if by.OutputKnown {
		q.Said = by.Usage.Output
	}
	q.Head, q.Spoke = head(s, t.SpawnedBy), q.Said > width*TaskTokens
	if n := max(len(by.Answer), by.AnswerBlocks); n > 0 {
		q.Spoke = int64(n) > width
	}
	if child != parent {
		q.Child = child.Pinned()
	}
	q.Growth = q.Output
	q.Own = first.Prompt() - q.Task
	q.Know = q.Own + max(last.Prompt()-first.Prompt()-(turns-1)*q.Growth, 0)
	q.Half = halfway(reqs, &q)
	if q.Warm = min(first.Read, q.Own); q.Check() != nil {
		return q, 0, "it is too short or too long to be simulated"
	}
	return q, cost, ""
}

// head is what the breakpoints before a thread's conversation keep, as far as its requests
// up to one of them tell: the least that they found in the cache, or the first prompt
// without what is said in it; 0 for nothing.
func head(s *recording.Session, until int32) (least int64) {
	first := true
	atMost := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for i := range s.Requests[:until+1] {
		r := &s.Requests[i]
		if r.Thread != s.Requests[until].Thread {
			continue
		}
		if first && len(r.Said) > 0 {
			var said llm.Measure
			for _, m := range r.Said {
				for j := range m.Blocks {
					said = said.Plus(m.Blocks[j].Measure())
				}
			}
			atMost(r.Usage.Prompt() - tokens.Approx(r.Model).Tokens(said))
		}
		first = false
		atMost(r.Usage.Read)
	}
	return least
}

// halfway is the share of what a child reads that has arrived by its middle call, at
// least one thousandth.
func halfway(reqs []*recording.Request, q *Query) int64 {
	n := len(reqs) - 1
	grown := func(i int) int64 {
		return reqs[i].Usage.Prompt() - reqs[0].Usage.Prompt() - int64(i)*q.Growth
	}
	if q.Know == q.Own {
		return 500
	}
	return min(max((grown(n/2)+grown(n-n/2))*500/(q.Know-q.Own), 1), 1000)
}

// pooled is a share of what all children read, in thousandths, and of how many it was
// measured.
type pooled struct{ share, children int64 }

// pooled is a figure of the children's reading.
func (in *Inputs) pooled(figure string) pooled {
	if in.shares == nil {
		in.shares = map[string]pooled{}
		for _, src := range in.sizes.Profile().Sources {
			for _, r := range src.Roles {
				for name, f := range r.Figures { // order: each figure goes to its own sum
					if r.Role == profile.SubAgent && r.Type == "" && f.Share != nil {
						p := in.shares[name]
						in.shares[name] = pooled{p.share + f.N**f.Share, p.children + f.N}
					}
				}
			}
		}
	}
	p := in.shares[figure]
	if p.children > 0 {
		p.share /= p.children
	}
	return p
}

// Overlap is the share of what children read that their parents had read, in
// thousandths, and of how many children it was measured: of 0 it is taken from the
// recorded ones.
func (in *Inputs) Overlap() (share, children int64) {
	_, thin := in.Thin()
	if p := in.pooled("overlap_parent_bytes"); p.children > thin {
		return p.share, p.children
	}
	return *recorded("overlap_parent_bytes").Share, 0
}

// Thin is the share that is measured of too few children of a sample to be used, and of
// how many.
func (in *Inputs) Thin() (share, children int64) {
	if p := in.pooled("overlap_parent_bytes"); in.Sample && p.children < profile.ThinBelow {
		return p.share, p.children
	}
	return 0, 0
}

// Inline is Overlap for a parent that does its children's work itself: it knows what it
// read for the earlier ones as well.
func (in *Inputs) Inline() (share, children int64) {
	share, children = in.Overlap()
	return share + in.pooled("overlap_siblings_bytes").share*(1000-share)/1000, children
}

// Recorded are the P50 and the P90 of what recorded children had of their parents'
// reading.
func Recorded() (out []int64) {
	f := recorded("overlap_parent")
	for _, part := range [...]int{50, 90} {
		out = append(out, f.Percentile(part))
	}
	return out
}

// recorded is a figure of the sub-agents in the profile of the binary.
func recorded(figure string) *profile.Figure {
	p, err := profile.Open(profile.Shipped()[0])
	if err != nil {
		panic("crossover: the profile of the binary is broken: " + err.Error())
	}
	f, _ := p.Find(profile.Want{Role: profile.SubAgent, Figure: figure})
	return f
}

// Forked is what forks did otherwise than fresh children on the same work: the share of
// turns that they did not make, in thousandths, and what they thought at each. Both are
// 0 where none ran: a fork is taken to work as the child did.
func (in *Inputs) Forked() (spares, thinks int64) {
	if in.Forks == 0 || in.turns.Fresh == 0 {
		return 0, 0
	}
	return max(1000-in.turns.Fork*1000/in.turns.Fresh, 0), max(in.output.Fork/in.turns.Fork-in.output.Fresh/in.turns.Fresh, 0)
}

// Otherwise is what forks do otherwise than fresh children on the same work.
type Otherwise struct {
	Spares int64 // the share of turns that they do not make, in thousandths
	Thinks int64 // tokens that they think at each turn beside
}

// Least and Most are what makes forks cheapest and dearest of all that they did in
// scenario fork-vs-subagent at Seen: where none ran, nobody knows better.
var (
	Least = Otherwise{Spares: 230, Thinks: 240}
	Most  = Otherwise{Spares: 60, Thinks: 1100}
)

// Seen are the seeds at which forks were looked at.
var Seen = [...]uint64{1, 2, 3, 4, 5, 6, 7, 8, 42}

// Between is what forks may cost of what fresh children cost, at least and at most, where
// they cost so much as forks that work as the children did; in thousandths.
func (in *Inputs) Between(alike Pair) (low, high int64) {
	ratio := func(p Pair) int64 { return int64(p.Fork) * 1000 / int64(p.Fresh) }
	children := in.Settled()
	here := max(ratio(Estimate(children)), 1)
	as := func(o Otherwise) int64 {
		for i := range children {
			children[i].Spares, children[i].Thinks = o.Spares, o.Thinks
		}
		return ratio(alike) * ratio(Estimate(children)) / here
	}
	return min(as(Least), ratio(alike)), max(as(Most), ratio(alike))
}

// Missed are the forks that did not find all that the cache had of their parents' prompts,
// and of these what such a fork read all the same, and what it lost.
func (in *Inputs) Missed() (forks, reach, lost int64) {
	n := max(in.missed, 1)
	return in.missed, in.reach / n, in.lost / n
}

// Adds are the tokens of a fork's first prompt beside its parent's, in the mean; 0 where no
// forks ran.
func (in *Inputs) Adds() int64 { return max(in.adds, 0) / max(in.Forks, 1) }

// Settled are the children with what forks do otherwise, and what overlap spares them.
func (in *Inputs) Settled() []Query {
	share, _ := in.Overlap()
	missed, reach, _ := in.Missed()
	out := slices.Clone(in.Children)
	for i := range out {
		q := &out[i]
		q.Lacks = 1000 - share
		q.Spares, q.Thinks = in.Forked()
		if in.Forks == 0 {
			q.Again = 0 // what a fork would have missed is not known
			if q.Siblings >= q.OutOfReach() {
				q.Misses, q.Reach = 1000, min(q.Head*rng.Millionth/q.Prefix, rng.Millionth)
			}
			continue
		}
		q.Forked = in.again * rng.Millionth / in.behind
		q.Adds = in.Adds()
		q.Misses, q.Reach = missed*1000/in.Forks, min(reach*rng.Millionth*in.Forks/in.behind, rng.Millionth)
		q.Fourth = true // what they missed is told, and not simulated
	}
	return out
}

// Estimate is what the children cost as forks and as fresh sub-agents by arithmetic:
// everything is cached but what forks that ran missed and children beside them, and what they read arrives turn by turn.
func Estimate(children []Query) (sum Pair) {
	for i := range children {
		q := &children[i]
		sum.Fork += q.bill(q.profileOf(fork).Cost, fork, q.Reading) + q.again(fork)
		sum.Fresh += q.bill(q.profileOf(fresh).Cost, fresh, q.Reading) + q.again(fresh)
	}
	return sum
}

// Again are the tokens that a fork and a fresh child of those that ran wrote again behind
// misses in their course, in the mean; 0 where no forks ran.
func (in *Inputs) Again() (mean Counts) {
	if in.Forks == 0 {
		return mean
	}
	for i := range in.Children {
		mean.Fresh += in.Children[i].Again
	}
	return Counts{in.again / in.Forks, mean.Fresh / int64(max(len(in.Children), 1))}
}

// Rewritten is what these misses cost all children as forks and as fresh ones, and what it
// costs forks that they do not find all of their parents' prompts.
func (in *Inputs) Rewritten() (sum Pair) {
	for _, q := range in.Settled() {
		sum.Fork += q.again(fork) + q.missed()
		sum.Fresh += q.again(fresh)
	}
	return sum
}

// Simulate runs a generated scenario of each child, with as many siblings as it had, and
// adds what misses cost it.
func (l *Lab) Simulate(children []Query) (sum Pair, err error) {
	for i := range children {
		q := &children[i]
		one, err := l.pair(*q, q.world())
		if err != nil {
			return Pair{}, err
		}
		sum.Fork += one.Fork/cachemodel.Picodollars(q.Siblings) + q.again(fork)
		if q.Fourth { // a run without it loses what is out of reach itself
			sum.Fork += q.missed()
		}
		sum.Fresh += one.Fresh/cachemodel.Picodollars(q.Siblings) + q.again(fresh)
	}
	return sum, nil
}

// Turn is the least value of an input, of those from low to high, at which the ranking
// is another one than at low; ok is false where there is none. set gives every child
// the value.
func Turn(children []Query, low, high int64, set func(q *Query, v int64)) (at int64, ok bool) {
	side := func(v int64) int {
		list := slices.Clone(children)
		for i := range list {
			set(&list[i], v)
		}
		p := Estimate(list)
		return cmp.Compare(p.Fork, p.Fresh)
	}
	begin := side(low)
	if begin == side(high) {
		return 0, false
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; side(mid) == begin {
			low = mid
		} else {
			high = mid
		}
	}
	return high, true
}
