package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// coordinators is the section on who coordinates, and on workers.
type coordinators struct {
	*ledger
	gates *gates
	tasks *tasking
}

// What coordinators and workers may have, by this package's own tables.
var (
	coordinates = []string{"Agent", "SendMessage", "TaskStop", "subscribe_pr_activity"}
	worksWith   = []string{"Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Skill", "TodoWrite", "Write"}
	worksSimply = []string{"Bash", "Edit", "Read"}
)

// How a coordinator's user context tells what its workers have, and the gate that
// changes what those who come later have.
const (
	toldOpening = "have these tools: "
	simpleGate  = "CLAUDE_CODE_SIMPLE"
	forkOff     = "fork-off" // the finding that forks are asked for where somebody coordinates
	fallsBack   = "general-purpose"
)

// coordinator reports whether the agent is a coordinator.
func (a *agent) coordinator() bool {
	return a.life != nil && a.parent == nil && a.facts.Type == "coordinator"
}

// firstOfCoordinator is CRD-01 in the bytes, and notes what a coordinator is told
// of its workers' tools.
func (u *coordinators) firstOfCoordinator(a *agent, front *llm.Node, nodes []*llm.Node) {
	if !a.coordinator() {
		return
	}
	u.headings(a, front)
	for n := front.Parent; n != nil; n = n.Parent {
		if n.IsBorder() || n.Level != llm.Tools {
			continue
		}
		if name := n.Block.Name; u.fails(crd01, slices.Contains(coordinates, name)) {
			u.report(crd01, a, "only tools of "+strings.Join(coordinates, ", "), "a definition of "+name)
		}
	}
	for _, n := range nodes {
		if _, rest, ok := strings.Cut(n.Block.Content.Raw(), toldOpening); ok && n.Role == llm.User {
			rest, _, _ = strings.Cut(rest, "\n")
			a.workers = slices.DeleteFunc(strings.Split(rest, ", "), fromServer)
			slices.Sort(a.workers)
			return
		}
	}
}

// startWorker holds an agent that a coordinator starts, and any worker, against
// CRD-03 to CRD-06.
func (u *coordinators) startWorker(a, p *agent) {
	if a.facts.Type == "worker" && u.fails(crd05, p.coordinator()) {
		u.report(crd05, a, "a coordinator to start it: it is a worker", p.lineage+", of type "+p.facts.Type)
	}
	if !p.coordinator() {
		return
	}
	typ := "worker"
	if p.forkOff && a.facts.Type == fallsBack {
		typ = ""
	} else {
		u.same(crd05, a, "type", typ, a.facts.Type)
	}
	if a.spawned.input != nil && !p.edited {
		u.same(crd05, a, "subagent_type in its call", typ, typeIn(a.spawned.input))
	}
	if u.fails(crd06, (a.background || u.gates.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"]) && !slices.Contains(a.facts.Tools, "Agent")) {
		u.report(crd06, a, "in the background, and no tool Agent", "background "+word(a.background)+", tools "+strings.Join(a.facts.Tools, " "))
	}
	u.atOnce(a, p)
	if a.facts.Source != "agent:builtin:worker" {
		return // what a policy makes of workers is its own affair
	}
	u.same(crd05, a, "model", p.facts.Model, a.facts.Model)
	u.workerTools(a, p)
}

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// workerTools is CRD-04, whichever of the two sets it is, and CRD-03: they are
// those that the coordinator was told of.
func (u *coordinators) workerTools(a, p *agent) {
	var own []string
	for _, name := range a.facts.Tools {
		if !fromServer(name) && !(name == "ExitPlanMode" && a.facts.RunMode == "plan") {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	allFull, allSimple := u.offerable(worksWith), u.offerable(worksSimply)
	full, simple := slices.Equal(own, allFull), slices.Equal(own, allSimple)
	if on := u.gates.on[simpleGate]; u.opt.Session != nil || u.gates.changed[simpleGate] {
		full, simple = full && !on, simple && on
	}
	if u.fails(crd04, full || simple) {
		u.report(crd04, a, "tools "+strings.Join(allFull, " ")+", or in simple mode "+strings.Join(allSimple, " "), "tools "+strings.Join(own, " "))
	}
	if p.workers == nil || u.gates.changed[simpleGate] || a.facts.RunMode == "plan" {
		return
	}
	u.same(crd03, a, "tools", strings.Join(p.workers, " "), strings.Join(own, " "))
}

// offerable is those tools that no rule of the session denies as a whole.
func (u *coordinators) offerable(tools []string) []string {
	if u.opt.Session == nil {
		return tools
	}
	denied := func(name string) bool {
		return slices.Contains(u.opt.Session.Deny, name) || slices.Contains(u.opt.Session.Deny, name+"(*)")
	}
	return slices.DeleteFunc(slices.Clone(tools), denied)
}

// workerCall is CRD-05 for a call: one that names no worker is an error.
func (u *coordinators) workerCall(a *agent, x *use, b *llm.Block) {
	if !a.coordinator() || a.edited {
		return
	}
	typ := typeIn(x.input)
	if u.fails(crd05, typ == "worker" || b.IsError || a.forkOff && typ == "") {
		u.report(crd05, a, "an error: subagent_type is "+orNone(typ)+" and not worker", short(b.Content.Raw()))
	}
}

// typeIn is the type that a call of the Agent tool names, "" for none.
func typeIn(input *llm.Payload) string {
	var in struct {
		Type string `json:"subagent_type"`
	}
	if json.Unmarshal([]byte(input.Raw()), &in) != nil {
		return ""
	}
	return in.Type
}
