package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// filter is the section on the tools that agents hold.
type filter struct {
	*ledger
	gates   *gates
	fronts  *fronts
	servers *servers
}

// What each layer of the filter is to do, by this package's own tables.
var (
	steering   = []string{"TaskOutput", "EnterPlanMode", "ExitPlanMode", "AskUserQuestion", "TaskStop"}
	internal   = []string{"TeamCreate", "TeamDelete", "SendMessage", "SyntheticOutput"}
	background = []string{"Read", "Grep", "Glob", "Edit", "Write", "NotebookEdit", "Bash", "Skill", "WebFetch", "WebSearch",
		"TodoWrite", "SyntheticOutput"}
)

// The layers by the words of a tool_result event.
const (
	layer1 = "layer 1"
	layer2 = "layer 2"
	layer3 = "layer 3"
	layer4 = "layer 4"
	worker = "internal tools"
)

// rule is what decides about an agent's tools.
type rule struct {
	builtIn, background, plans bool
	mate                       bool // of a team (FLT-07)
	works                      bool // of type worker, which is built in or a policy's
	listed                     bool // the definition says what it allows
	allow, deny                []string
}

// ruleOf is an agent's rule. What its definition allows and denies stands in the
// Agent tool's definition in its parent's requests (DEF-10).
func ruleOf(a, p *agent) rule {
	r := rule{builtIn: strings.HasPrefix(a.facts.Source, "agent:builtin:"), background: a.facts.Async || p.coordinator(), plans: a.facts.RunMode == "plan", mate: a.mate}
	r.works = a.facts.Type == "worker" && (r.builtIn || p.coordinator())
	words, ok := toolWords(p.agents+p.attached, a.facts.Type)
	if !ok {
		return r
	}
	words, denied, _ := strings.Cut(words, " except ")
	if denied != "" {
		r.deny = strings.Split(denied, ", ")
	}
	r.listed = true
	if words != "all tools" {
		r.allow = strings.Split(words, ", ")
	}
	return r
}

// attachedTypes is the list of types that a client attaches, as the Agent tool's
// definition would have it in JSON; "" where it is there.
func attachedTypes(nodes []*llm.Node) string {
	for _, n := range nodes {
		if list, ok := strings.CutPrefix(n.Block.Content.Raw(), attachedOpen); ok {
			return quoting.Replace(list)
		}
	}
	return ""
}

const attachedOpen = "<system-reminder>\n# agentTypes"

var quoting = strings.NewReplacer("\n", `\n`, `"`, `\"`)

// toolWords finds what an Agent tool's definition says of a type's tools; ok is
// false when it does not list the type.
func toolWords(definition, typ string) (words string, ok bool) {
	_, rest, ok := strings.Cut(definition, `\n- `+typ+": ")
	if !ok {
		return "", false
	}
	line, _, _ := strings.Cut(rest, `\n`)
	i := strings.LastIndex(line, "(Tools: ")
	if i < 0 {
		return "", false
	}
	return strings.TrimSuffix(line[i+len("(Tools: "):], ")"), true
}

// removedBy is the layer that has to take a tool away, "" for none.
func (r *rule) removedBy(name string) string {
	passes := fromServer(name) || name == "ExitPlanMode" && r.plans
	switch {
	case r.works && slices.Contains(internal, name):
		return worker
	case passes, r.mate && slices.Contains(keptByMates, name):
	case slices.Contains(steering, name):
		return layer1
	case !r.builtIn && slices.Contains(internal, name):
		return layer2
	case r.background && !slices.Contains(background, name):
		return layer3
	}
	if r.allow != nil && !lists(r.allow, name) || lists(r.deny, name) {
		return layer4
	}
	return ""
}

func lists(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*") || name == "Agent" && slices.Contains(list, "Task")
}

var layerChecks = map[string]check{layer1: flt01, layer2: flt02, layer3: flt03, layer4: flt04, worker: flt11}

// startPool holds a child's tools against what the filter has to leave of its
// session's.
func (u *filter) startPool(a, p *agent) {
	if a.fork {
		u.same(flt10, a, "tools", strings.Join(p.facts.Tools, " "), strings.Join(a.facts.Tools, " "))
		return
	}
	if u.opt.Session != nil {
		u.exact(a, p)
	}
	r := ruleOf(a, p)
	for _, name := range a.facts.Tools {
		if u.servers.brings(a, serverOf(name)) {
			continue // whatever the layers say
		}
		by := r.removedBy(name)
		for _, c := range u.asked(&r, name) {
			if u.fails(c, by == "" || layerChecks[by] != c && c != flt08 && c != flt06) {
				u.report(c, a, "no tool "+name+": "+by+" removes it", name)
			}
		}
	}
	u.lostTools(a, &r)
}

