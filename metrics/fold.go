package metrics

import (
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Options are what a Fold cannot learn from events. All may be left out.
type Options struct {
	// Items is the number of work items in the scenario. Items that nobody
	// reported count in the total only.
	Items int
	// Price looks a model up; nil is cachemodel's own table. A model it does not
	// know makes the run's cost unknown.
	Price func(model string) (*cachemodel.Profile, error)
	// Tokens counts a prefix, for the common prefix of siblings.
	Tokens func(model string, n *llm.Node) int64
	// Watch names single calls whose figures are to be kept: an agent's lineage
	// and the call, from 1, such as main#2. Lookup finds them by that name.
	Watch []string
	// Assigned says which kinds of work a text assigns, in order (CRD-07); nil
	// leaves the phases out.
	Assigned func(text string) []string
	// OnCall is handed each request's figures when it has ended.
	OnCall func(*Call)
}

// Fold is a transcript.Sink that keeps a run's figures.
type Fold struct {
	opt    Options
	run    Run
	agents []*agent
	byID   map[llm.AgentID]int32
	kin    sharedprefix.Families
	groups []group // by index of their kin, from their first request on
	items  map[string]report
	models []model
	first  vtime.Instant
	last   vtime.Instant
	call   Call
	// requests is how many were sent.
	requests int64
	watch    []watched
	named    map[[2]string]bool // facts that were named as missing, by item and fact
	// stretches are the parts of each phase that have ended.
	stretches [NumPhases][]stretch
}

// agent is what is kept of an agent while the run goes on.
type agent struct {
	Agent
	sent   vtime.Instant // of the request on its way
	number int64         // its number in the run, from 1
	inCall bool
	woken  bool // by a notification, and not answered since
	async  bool
	phased phased
}

// group is what siblings have in common so far.
type group struct {
	Siblings
	common llm.Hash // of the prefix
}

// model is one model's price and what it was used for.
type model struct {
	Model
	price *cachemodel.Profile
}

// report is the latest word about an item.
type report struct {
	outcome transcript.Outcome
	agent   int32
}

// New makes an empty fold.
func New(opt Options) *Fold {
	if opt.Price == nil {
		opt.Price = cachemodel.Lookup
	}
	f := &Fold{opt: opt, byID: map[llm.AgentID]int32{}, items: map[string]report{}, named: map[[2]string]bool{}}
	for _, name := range opt.Watch {
		f.watch = append(f.watch, newWatched(name))
	}
	return f
}

// Emit takes one event in.
func (f *Fold) Emit(e *transcript.Event) {
	if f.run.Events == 0 {
		f.first = e.At
	}
	f.run.Events++
	f.last = e.At
	switch b := e.Body.(type) {
	case *transcript.Request:
		f.request(e, b)
	case *transcript.Response:
		f.response(e, b)
	case *transcript.APIError:
		f.apiError(e, b)
	case *transcript.ToolCall:
		f.toolCall(e, b)
	case *transcript.Compact:
		f.compact(e, b)
	case *transcript.Replace:
		t := &f.agent(e.Agent).Tally
		t.Replaced++
		t.ReplacedBytes += int64(b.From - b.To)
	case *transcript.Permission:
		f.permission(&f.agent(e.Agent).Tally, b)
	case *transcript.StateWrite:
		f.stateWrite(f.agent(e.Agent), b)
	case *transcript.WakeUp:
		f.wakeUp(f.agent(e.Agent), b)
	case *transcript.AgentStart:
		f.agentStart(e, b)
	case *transcript.AgentEnd:
		f.agentEnd(e, b)
	case *transcript.Notification:
		f.notification(e, b)
	case *transcript.Team:
		if e.Agent >= 0 {
			t := &f.agent(e.Agent).Tally
			t.StartUp += b.StartUp
			t.Connections += int64(b.Connections)
		}
	case *transcript.Handoff:
		f.agent(e.Agent).Tally.handoff(b)
	case *transcript.Finding:
		f.finding(e, b)
	case *transcript.Item:
		f.items[b.Item] = report{b.Outcome, e.Agent}
		f.missing(e, b)
	case *transcript.RunStart:
		f.run.Scenario, f.run.Variant, f.run.Seed = b.Scenario, b.Variant, b.Seed
	case *transcript.RunEnd:
		f.run.Outcome, f.run.Detail = b.Outcome, b.Detail
	}
	if f.opt.Assigned != nil {
		f.phase(e)
	}
}

// agent is the state of an ordinal; one that never started (a transcript cut at
// its head) is a root without a name.
func (f *Fold) agent(ordinal int32) *agent {
	for int(ordinal) >= len(f.agents) {
		f.agents = append(f.agents, &agent{Agent: Agent{Parent: -1}})
	}
	return f.agents[ordinal]
}

func (f *Fold) agentStart(e *transcript.Event, b *transcript.AgentStart) {
	again := int(e.Agent) < len(f.agents)
	a := f.agent(e.Agent)
	if b.Parent >= 0 {
		a.Path = max(a.Path, f.agent(b.Parent).Path)
	}
	a.async, a.Status = b.Async, ""
	if again && a.Lineage != "" {
		return // a new activation of a known agent
	}
	a.ID, a.Lineage, a.Parent, a.Type = b.ID, b.Lineage, b.Parent, b.Type
	a.Structure, a.Model = b.Structure, b.Model
	a.Started, a.Ended = e.At, e.At
	f.byID[b.ID] = e.Agent
	f.kin.Start(e.Agent, b)
}

func (f *Fold) agentEnd(e *transcript.Event, b *transcript.AgentEnd) {
	a := f.agent(e.Agent)
	f.hangUp(a, e.At)
	a.Status, a.Why, a.Ended = b.Status, b.Why, e.At
	a.Turns += b.Turns // of all activations
	if b.Status == transcript.EndKilled {
		a.Tally.Killed++
	}
	if a.Parent >= 0 && !a.async {
		p := f.agent(a.Parent)
		p.Path = max(p.Path, f.agents[e.Agent].Path)
	}
}

func (f *Fold) permission(t *Tally, b *transcript.Permission) {
	switch b.Decision {
	case "ask":
		t.Prompts++
	case "deny":
		t.Denials++
	}
}

// stateWrite looks for agents that move to the background: nobody waits for one
// any more.
func (f *Fold) stateWrite(a *agent, b *transcript.StateWrite) {
	if strings.HasSuffix(b.Field, ".isBackgrounded") {
		a.async = true
		a.Tally.Backgrounded++
	}
}

// compact books a summary and what it lost; the call for it is the last that
// ended.
func (f *Fold) compact(e *transcript.Event, b *transcript.Compact) {
	t := &f.agent(e.Agent).Tally
	t.Compactions++
	t.FactsLost += int64(len(b.Lost))
	t.FilesLost += int64(b.Versions)
	if f.call.Agent == e.Agent && f.call.Call == b.Call {
		t.CompactionCost += f.call.Cost
	}
}

// wakeUp tells what was waited for from what the user said: only the first is a
// cost of the structure.
func (f *Fold) wakeUp(a *agent, b *transcript.WakeUp) {
	if b.Why == "user" {
		a.Tally.UserTurns++
		return
	}
	a.Tally.WakeUps++
	a.Tally.WakeUpTokens += b.Prefix
	a.woken = true
}

// notification links the sender's chain to the receiver's once it is delivered.
func (f *Fold) notification(e *transcript.Event, b *transcript.Notification) {
	if b.Op != "delivered" {
		return
	}
	id, ok := parseAgentID(b.TaskID)
	if !ok {
		return
	}
	from, ok := f.byID[id]
	if !ok || e.Agent < 0 {
		return
	}
	to := f.agent(e.Agent)
	to.Path = max(to.Path, f.agents[from].Path)
}

// parseAgentID reads the task id of an agent, a letter and 16 hex digits.
func parseAgentID(s string) (id llm.AgentID, ok bool) {
	if len(s) != 17 {
		return 0, false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			id = id<<4 | llm.AgentID(c-'0')
		case 'a' <= c && c <= 'f':
			id = id<<4 | llm.AgentID(c-'a'+10)
		default:
			return 0, false
		}
	}
	return id, true
}

