package agent

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/plan"
	"agentsim/sim/tool"
)

// Pool is the tools an agent may call, with the bytes that define them. Pools
// are interned: two agents with equal pools have the same one.
type Pool struct {
	*tool.Pool
	Names    []string
	Blocks   []llm.Block  // one definition each, in order
	Deferred []*tool.Tool // that stand in front by name alone: ToolSearch finds them
	all      []*tool.Tool // both, in order
}

// Has reports whether the pool holds a tool of that name.
func (p *Pool) Has(name string) bool { return p.Find(name) != nil }

type poolKey struct {
	def   *Definition
	async bool
	mode  permission.Mode
	epoch int
	tools string
	mate  bool
}

// pool assembles the tools of an agent of a definition: what is offered, less
// what the layers remove (FLT). A root has no definition and skips them.
func (w *World) pool(def *Definition, async bool, mode permission.Mode, offered []*tool.Tool) *Pool {
	k := poolKey{def, async, mode, w.epoch, strings.Join(tool.Names(offered), " "), false}
	return w.poolOf(k, offered)
}

// matePool is the pool of a teammate (FLT-07).
func (w *World) matePool(def *Definition, mode permission.Mode) *Pool {
	offered := w.offers(def, false, mode)
	return w.poolOf(poolKey{def, true, mode, w.epoch, strings.Join(tool.Names(offered), " "), true}, offered)
}

func (w *World) poolOf(k poolKey, offered []*tool.Tool) *Pool {
	def := k.def
	if p := w.pools[k]; p != nil {
		return p
	}
	offered = slices.DeleteFunc(slices.Clone(offered), func(t *tool.Tool) bool {
		return w.needsTeams(t) || t.Name != tool.AgentName && denies(w, t) // a rule of Agent denies types
	})
	who := tool.Subject{Main: def == nil, Async: k.async, RunMode: k.mode, Mate: k.mate}
	var allow, deny []string
	if def != nil {
		who.BuiltIn, allow, deny = def.BuiltIn(), def.Tools, def.Disallowed
		who.Worker = def.works() || w.coordinator && def.BuiltIn()
	}
	p := &Pool{Pool: tool.Filter(offered, who, allow, deny)}
	p.all = p.Tools
	w.lay(p, nil)
	w.pools[k] = p
	return p
}

// denies reports whether rules of the session take a whole tool away, and notes which.
func denies(w *World, t *tool.Tool) bool {
	call, denied := permission.Call{Tool: t.Name, Aliases: t.Aliases}, false
	for _, r := range w.cfg.Permissions.Rules.Deny {
		if r.Spec == "" && r.Covers(&call) {
			w.took[r.String()], denied = true, true
		}
	}
	return denied
}

// TookAway reports whether a rule took a tool or a type of agents away.
func TookAway(w *World, rule permission.Rule) bool {
	_, typed := (&permission.Rules{Deny: []permission.Rule{rule}}).DeniesAgent(rule.Spec)
	return w.took[rule.String()] || typed && find(w.cfg.Definitions, rule.Spec) != nil
}

// offers is what agents of a definition are offered, before the filter: what the
// session offers and what the definition names (SUB-07), and to those that plan of their
// own what ends it (FLT-06); to workers what their mode leaves (CRD-04).
func (w *World) offers(def *Definition, worker bool, own permission.Mode) []*tool.Tool {
	if worker {
		return tool.ForWorkers(w.offered(w.cfg.Offered), w.gates.Simple)
	}
	named := def.Tools
	if own == permission.Plan {
		named = append(slices.Clone(named), plan.ExitName)
	}
	return w.offered(tool.WithNamed(w.cfg.Offered, w.cfg.Catalogue, named))
}

// needsTeams reports whether a tool has no use in this session: without teams there is
// nobody whom it reaches, unless a coordinator writes to its workers (SWM-13). A client's
// own definition of it stands all the same.
func (w *World) needsTeams(t *tool.Tool) bool {
	return t.Raw == "" && !servesTeams(w, t)
}

