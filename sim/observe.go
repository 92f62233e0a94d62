package sim

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/fork"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"

	"github.com/bmatcuk/doublestar/v4"
)

// observer reads what agents report and records what became of the work. It
// sees the same text as whoever gets the report. As a sink it notes how far the
// write log was when each agent began.
type observer struct {
	r     *run
	began []int                           // by agent: writes made before it began
	told  map[reported]transcript.Outcome // outcome recorded last
	last  map[string]verdict              // by item: what was said of it last
	items map[string]*scenarios.Item

	compacted bool     // a history became a summary
	edits     bool     // what is said of edits by children decides about some child
	models    []string // which model each type of child ran on, as assumed says it
	reading   reading
	limits    limits
	came      came
}

// reported is an item in the words of one agent.
type reported struct {
	agent int32
	item  string
}

func newObserver(r *run) *observer {
	o := &observer{r: r, came: came{above: map[string]int64{}, tested: map[int]bool{}, injected: map[string]bool{}}, told: map[reported]transcript.Outcome{}, last: map[string]verdict{}, items: map[string]*scenarios.Item{}}
	if r.spec.Scenario.Compaction != nil {
		o.came.histories = map[string]int64{}
	}
	for i := range r.scenario.Work {
		it := &r.scenario.Work[i]
		o.items[it.ID] = it
	}
	o.wants()
	return o
}

// Emit notes where the write log stands at the start of an agent, in whose mode
// and on which model a child runs, and whether anything was compacted.
func (o *observer) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.ToolCall:
		o.limits.call(b)
		return
	case *transcript.Permission:
		o.limits.decided(o.r.world.Agents()[e.Agent].Lineage(), b)
		return
	case *transcript.ToolResult:
		o.limits.ended(o.r.world.Agents()[e.Agent].Lineage(), b)
		return
	case *transcript.APIError:
		o.limits.failed(b, e.Agent > 0)
		return
	case *transcript.AgentStart:
		sc := o.r.spec.Scenario
		o.edits = o.edits || b.Parent >= 0 && b.PoolMode == string(permission.AcceptEdits) && sc.Stack != scenarios.MinimalStack && !sc.Permissions.HoldsChildren()
		if text := childAssumed(b); text != "" && !slices.Contains(o.models, text) {
			o.models = append(o.models, text)
		}
	case *transcript.Compact:
		o.compacted = true
		return
	case *transcript.Request:
		o.look(o.r.world.Agents()[e.Agent])
		return
	default:
		o.came.note(b)
		return
	}
	for int(e.Agent) >= len(o.began) {
		o.began = append(o.began, 0)
	}
	o.began[e.Agent] = len(o.r.fs.Log())
}

// Said reads the marks in an answer's text.
func (o *observer) Said(a *agent.Agent, text *llm.Payload) {
	raw := text.Raw()
	if !strings.Contains(raw, "[[") {
		return
	}
	var done, stale []string
	o.r.marks.Scan(raw, func(m mark.Mark) {
		switch m.Verb {
		case mark.Done:
			done = append(done, m.Args[0])
		case mark.On:
			if o.stood(a, m.Args[0]) != m.Args[1] {
				stale = append(stale, m.Args[0])
			}
		case mark.Failed:
			o.record(a, &transcript.Item{Item: m.Args[0], Outcome: transcript.Failed, Missing: strings.Split(m.Args[1], ",")})
		}
	})
	o.look(a)
	for i, item := range done {
		o.record(a, o.done(a, item, done[:i], o.concerns(item, done, stale)))
	}
	if len(done) > 0 {
		o.next(a)
	}
}

// done is what an agent's word that an item is done, behind others in one answer, comes
// to: without the content
// of a file that the item needs, or an end of a command that it runs, it is not
// done.
func (o *observer) done(a *agent.Agent, item string, with []string, stale bool) *transcript.Item {
	want := o.reading.items[item]
	missing := o.unread(a, want.needs)
	for i, p := range missing {
		missing[i] = "unread:" + p
	}
	if missing = append(missing, o.unrun(a, want.runs)...); len(missing) > 0 {
		return &transcript.Item{Item: item, Outcome: transcript.Failed, Missing: missing}
	}
	o.reading.before = append(o.reading.before, Before{item, o.before(a, with, want.needs), len(want.needs)})
	return &transcript.Item{Item: item, Outcome: o.outcome(a, item, stale), Reads: len(want.reads), Unread: o.unread(a, want.reads)}
}

// record records an outcome unless the agent has told it before: a final report
// repeats what earlier answers said.
func (o *observer) record(a *agent.Agent, it *transcript.Item) {
	key := reported{a.Ref(), it.Item}
	o.last[it.Item] = verdict{a, it.Outcome, agent.Unmerged(a)}
	if o.told[key] == it.Outcome {
		return
	}
	o.told[key] = it.Outcome
	a.Record(it)
}

// outcome says how well an item was done: on a version of a file that was old
// already, after work done twice, corrected or failed before, or simply done. That a defect
// stands in what was done shows at the end only (settle).
func (o *observer) outcome(a *agent.Agent, item string, stale bool) transcript.Outcome {
	before := o.told[reported{a.Ref(), item}]
	switch {
	case stale || before == transcript.Wrong:
		return transcript.Wrong
	case o.corrected(a, item) || o.failedBefore(item):
		return transcript.Rework
	case before == transcript.Done || before == transcript.Rework:
		return before
	case a.TakeRework() > 0:
		return transcript.Rework
	}
	return transcript.Done
}

