package whatif

import (
	"cmp"
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/crossover"
	"agentsim/sim/recording"
	"agentsim/sim/recording/toscenario"
	"agentsim/sim/transcript"
)

// Structured is what a session costs whose children's work is done otherwise. All
// bills are of the session told as a scenario, through the whole stack.
type Structured struct {
	Told Row   // as it was
	Rows []Row // otherwise, by overlap
	// Fell lists what was told of threads that are no more, Left threads that stay as
	// they were.
	Fell, Left []string
	Assumed    []string
}

// Point is the row to go by: the session's own overlap, else that of Unknown which is
// nearest to what recorded children had.
func (a *Structured) Point() (out Row) {
	for _, r := range a.Rows {
		if r.Measured || r.Model == "" && (out.Structure == "" || r.Overlap == Unknown[1] && r.Recorded == "") {
			out = r
		}
	}
	return out
}

// Band says between which bills the rows lie, where they differ in overlap; "" where
// they do not.
func (a *Structured) Band(say func(cachemodel.Picodollars) string) string {
	var low, high *Row
	for i := range a.Rows {
		r := &a.Rows[i]
		if r.Model != "" {
			continue
		}
		if low == nil || r.Session < low.Session {
			low = r
		}
		if high == nil || r.Session > high.Session {
			high = r
		}
	}
	if low == nil || low.Overlap == high.Overlap {
		return ""
	}
	return fmt.Sprintf("%s to %s for the session, as overlap is %d.%d or %d.%d %%", say(low.Session), say(high.Session),
		low.Overlap/10, low.Overlap%10, high.Overlap/10, high.Overlap%10)
}

// Row is one way in which the work is done.
type Row struct {
	Structure scenarios.Structure
	Overlap   int64  // of what children read, what their parents had read, in thousandths
	Measured  bool   // the overlap is the session's own
	Recorded  string // the quantile of recorded children that it is: P50, P90; "" for none
	Model     string // of fresh children, where it is not the recorded one
	Session   cachemodel.Picodollars
	Children  cachemodel.Picodollars // what is left of it without the parents' bill as it was
}

const (
	askStructure = "--structure"
	noChildren   = "the recording has no sub-agent and no fork whose parent it tells"
)

// Unknown are overlaps to look at where none is known, in thousandths.
var Unknown = [...]int64{0, 150, 350}

// Restructure asks what a session would have cost with the work of its children done
// by another structure. What decides it is read by the function that the comparisons
// of forks and sub-agents have in common.
func Restructure(s *recording.Session, structure scenarios.Structure, in *crossover.Inputs, opt Options) (*Structured, error) {
	if err := billable(s, &opt); err != nil {
		return nil, err
	}
	told, err := toscenario.Of(s, toscenario.Options{Slack: opt.Slack})
	if err != nil {
		return nil, refuse(askStructure, "%s", err)
	}
	a := &Structured{}
	parents, all, err := play(told, &opt)
	if err != nil {
		return nil, err
	}
	a.Told = Row{Session: all, Children: all - parents}
	if a.Told.Children == 0 {
		return nil, refuse(askStructure, noChildren)
	}
	a.Assumed = assumed(structure, in)
	for _, r := range asked(structure, in) {
		if err := a.add(told, r, in, parents, &opt); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// asked are the rows of a structure.
func asked(structure scenarios.Structure, in *crossover.Inputs) (out []Row) {
	own := ""
	for i := range in.Children {
		if q := &in.Children[i]; q.Child != "" {
			own = q.Model
		}
	}
	if own != "" && structure != scenarios.Inline {
		out = append(out, Row{Structure: scenarios.Subagent, Model: own})
	}
	if structure == scenarios.Subagent || structure == scenarios.Coordinated {
		return append(out, Row{Structure: structure})
	}
	for _, share := range Unknown {
		out = append(out, Row{Structure: structure, Overlap: share})
	}
	share, n := in.Overlap()
	if structure == scenarios.Inline {
		share, n = in.Inline()
	}
	if n > 0 {
		return append(out, Row{Structure: structure, Overlap: share, Measured: true})
	}
	for i, share := range crossover.Recorded() {
		out = append(out, Row{Structure: structure, Overlap: share, Recorded: [...]string{"P50", "P90"}[i]})
	}
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(a.Overlap, b.Overlap) })
	return out
}