// asked are the checks that a tool in a pool is a case of.
func (u *filter) asked(r *rule, name string) []check {
	out := append(make([]check, 0, 6), flt01)
	if r.mate {
		out = append(out, flt07)
	}
	if !r.builtIn {
		out = append(out, flt02)
	}
	if r.background {
		out = append(out, flt03)
	}
	if r.works {
		out = append(out, flt11)
	}
	if r.listed {
		out = append(out, flt04)
	}
	if name == "ExitPlanMode" {
		out = append(out, flt06)
	}
	if r.listed && r.deny == nil && r.removedBy(name) != layer4 {
		out = append(out, flt08)
	}
	return out
}

// lostTools checks that nothing is gone that no layer removes. What a session
// has at least is what its root holds.
func (u *filter) lostTools(a *agent, r *rule) {
	root := a
	for root.parent != nil {
		root = root.parent
	}
	if root.life == nil {
		return
	}
	a.offered = root.facts.Tools
	if slices.ContainsFunc(a.offered, u.servers.gone) { // which its root has not looked at since
		a.offered = slices.DeleteFunc(slices.Clone(a.offered), u.servers.gone)
	}
	if !r.listed {
		return
	}
	for _, name := range root.facts.Tools {
		if s := u.opt.Session; s != nil && (fromServer(name) || u.fronts.teams.lacks(s, name)) {
			continue // its server may be gone since, which SUB-07 knows, or its gate, which SWM-13 does
		}
		c := flt01
		switch {
		case name == "ExitPlanMode":
			c = flt06
		case r.mate && slices.Contains(keptByMates, name):
			c = flt07
		case r.background:
			c = flt03
		case r.allow != nil || r.deny != nil:
			c = flt04
		}
		if u.fails(c, r.removedBy(name) != "" || slices.Contains(a.facts.Tools, name)) {
			u.report(c, a, name+", which no layer removes", "tools "+strings.Join(a.facts.Tools, " "))
		}
	}
}

// offered is FLT-09 in the bytes: the tools that a fresh request defines. It
// returns how the request defines the Agent tool.
func (u *filter) offered(a *agent, border *llm.Node) string {
	var names []string
	agents := ""
	for n := border.Parent; n != nil; n = n.Parent {
		if n.IsBorder() || n.Level != llm.Tools {
			continue
		}
		names = append(names, n.Block.Name)
		u.fronts.tool(a, n.Block)
		if isAgentTool(n.Block.Name) {
			agents = n.Block.Content.Raw()
		}
	}
	slices.Reverse(names)
	u.same(flt09, a, "tools in the request", strings.Join(a.facts.Tools, " "), strings.Join(names, " "))
	return agents
}

// inPool reports whether an agent's pool holds a tool, by name or old name.
func inPool(a *agent, name string) bool {
	return slices.Contains(a.facts.Tools, name) || name == "Task" && slices.Contains(a.facts.Tools, "Agent")
}

// refused is FLT-09 for a call: one outside the pool is an error that names the
// layer, one inside is none of the filter's business.
func (u *filter) refused(a *agent, c *call, b *transcript.ToolResult) {
	if c.inPool {
		if u.fails(flt09, b.RemovedBy == "") {
			u.report(flt09, a, "no layer that removes "+c.name, b.RemovedBy)
		}
		return
	}
	if u.fails(flt09, b.IsError) {
		u.report(flt09, a, "an error: "+c.name+" is not in its pool", "a result")
	}
	if a.parent == nil || a.fork || a.parent.life == nil || a.aborted || a.leaves { // an interrupted call was not looked at
		return
	}
	name := c.name
	if name == "Task" {
		name = "Agent"
	}
	if !slices.Contains(a.offered, name) || u.gates.changed[swarmsGate] && slices.Contains(ofTeams, name) { // a server may have connected since, or teams gone
		return
	}
	r := ruleOf(a, a.parent)
	if r.listed && !(r.works && u.gates.on[simpleGate]) { // whom nothing else is offered
		u.same(flt09, a, c.name+" removed by", r.removedBy(name), b.RemovedBy)
	}
}
