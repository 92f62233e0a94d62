package lint

import (
	"cmp"
	"slices"

	"agentsim/sim/vtime"
)

// Rule is one thing that may be wrong.
type Rule struct {
	ID   string
	What string // one line, for people
	// Serious is whether work is likely to be lost or wrong; the others cost.
	Serious bool
	check   func(*judge)
}

// rules are all of them in the order in which they are told.
var rules = []Rule{
	{"lazy-delegation", "a prompt leaves understanding to the worker: based on your findings", true, (*judge).lazy},
	{"not-self-contained", "a prompt lacks what its worker needs and cannot find", true, (*judge).selfContained},
	{"no-purpose", "a prompt does not say what its result is for", false, (*judge).purpose},
	{"model-set", "a worker's model is set by whoever spawns it", false, (*judge).model},
	{"trivial-delegation", "a question is delegated that one look answers", false, (*judge).trivial},
	{"prints-file", "a worker is used to print a file", false, (*judge).prints},
	{"replied-to-notification", "a notification is answered or thanked for", false, (*judge).replied},
	{"silence", "the user hears nothing for long while agents work", false, (*judge).silence},
	{"two-writers", "two agents write one file at once", true, (*judge).twoWriters},
	{"implementation-overlap", "two implementations of one file set run at once", true, (*judge).implementations},
	{"early-implementation", "a coordinator gives out an implementation before all research is in", true, (*judge).early},
	{"verification-overlap", "a verification runs while its files are being changed", true, (*judge).verifications},
	{"verifier-wrote-code", "whoever verifies wrote what it verifies", true, (*judge).verifierWrote},
	{"verification-runs-nothing", "a verification runs no command", true, (*judge).runsNothing},
	{"verification-skips-tests", "a verification leaves out the tests of what it verifies", true, (*judge).skipsTests},
	{"verification-no-probe", "an agent of type verification tries nothing adversarial", true, (*judge).noProbe},
	{"type-errors-waved-off", "a verification calls type errors unrelated and does not look into them", true, (*judge).wavesOff},
}

// Rules lists what is looked for.
func Rules() []Rule { return slices.Clone(rules) }

// Silence is for how long a user may hear nothing, unless said otherwise.
const Silence = 5 * vtime.Minute

// Options are those of one look at a run.
type Options struct {
	Silence vtime.Duration // 0 is Silence
}

// Finding is one thing that is wrong.
type Finding struct {
	Rule string
	Place
	With    string // lineage of the other agent, where there are two
	What    string // a sentence
	Excerpt string // of the text that it is about
}

// Place is the request that something stands in.
type Place struct {
	Agent string // lineage
	Call  int64  // number of the request in the run, from 1
	Own   int    // the agent's own number for it, from 0
	Block int32  // position in the conversation, from 1; 0 when it belongs to no block
	At    vtime.Instant
}

// Unjudged is something that a rule could not judge.
type Unjudged struct {
	Rule string
	Place
	Why string
}

// Sum is what came of one rule.
type Sum struct {
	Rule             Rule
	Judged           int // things that it could judge
	Found, NotJudged int
}

// Report is what is wrong with a run.
type Report struct {
	Findings []Finding  // by request, then by rule
	Unjudged []Unjudged // likewise
	Sums     []Sum      // in the order of Rules
}

// Found is the number of findings of the rules named, of all when none is.
func (r *Report) Found(names ...string) (n int) {
	for _, s := range r.Sums {
		if len(names) == 0 || slices.Contains(names, s.Rule.ID) {
			n += s.Found
		}
	}
	return n
}

// Check looks for everything that may be wrong with how the agents of a run were
// led.
func Check(run *Run, opt Options) *Report {
	if opt.Silence == 0 {
		opt.Silence = Silence
	}
	j := &judge{run: run, opt: opt, report: &Report{}}
	j.findWrites()
	j.findOrders()
	for i := range rules {
		j.sum = Sum{Rule: rules[i]}
		rules[i].check(j)
		j.report.Sums = append(j.report.Sums, j.sum)
	}
	order := map[string]int{}
	for i, r := range rules {
		order[r.ID] = i
	}
	slices.SortStableFunc(j.report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(order[a.Rule], order[b.Rule]))
	})
	slices.SortStableFunc(j.report.Unjudged, func(a, b Unjudged) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(order[a.Rule], order[b.Rule]))
	})
	return j.report
}

// judge is one look at a run.
type judge struct {
	run    *Run
	opt    Options
	orders []*order
	writes []write // in order of time
	report *Report
	sum    Sum // of the rule at work
}

func (j *judge) name(agent int32) string {
	if agent < 0 {
		return "a worker"
	}
	return j.run.Agents[agent].Lineage
}

func (j *judge) place(c *Call, b *Block) Place {
	p := Place{Agent: j.run.Agents[c.Agent].Lineage, Call: c.N, Own: c.Call, At: c.From}
	if b != nil {
		p.Block = b.Pos
		if b.Role == "assistant" {
			p.At = c.To
		}
	}
	return p
}

func (j *judge) found(p Place, with, what, excerpt string) {
	j.sum.Found++
	j.report.Findings = append(j.report.Findings, Finding{j.sum.Rule.ID, p, with, what, excerpt})
}

func (j *judge) notJudged(p Place, why string) {
	j.sum.NotJudged++
	j.report.Unjudged = append(j.report.Unjudged, Unjudged{j.sum.Rule.ID, p, why})
}

const noPrompt = "the prompt is not in the record"

// prompts hands out the orders whose prompt is on record and says of the others
// that they are not judged.
func (j *judge) prompts(each func(*order)) {
	for _, o := range j.orders {
		if o.unknown {
			j.notJudged(j.place(o.call, o.block), noPrompt)
			continue
		}
		j.sum.Judged++
		each(o)
	}
}
