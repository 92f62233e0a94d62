package audit

import (
	"fmt"
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

// Auditor is a transcript.Sink. It belongs to one run.
type Auditor struct {
	opt     Options
	seq     uint64
	now     vtime.Instant
	agents  []*agent // by ordinal
	tasks   map[string]*taskState
	outputs memories
	notices notices
	forks   map[llm.Hash]*siblings // by the answer that they were forked from
	bytes   map[llm.ToolUseID]llm.Hash
	vetted  map[llm.Hash]llm.Hash // texts that hold nothing of the parent behind a root
	cache   cacheBooks
	nodes   []*llm.Node        // scratch: new nodes of a request
	flipped bool               // gate CLAUDE_CODE_SIMPLE has changed, to simple
	handed  map[string][]*hand // by task: judged, and not yet read of
	judges  bool               // the classifier is on
	looked  int64              // nodes of conversations that were gone through
	homes   map[string][]*home // by task: activations that have ended, and not been read of
	rules   []string           // to allow, that have reached the session
	changes map[string][]changed
	slim    bool // agents that only look do without CLAUDE.md

	launches launches
	chained  map[uint64]bool // chains of queries

	made, broken [numChecks]int64
	found        []Violation
}

// New makes an auditor for one run.
func New(opt Options) *Auditor {
	return &Auditor{opt: opt, launches: newLaunches(opt.Session), slim: opt.Session != nil && opt.Session.Slim, tasks: map[string]*taskState{}, outputs: memories{gone: map[string]vtime.Instant{}}, forks: map[llm.Hash]*siblings{},
		handed: map[string][]*hand{}, judges: opt.Handoffs != nil && opt.Handoffs.On,
		bytes: map[llm.ToolUseID]llm.Hash{}, vetted: map[llm.Hash]llm.Hash{}, cache: newCacheBooks(opt.LateExpiry)}
}

// Emit holds the event against every statement that it can show.
func (u *Auditor) Emit(e *transcript.Event) {
	u.seq, u.now = e.Seq, e.At
	if livesOnly>>e.Body.Kind()&1 > 0 { // most are
		if a := u.agent(e.Agent); a != nil {
			u.of(a, e.Body)
		}
		return
	}
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		u.start(e.Agent, b)
		return
	case *transcript.Task:
		u.taskID(u.agent(e.Agent), b)
		u.task(e.Agent, b)
		return
	case *transcript.Notification:
		u.waits(u.agent(e.Agent), b)
		u.unread(b)
		u.notification(e.Agent, b)
		return
	case *transcript.Message:
		u.message(e.Agent, b)
		return
	case *transcript.Output:
		u.output(e.Agent, b)
		return
	case *transcript.Gate:
		u.gate(b)
		u.switched(b)
		u.slimmed(b)
		u.launches.flipped(b)
		return
	case *transcript.Handoff:
		u.handoff(e.Agent, b)
		return
	case *transcript.Abort:
		u.abort(e.Agent, b)
		return
	case *transcript.RunEnd:
		u.runEnd(b)
		return
	}
	if a := u.agent(e.Agent); a != nil {
		u.of(a, e.Body)
	}
}

// livesOnly are the kinds of events, as bits, that only agents that live have.
const livesOnly uint64 = 1<<transcript.KindRequest | 1<<transcript.KindResponse | 1<<transcript.KindAPIError | 1<<transcript.KindToolCall |
	1<<transcript.KindToolResult | 1<<transcript.KindPermission | 1<<transcript.KindHook | 1<<transcript.KindRebase | 1<<transcript.KindCompact |
	1<<transcript.KindReplace | 1<<transcript.KindAgentEnd | 1<<transcript.KindListener

// of handles the events of an agent that has started.
func (u *Auditor) of(a *agent, body transcript.Body) {
	kind := body.Kind()
	if livesOnly>>kind&1 > 0 && u.fails(iso11, a.life != nil) {
		u.report(iso11, a, "no "+kind.String()+" of an agent that has ended", "one")
	}
	if b, ok := body.(*transcript.StateWrite); ok {
		u.stateWrite(a, b)
		return
	}
	if a.life == nil {
		return
	}
	switch b := body.(type) {
	case *transcript.Terminal:
		a.banners.shows(u, a, b.Line)
	case *transcript.Progress:
		u.showsProgress(a, b)
	case *transcript.Stage:
		u.launches.stage(u, a, b)
	case *transcript.Request:
		a.conduct.sends(u, a, b)
		a.marking.sent(u, a, b)
		u.request(a, b)
	case *transcript.Response:
		u.response(a, b)
	case *transcript.APIError:
		u.apiError(a, b)
	case *transcript.ToolCall:
		u.toolCall(a, b)
	case *transcript.ToolResult:
		u.toolResult(a, b)
	case *transcript.Permission:
		u.permission(a, b)
	case *transcript.Hook:
		a.conduct.hooked(u, a, b)
		u.hook(a, b)
	case *transcript.UserMessage:
		if !b.Dropped {
			a.turns = 0
		}
	case *transcript.Rebase:
		a.rebased = b.Why
		a.last.resettled = a.last.resettled || b.Why != "compaction"
	case *transcript.Compact:
		a.files, a.summed = files{}, true
		a.conduct.compacted(u, a, b)
		a.window.summed()
	case *transcript.Finding:
		a.forkOff = a.forkOff || b.Rule == forkOff
		a.breached = a.breached || b.Rule == "readonly_breach"
	case *transcript.Replace:
		u.replace(a, b)
	case *transcript.Listener:
		u.listener(a, b)
	case *transcript.AgentEnd:
		u.end(a, b)
	}
}

// agent is the agent with the ordinal, nil for the run and for one that never
// started.
func (u *Auditor) agent(ref int32) *agent {
	if ref < 0 || int(ref) >= len(u.agents) {
		return nil
	}
	return u.agents[ref]
}

// fails counts a check and reports whether it failed.
func (u *Auditor) fails(c check, ok bool) bool {
	u.made[c]++
	return !ok
}

// reported is called at each report, in tests alone.
var reported func()

// report notes a check that failed.
func (u *Auditor) report(c check, a *agent, want, got string) {
	u.broken[c]++
	if reported != nil {
		reported()
	}
	if len(u.found) >= Kept {
		return
	}
	v := Violation{Check: checks[c].ID, Event: u.seq, At: u.now, Want: want, Got: got}
	if a != nil {
		v.Agent = a.lineage
	}
	u.found = append(u.found, v)
}

// same checks that two words are equal.
func (u *Auditor) same(c check, a *agent, what, want, got string) {
	if u.fails(c, want == got) {
		u.report(c, a, what+" "+orNone(want), what+" "+orNone(got))
	}
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// Report is what was checked so far.
func (u *Auditor) Report() *Report {
	r := &Report{Violations: append([]Violation(nil), u.found...)}
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
