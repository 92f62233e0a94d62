package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Violation is a check that failed.
type Violation struct {
	Check string // id of the statement
	Event uint64 // sequence number of the event that shows it
	At    vtime.Instant
	Agent string // lineage; "" for the run
	Want  string // what was expected
	Got   string // what stands there
}

func (v *Violation) String() string {
	who := v.Agent
	if who == "" {
		who = "the run"
	}
	return fmt.Sprintf("%s is broken at event %d, %s, by %s\n  expected  %s\n  found     %s", v.Check, v.Event, v.At, who, v.Want, v.Got)
}

// Count is how often a check was made, and how often it failed.
type Count struct {
	Check
	Made, Broken int64
}

// Report is what an audit came to.
type Report struct {
	Counts     []Count     // of the checks that were made, in the order of Checks
	Violations []Violation // the first ones, in the order of events
	Made       int64
	Broken     int64
}

// Err is an *Error when something was broken.
func (r *Report) Err() error {
	if r.Broken == 0 {
		return nil
	}
	return &Error{Report: r}
}

// Error says that invariants were broken.
type Error struct{ Report *Report }

func (e *Error) Error() string {
	var b strings.Builder
	for i := range e.Report.Violations {
		b.WriteString(e.Report.Violations[i].String() + "\n")
	}
	if more := e.Report.Broken - int64(len(e.Report.Violations)); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Kept is how many violations a report tells in full.
const Kept = 10

// Auditor is a transcript.Sink. It belongs to one run: what its sections see of an
// event is in Emit and in what it calls.
type Auditor struct {
	*ledger
	hidden       map[int32]*agent // requests that clients send on their own
	gates        gates
	aborts       aborts
	cache        cacheBooks
	canaries     canaries
	coordinators coordinators
	definitions  definitions
	filter       filter
	forks        forking
	handoffs     handing
	fronts       fronts
	history      history
	homes        homecoming
	launches     launches
	neighbours   neighbours
	notices      notices
	permissions  permissions
	plans        plans
	servers      servers
	starts       starts
	tasks        tasking
	teams        teams
	tools        handling
	trees        worktrees
	links        links
}

// New makes an auditor for one run.
func New(opt Options) *Auditor {
	l := &ledger{opt: opt}
	u := &Auditor{ledger: l, gates: newGates(&opt)}
	u.aborts = aborts{ledger: l, gates: &u.gates, tasks: &u.tasks, coordinators: &u.coordinators}
	u.cache = newCacheBooks(l)
	u.canaries = canaries{ledger: l, gates: &u.gates, vetted: map[llm.Hash]llm.Hash{}}
	u.coordinators = coordinators{ledger: l, gates: &u.gates, tasks: &u.tasks}
	u.definitions = definitions{ledger: l, inForce: map[string]int{}, gave: map[string]int{}}
	u.filter = filter{ledger: l, gates: &u.gates, fronts: &u.fronts}
	u.forks = forking{ledger: l, siblings: map[llm.Hash]*siblings{}}
	u.fronts = fronts{ledger: l, gates: &u.gates, tools: map[string]llm.Hash{}, shared: map[string]string{}, kept: map[string]string{}, vetted: map[variant]bool{}}
	u.handoffs = handing{ledger: l, gates: &u.gates, handed: map[string][]*hand{}}
	u.history = history{ledger: l, gates: &u.gates, forks: &u.forks, handoffs: &u.handoffs, bytes: map[llm.ToolUseID]llm.Hash{}}
	u.homes = homecoming{ledger: l, due: map[string][]*home{}}
	u.launches = launches{ledger: l, gates: &u.gates, aborts: &u.aborts}
	u.neighbours = neighbours{ledger: l, fronts: &u.fronts, changes: map[filed][]changed{}}
	u.notices = notices{ledger: l, tasks: &u.tasks, ids: map[llm.AgentID]*agent{}, whys: map[string][]string{}}
	u.permissions = permissions{ledger: l, gates: &u.gates, neighbours: &u.neighbours, launches: &u.launches, tasks: &u.tasks}
	u.plans = plans{ledger: l, permissions: &u.permissions}
	u.permissions.plans = &u.plans
	u.servers = servers{ledger: l, filter: &u.filter, listed: map[string][]string{}, lost: map[string]uint64{}, is: map[string]string{}}
	u.filter.servers, u.fronts.servers, u.launches.servers = &u.servers, &u.servers, &u.servers
	u.starts = starts{ledger: l, gates: &u.gates, chained: map[uint64]bool{}}
	u.tasks = tasking{ledger: l, handoffs: &u.handoffs, homes: &u.homes, notices: &u.notices, permissions: &u.permissions, launches: &u.launches, neighbours: &u.neighbours, known: map[string]*taskState{},
		outputs: outputs{gone: map[string]vtime.Instant{}}}
	u.teams = teams{ledger: l, gates: &u.gates, tasks: &u.tasks, owners: map[shared]string{}, sent: map[route]int{}, got: map[route]int{}}
	u.launches.teams, u.fronts.teams = &u.teams, &u.teams
	u.trees = worktrees{ledger: l, made: map[string]*workplace{}, homes: map[llm.ToolUseID]*workplace{}, wrote: map[[2]string]written{}}
	u.tools = handling{ledger: l, trees: &u.trees}
	u.notices.trees, u.launches.trees = &u.trees, &u.trees
	u.links = links{ledger: l}
	u.launches.links = &u.links
	if opt.Session != nil {
		u.aborts.watch(opt.Session.Roots)
		for name, r := range opt.Session.Roots { // order: sorted below
			u.aborts.kills = append(u.aborts.kills, r.Kills...)
			for _, at := range r.Backgrounds {
				u.aborts.presses = append(u.aborts.presses, press{at, name})
			}
		}
		slices.Sort(u.aborts.kills)
		slices.SortFunc(u.aborts.presses, func(a, b press) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.root, b.root)) })
	}
	return u
}