// failedBefore reports whether an item is done that was reported failed. What
// verifies fails where others did: for it that is no attempt that failed.
func (o *observer) failedBefore(item string) bool {
	it := o.items[item]
	return it != nil && it.Kind != "verify" && o.last[item].outcome == transcript.Failed
}

// stood is the version of a file that the agent had to go by: what its own last
// Read or Edit of it showed, else the one that stood when the agent began. What
// others write afterwards makes no report wrong.
func (o *observer) stood(a *agent.Agent, path string) string {
	if hash := o.ownVersion(a, path); hash != "" {
		return hash
	}
	v, _ := o.r.fs.Stat(path)
	log, hash := o.r.fs.Log(), v.Hash
	for i := len(log) - 1; i >= o.began[a.Ref()]; i-- {
		if log[i].Path == path {
			hash = log[i].Before
		}
	}
	return hash
}

// ownVersion is the version that the agent's own tools showed last, "" for none.
// What stands before a fork's directive was its parent's to see.
func (o *observer) ownVersion(a *agent.Agent, path string) (hash string) {
	maker := fork.NewMaker()
	for m := a.Last(); m != nil && hash == ""; m = m.Prev {
		if a.IsFork() && maker.IsForkMessage(m) {
			break
		}
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind == llm.ToolResult {
				o.r.marks.Scan(b.Content.Raw(), func(f mark.Mark) {
					if f.Verb == mark.File && f.Args[0] == path {
						hash = f.Args[1]
					}
				})
			}
		}
	}
	return hash
}

// concerns reports whether one of the stale files is the item's. A file that
// none of the items of the report is known to use counts against all of them.
func (o *observer) concerns(item string, done, stale []string) bool {
	return slices.ContainsFunc(stale, func(path string) bool {
		return o.uses(item, path) || !slices.ContainsFunc(done, func(other string) bool { return o.uses(other, path) })
	})
}

// uses reports whether an item may rely on a file, as far as the scenario says.
func (o *observer) uses(item, path string) bool {
	it := o.items[item]
	if it == nil {
		return false
	}
	picks := func(s scenarios.Selector) bool { return picks(s, path) }
	if edits(it, path) || slices.ContainsFunc(it.FoundIn, picks) || slices.ContainsFunc(it.Reads, picks) || slices.ContainsFunc(it.Knows, func(name string) bool { return summarizes(name, path) }) {
		return true
	}
	return it.Kind == "verify" && slices.ContainsFunc(it.After, func(id string) bool { return o.items[id] != nil && edits(o.items[id], path) })
}

// picks reports whether a selector means a file.
func picks(s scenarios.Selector, path string) bool {
	return s.Path == path || doublestar.MatchUnvalidated(cmp.Or(s.Path, s.Glob), path)
}

// edits reports whether an item changes a file.
func edits(it *scenarios.Item, path string) bool {
	return slices.ContainsFunc(it.Edits, func(e scenarios.Edit) bool { return picks(e.File, path) })
}

// summarizes reports whether what an item knows is a summary of a file, by its path
// or a glob.
func summarizes(name, path string) bool {
	p, ok := strings.CutPrefix(name, scenarios.SummaryOf)
	return ok && (p == path || scenarios.IsGlob(p) && doublestar.MatchUnvalidated(p, path))
}

// criticalFiles is how the report of a Plan agent ends.
var criticalFiles = regexp.MustCompile(`(?:^|\n)### Critical Files for Implementation(?:\n- \S[^\n]*){3,5}\s*$`)

// Reported records what is wrong with the form of a report. That of a Plan agent ends
// with the files that matter most, three to five of them (DEF-07).
func (o *observer) Reported(a *agent.Agent) {
	raw := a.SaidText()
	if a.Plans() && !criticalFiles.MatchString(raw) {
		a.Record(&transcript.Finding{Rule: "plan-report", Detail: "the report does not end with three to five critical files"})
	}
	if a.IsFork() {
		o.checkReport(a, raw)
	}
}

// commitWords name a commit in a report.
var commitWords = regexp.MustCompile(`(?i)\bcommit\W+[0-9a-f]{7,40}\b`)

// checkReport records a fork whose report does not begin with its scope, and one
// that changed files and names no commit that holds them (FRK-08).
func (o *observer) checkReport(a *agent.Agent, raw string) {
	if _, ok := fork.Report(raw); !ok {
		start, _, _ := strings.Cut(raw, "\n")
		a.Record(&transcript.Finding{Rule: "fork-report", Detail: "the report begins " + cmp.Or(start, "without a word")})
	}
	wrote := func(w workspace.Write) bool { return w.By == a.Ref() && !workspace.IsHome(w.Path) }
	if slices.ContainsFunc(o.r.fs.Log()[o.began[a.Ref()]:], wrote) && !commitWords.MatchString(raw) {
		a.Record(&transcript.Finding{Rule: "fork-uncommitted", Detail: "files were changed, and the report names no commit"})
	}
}