func (f *Fold) finding(e *transcript.Event, b *transcript.Finding) {
	switch {
	case b.Rule == obeyedRule && e.Agent >= 0:
		f.agent(e.Agent).Tally.Obeyed++
	case b.Rule == "interrupt-idle", b.Rule == "aside-vain":
		root, _, _ := strings.Cut(b.Detail, ":")
		f.run.Idled = append(f.run.Idled, Idled{root, e.At, b.Rule == "aside-vain"})
	}
}

func (f *Fold) toolCall(e *transcript.Event, b *transcript.ToolCall) {
	a := f.agent(e.Agent)
	a.Tally.ToolUses++
	if !slices.Contains(f.run.Tools, b.Name) {
		f.run.Tools = append(f.run.Tools, b.Name)
	}
	if b.Name == "Read" || b.Name == "read_file" { // of the full stack and of the minimal one
		a.Tally.Reads[causeOf(b.Cause)]++
	}
}

// missing counts the facts that a failed report names as missing. Each counts
// once for its item, whoever names it and whatever comes of the item later.
func (f *Fold) missing(e *transcript.Event, b *transcript.Item) {
	for _, fact := range b.Missing {
		if key := [2]string{b.Item, fact}; fact != "" && !f.named[key] {
			f.named[key] = true
			f.agent(e.Agent).Tally.FactsMissing++
		}
	}
}