// servesTeams reports whether a tool serves something, if only among teams and coordinators.
func servesTeams(w *World, t *tool.Tool) bool {
	return decided(w, func(g *gate.Set) bool {
		return g.AgentSwarms || w.coordinator || !slices.Contains(tool.TeamTools, t.Name)
	})
}

// noteIdleTools records the tools that are in front of a root though nothing serves them:
// they weigh in every request, and a call of one is an error.
func noteIdleTools(a *Agent) {
	var named []string
	others := 0
	for _, t := range a.ctx.Pool.Tools {
		switch {
		case t.Implemented() && servesTeams(a.w, t):
		case t.Raw != "":
			others++
		default:
			named = append(named, t.Name)
		}
	}
	const idle = "nothing serves these tools that are offered, and every call of one is an error: "
	if named != nil {
		a.finding("no-effect", idle+strings.Join(named, ", "))
	}
	if others > 0 {
		a.finding("no-effect", idle+strconv.Itoa(others)+" of the client's own head")
	}
}

// definition is a tool's JSON as the model sees it now: the Agent tool's
// follows the gates and lists the visible types (SUB-03, DEF-10).
func (w *World) definition(t *tool.Tool) string {
	shaped := *t
	switch {
	case t.Name == tool.AgentName:
		shaped.Description, shaped.Schema = tool.AgentSchema(w.schema())
	case t.Name == tool.SendName && structures(w):
		shaped.Description, shaped.Schema = sendDefinition(w)
	}
	if w.cfg.Heads != nil {
		shaped.Description += w.cfg.Heads.Tool(t.Name)
	}
	return tool.Definition(&shaped)
}

// schema is what the session makes of the Agent tool.
func (w *World) schema() tool.AgentOptions {
	o := tool.AgentOptions{AgentGates: agentGates(w), Attached: slices.ContainsFunc(w.cfg.Attached, func(p Part) bool { return p.Name == PartTypes })}
	if !o.Attached {
		o.Types = w.types()
	}
	return o
}

// agentGates is what the gates make of the Agent tool's input.
func agentGates(w *World) tool.AgentGates {
	return decided(w, func(g *gate.Set) tool.AgentGates {
		forks := w.cfg.Forker.Enabled(g, w.cfg.Interactive)
		return tool.AgentGates{
			Background:  !g.DisableBackground && !forks && !w.coordinator,
			Fork:        forks,
			Names:       g.AgentSwarms || w.coordinator,
			Teams:       g.AgentSwarms,
			Internal:    w.gates.UserType == gate.Internal, // what it decides, a call says
			Remote:      w.cfg.Remote.Offered,
			Coordinator: w.coordinator,
		}
	})
}

// types are those that agents of the session may start.
func (w *World) types() (out []tool.AgentType) {
	for _, d := range w.cfg.Definitions {
		if w.lists(d) {
			out = append(out, d.listed())
		}
	}
	return out
}

// lists reports whether a type is among them.
func (w *World) lists(d *Definition) bool {
	missing, _ := w.lacks(d)
	_, denied := w.cfg.Permissions.Rules.DeniesAgent(d.Type)
	return missing == nil && !denied && (!w.coordinator || d.Type == TypeWorker) // a coordinator starts no other agents (CRD-05)
}

// listed is what a list of types says of the definition's.
func (d *Definition) listed() tool.AgentType {
	return tool.AgentType{Name: d.Type, WhenFor: d.Description, Tools: d.toolWords()}
}

// namesLead reports whether the name in a call leads to its agent now (SUB-23).
func (w *World) namesLead() bool { return w.gates.AgentSwarms || w.coordinator }

// forks reports whether a spawn without a type forks now.
func (w *World) forks() bool { return w.cfg.Forker.Enabled(&w.gates, w.cfg.Interactive) }

// toolWords says in words what a definition's agents may use.
func (d *Definition) toolWords() string {
	words := "all tools"
	switch {
	case d.Tools != nil && len(d.Tools) == 0:
		words = "none" // an empty list allows nothing
	case len(d.Tools) > 0 && d.Tools[0] != "*":
		words = strings.Join(d.Tools, ", ")
	}
	if len(d.Disallowed) > 0 {
		words += " except " + strings.Join(d.Disallowed, ", ")
	}
	return words
}