// assumed lists what every answer takes for granted.
func assumed(structure scenarios.Structure, in *crossover.Inputs) []string {
	out := []string{"instants and answers are as recorded, and what is not said of a head or a result is filler of its size",
		fmt.Sprintf("a child is told what to do in %d tokens", crossover.TaskTokens)}
	switch spares, thinks := in.Forked(); {
	case structure == scenarios.Inline:
		return append(out, "the parent makes a child's calls at their instants, or when the one before has ended; what its conversation gains stays there")
	case structure == scenarios.Coordinated:
		return append(out, fmt.Sprintf("workers are the sub-agents; of those that were waited for each re-invokes its parent once more, for %d tokens of output", toscenario.WakeOutput))
	case structure == scenarios.Fork && in.Forks == 0:
		return append(out, "a fork has its parent's model, TTL and conversation; it makes the child's calls and thinks no more than it did")
	case structure == scenarios.Fork && in.Again().Fork > 0:
		out = append(out, fmt.Sprintf("as forks on the same work a fork writes %d tokens again after later misses of its own", in.Again().Fork))
		fallthrough
	case structure == scenarios.Fork:
		return append(out, fmt.Sprintf("a fork has its parent's model, TTL and conversation; as forks on the same work it spares %d.%d %% of the calls and thinks %d tokens at each", spares/10, spares%10, thinks))
	}
	return append(out, "of a fork's conversation a fresh child must read again what its parent had read, which is not known")
}

// add plays one row.
func (a *Structured) add(told *toscenario.Told, r Row, in *crossover.Inputs, parents cachemodel.Picodollars, opt *Options) error {
	o := toscenario.Otherwise{Structure: r.Structure, Overlap: r.Overlap, Task: crossover.TaskTokens, Model: r.Model, Head: headOf(told)}
	if r.Structure == scenarios.Fork {
		o.Spares, o.Thinks = in.Forked()
		o.Adds = in.Adds()
	}
	other, fell, left := told.As(o)
	a.Fell, a.Left = fell, left
	own, all, err := play(other, opt)
	if err != nil {
		return err
	}
	if r.Structure == scenarios.Fork {
		all += in.Rewritten().Fork // which no answer of the recording shows
	}
	r.Session, r.Children = all, all-own
	if r.Structure == scenarios.Inline {
		r.Children = all - parents
	}
	a.Rows = append(a.Rows, r)
	return nil
}

// headOf is the head of the first fresh sub-agent of a session, for those that were
// forks.
func headOf(told *toscenario.Told) int64 {
	for i := range told.Threads {
		if t := &told.Threads[i]; t.Type != "" && t.Calls[0].From == "" {
			return t.Calls[0].Prompt
		}
	}
	return 0
}

// play runs a told session and adds up the bills of threads that are no children, and
// of all; requests of the client's own are in neither.
func play(told *toscenario.Told, opt *Options) (parents, all cachemodel.Picodollars, err error) {
	f, err := scenarios.Parse("told.yaml", told.Text("told", "whatif", opt.Slack))
	if err != nil {
		return 0, 0, refuse(askStructure, "it makes no scenario: %s", err)
	}
	sc, err := f.Effective(f.VariantNames()[0], nil)
	if err != nil {
		return 0, 0, err
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		return 0, 0, err
	}
	b := &paid{opt: opt, child: map[int32]bool{}, told: told}
	res, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{b}})
	if err == nil && res.Outcome != sim.Completed {
		err = fmt.Errorf("the run of its scenario is %s: %s", res.Outcome, res.Detail)
	}
	if err != nil {
		return 0, 0, refuse(askStructure, "made a scenario, the session cannot be played: %s", err)
	}
	return b.parents, b.all, nil
}

// paid adds up the bills of a told session.
type paid struct {
	opt          *Options
	told         *toscenario.Told
	child        map[int32]bool // of agents that are threads
	parents, all cachemodel.Picodollars
}

// Emit implements transcript.Sink.
func (b *paid) Emit(e *transcript.Event) {
	switch x := e.Body.(type) {
	case *transcript.AgentStart:
		for i := range b.told.Threads {
			if t := &b.told.Threads[i]; t.Thread == x.Lineage {
				b.child[e.Agent] = t.Type != ""
			}
		}
	case *transcript.Response:
		child, thread := b.child[e.Agent]
		if !thread {
			return
		}
		cost := b.opt.priced(x.Model).Cost(x.Resp.Usage)
		b.all += cost
		if !child {
			b.parents += cost
		}
	}
}