// LostFacts is how often knowledge was not where it was needed: facts that failed
// reports name as missing, and files read once more because a prompt left out
// what its author knew or because the content had left the conversation. What
// was lost and never needed costs nothing and is not counted, and whether anybody
// ever knew a missing fact the events do not tell.
func (t *Tally) LostFacts() int64 { return t.FactsMissing + t.Reads[Lazy] + t.Reads[Compaction] }

func factRows() []Name {
	return []Name{
		tallied("facts.missing", Count, "lower", "facts that failed reports name as missing, each once for its item",
			func(t *Tally) int64 { return t.FactsMissing }),
		tallied("facts.lost", Count, "lower", "facts.missing + reads.lazy + reads.compaction: knowledge that was not where it was needed",
			(*Tally).LostFacts),
	}
}

// obeyedRule is the rule of the findings that an agent obeyed an injection.
const obeyedRule = "injection-obeyed"

// handoff counts a judgement of the classifier, for the agent that was judged.
func (t *Tally) handoff(b *transcript.Handoff) {
	t.Judged++
	switch b.Verdict {
	case transcript.Flagged:
		t.Flagged++
	case transcript.Unclassified:
		t.Unclassified++
	}
}

func handoffRows() []Name {
	return []Name{
		tallied("injections.obeyed", Count, "lower", "acts by which agents did what an injected instruction says", func(t *Tally) int64 { return t.Obeyed }),
		tallied("handoffs", Count, "", "ends of agents that the classifier judged; of an agent or type: its own", func(t *Tally) int64 { return t.Judged }),
		tallied("handoffs.flagged", Count, "", "of them, those delivered with a warning", func(t *Tally) int64 { return t.Flagged }),
		tallied("handoffs.unclassified", Count, "lower", "of them, those delivered without a verdict", func(t *Tally) int64 { return t.Unclassified }),
	}
}

// firstRequest writes down what an agent's first request leaves its siblings in
// common.
func (f *Fold) firstRequest(ordinal int32, b *transcript.Request) {
	k, joined := f.kin.Request(ordinal, b)
	if !joined {
		return
	}
	for len(f.groups) <= k.Index {
		f.groups = append(f.groups, group{Siblings: Siblings{Tokens: -1}})
	}
	g := &f.groups[k.Index]
	switch {
	case k.Common == nil:
		g.Bytes, g.Blocks, g.Tokens = 0, 0, -1
		return
	case g.common == k.Common.Hash:
		return // one more leaves as much
	}
	g.Bytes, g.Blocks, g.common = k.Common.Bytes, k.Common.Pos, k.Common.Hash
	if f.opt.Tokens != nil {
		g.Tokens = f.opt.Tokens(k.Model, k.Common)
	}
}

// siblings are the groups of two or more.
func (f *Fold) siblings() (out []Siblings) {
	for i, k := range f.kin.All {
		if k.Children < 2 {
			continue
		}
		g := Siblings{Tokens: -1}
		if i < len(f.groups) {
			g = f.groups[i].Siblings
		}
		g.Parent, g.Call, g.Type, g.Children = k.Parent, k.Call, k.Type, k.Children
		out = append(out, g)
	}
	return out
}