// Emit holds the event against every statement that it can show.
func (u *Auditor) Emit(e *transcript.Event) {
	if e.At > u.now {
		u.now = e.At
		u.aborts.past()
	}
	u.seq, u.now = e.Seq, e.At
	if len(u.aborts.watches) > 0 {
		u.aborts.saw(e)
	}
	kind := e.Body.Kind()
	if (u.hidden != nil || kind == transcript.KindAgentStart) && u.unseen(e) {
		return
	}
	if livesOnly>>kind&1 > 0 { // most are
		a := u.agent(e.Agent)
		switch {
		case a == nil:
		case u.fails(iso11, a.life != nil):
			u.report(iso11, a, "no "+kind.String()+" of an agent that has ended", "one")
		default:
			u.of(a, e.Body)
		}
		return
	}
	if u.apart(e) {
		return
	}
	a := u.agent(e.Agent)
	if a == nil {
		return
	}
	switch b := e.Body.(type) {
	case *transcript.StateWrite:
		u.tasks.stateWrite(a, b)
		return
	case *transcript.UserMessage:
		a.former.messages++
	case *transcript.Finding:
		if b.Rule == "readonly_breach" { // also by a command that the agent's end has stopped
			a.breaks++
		}
	}
	if a.life != nil {
		u.of(a, e.Body)
	}
}

// apart handles the events that a section of their own takes in, whether or not their
// agent lives. It reports whether the event is one of those.
func (u *Auditor) apart(e *transcript.Event) bool {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		u.start(e.Agent, b)
	case *transcript.Task:
		u.notices.taskID(u.agent(e.Agent), b)
		u.tasks.task(e.Agent, b)
	case *transcript.Notification:
		u.links.queued(u.notices.of(b.TaskID), b)
		u.notices.waits(u.agent(e.Agent), b)
		u.notices.unread(b)
		u.tasks.notification(e.Agent, b)
	case *transcript.Message:
		u.notices.message(e.Agent, b)
	case *transcript.Output:
		u.tasks.output(e.Agent, b)
	case *transcript.Team:
		u.teams.team(e.Agent, b)
	case *transcript.Mail:
		u.teams.mail(e.Agent, b)
	case *transcript.TeamTask:
		u.teams.task(e.Agent, b)
	case *transcript.Server:
		u.servers.event(e.Agent, b)
	case *transcript.Worktree:
		u.trees.event(u.agent(e.Agent), b)
	case *transcript.Link:
		u.links.event(u.agent(e.Agent), b)
	case *transcript.Gate:
		u.gates.flipped(b)
	case *transcript.Definition:
		u.definitions.definition(b)
	case *transcript.Handoff:
		u.handoffs.handoff(e.Agent, b)
	case *transcript.Abort:
		u.aborts.abort(e.Agent, b)
	case *transcript.RunEnd:
		u.tasks.runEnd(b)
		u.tasks.keptOutputs()
		u.aborts.unheard(b)
		u.servers.ended()
		u.teams.ended(b)
	default:
		return false
	}
	return true
}

// livesOnly are the kinds of events, as bits, that only agents that live have.
const livesOnly uint64 = 1<<transcript.KindRequest | 1<<transcript.KindResponse | 1<<transcript.KindAPIError | 1<<transcript.KindToolCall |
	1<<transcript.KindToolResult | 1<<transcript.KindPermission | 1<<transcript.KindHook | 1<<transcript.KindRebase | 1<<transcript.KindCompact |
	1<<transcript.KindReplace | 1<<transcript.KindAgentEnd | 1<<transcript.KindListener | 1<<transcript.KindPlan

// of handles the events of an agent that lives.
func (u *Auditor) of(a *agent, body transcript.Body) {
	switch b := body.(type) {
	case *transcript.Terminal:
		a.banners.shows(u.ledger, a, b.Line)
		u.spends(a, b.Line)
	case *transcript.Progress:
		u.showsProgress(a, b)
	case *transcript.Stage:
		u.launches.stage(a, b)
	case *transcript.Request:
		a.calling = true
		u.cache.lead(b.Head)
		if a.parent != nil {
			u.launches.sends(a)
		}
		a.conduct.sends(u.ledger, a, b)
		u.fronts.sent(a, b)
		a.marking.sent(u.ledger, a, b)
		u.request(a, b)
	case *transcript.Response:
		a.calling = false
		u.response(a, b)
		u.leads[a.ref].next = a.life
	case *transcript.APIError:
		a.calling = false
		u.apiError(a, b)
	case *transcript.ToolCall:
		u.tools.toolCall(a, b)
	case *transcript.ToolResult:
		u.toolResult(a, b)
	case *transcript.Permission:
		u.teams.prompt(a, b)
		u.permissions.permission(a, b)
	case *transcript.Hook:
		a.conduct.hooked(u.ledger, a, b)
		u.permissions.hook(a, b)
	case *transcript.UserMessage:
		if !b.Dropped {
			a.turns = 0
			a.spoken.told += b.Bytes
		}
	case *transcript.WakeUp:
		if size := a.billed.Prompt() + a.billed.Output; u.fails(loop09, b.Prefix == size) {
			u.report(loop09, a, "a re-invocation at "+decimal(size)+" tokens", decimal(b.Prefix))
		}
	case *transcript.Rebase:
		u.fronts.rebases(a, b)
	case *transcript.Compact:
		a.files, a.summed = files{}, true
		u.servers.compacted(a)
		a.conduct.compacted(u.ledger, a, b)
		a.window.summed()
	case *transcript.Plan:
		u.plans.turned(a, b)
	case *transcript.Finding:
		a.finds(b)
	case *transcript.Replace:
		u.history.replace(a, b)
	case *transcript.Listener:
		u.aborts.listener(a, b)
	case *transcript.AgentEnd:
		u.teams.leaves(a, b)
		u.end(a, b)
	}
}

// finds takes in a finding about an agent.
func (a *agent) finds(b *transcript.Finding) {
	a.forkOff = a.forkOff || b.Rule == forkOff
	if b.Rule == "ignored-field" || b.Rule == "worker-model" {
		a.ignored = append(a.ignored, b.Detail)
	}
	a.window.noSummary = a.window.noSummary || b.Rule == "compaction" && a.aside && a.digest == ""
	a.oddReport = a.oddReport || b.Rule == "fork-report"
	a.effortless = a.effortless || b.Rule == "effort-ignored"
}

// Report is what was checked so far.
func (u *Auditor) Report() *Report {
	r := &Report{Violations: append([]Violation(nil), u.found...), Counts: make([]Count, 0, len(checks)/2)}
	for c := range checks {
		if u.made[c] == 0 {
			continue
		}
		r.Counts = append(r.Counts, Count{checks[c], u.made[c], u.broken[c]})
		r.Made += u.made[c]
		r.Broken += u.broken[c]
	}
	return r
}
