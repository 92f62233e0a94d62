package agent

import (
	"fmt"
	"strings"

	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// TypeCoordinator is the type under which a root that coordinates is recorded.
const TypeCoordinator = "coordinator"

// PartWorkers is the part of a coordinator's user context that says what its
// workers can do (CRD-03).
const PartWorkers = "workerToolsContext"

// RuleWorkerModel is the finding about a model that a coordinator's call sets.
const RuleWorkerModel = "worker-model"

// RuleForkOff is the finding that a run begins with both the fork gate and
// coordinator mode on: there are no forks then (FRK-12).
const RuleForkOff = "fork-off"

// noteForkOff records that a coordinator begins where forks are asked for.
func (a *Agent) noteForkOff() {
	if a.coordinates() && a.w.gates.ForkSubagent {
		a.finding(RuleForkOff, "FORK_SUBAGENT and coordinator mode are both on: a coordinator starts workers, and forks are off")
	}
}

// coordinates reports whether the agent is a coordinator: a root of a session
// that began in coordinator mode. What it is does not change with a gate, as its
// prompt and its tools do not either (GATE-02).
func (a *Agent) coordinates() bool { return a.parent == nil && a.w.coordinator }

// rootType is the type under which a root is recorded.
func (w *World) rootType() string {
	if w.coordinator {
		return TypeCoordinator
	}
	return TypeMain
}

// rootTools is what a root holds of the tools that it is offered: a coordinator
// only those by which it has others work, whatever else is there (CRD-01).
func (w *World) rootTools(offered []*tool.Tool) []*tool.Tool {
	if !w.coordinator {
		return offered
	}
	return tool.ForCoordinator(offered)
}

// rootPrompt is the default system prompt of a root.
func (w *World) rootPrompt() string {
	if w.coordinator {
		return coordinatorPrompt()
	}
	return mainPrompt(&w.gates)
}

// rootContext is the user context of a root: a coordinator's says what its
// workers can do.
func (w *World) rootContext(a *Agent) []Part {
	if !w.coordinator {
		return w.cfg.UserContext
	}
	parts := w.cfg.UserContext
	return append(parts[:len(parts):len(parts)], Part{Name: PartWorkers, Text: w.workerTools(a)})
}

// workerTools says in words which tools a coordinator's workers have, from which
// servers, and where they share what they find (CRD-03).
func (w *World) workerTools(a *Agent) string {
	def := find(w.cfg.Definitions, TypeWorker)
	if def == nil {
		return ""
	}
	mode := w.runMode(a.mode, def)
	own, servers := tool.Servers(w.pool(def, true, mode, w.offers(def, true)).Tools)
	s := "Workers that you start with the Agent tool have these tools: " + strings.Join(own, ", ") + "\n"
	if len(servers) > 0 {
		s += "They also have the tools of these MCP servers: " + strings.Join(servers, ", ") + "\n"
	}
	if w.gates.Scratch {
		s += "\nScratchpad directory: " + w.scratchpad() + "\n" +
			"Nobody is asked before a worker reads or writes there. Have workers keep in it what other workers will need.\n"
	}
	return s
}

// offers is what agents of a definition are offered, before the filter: what the
// session offers and what the definition names (SUB-07); to workers what their mode
// leaves (CRD-04).
func (w *World) offers(def *Definition, worker bool) []*tool.Tool {
	if worker {
		return tool.ForWorkers(w.cfg.Offered, w.gates.Simple)
	}
	return tool.WithNamed(w.cfg.Offered, w.cfg.Catalogue, def.Tools)
}

// works reports whether agents of the definition work for a coordinator: those of
// the built-in type, and those of the definition by which a policy has replaced
// it. Nobody else can give that name to a definition (DEF-09).
func (d *Definition) works() bool {
	return d.Type == TypeWorker && (d.BuiltIn() || d.Source == FromPolicy)
}

// admitWorker holds a coordinator's call against CRD-05: it starts workers and
// nobody else, and what it says of a model is ignored and noted. A call that would
// make a fork if there were any falls back as it does without forks (FRK-12).
func (b *spawning) admitWorker() error {
	a := b.by
	if !a.coordinates() {
		return nil
	}
	if b.in.Model != "" {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: RuleWorkerModel, Detail: "Agent input model " + b.in.Model + " is ignored: a worker has its coordinator's model"})
		b.in.Model = ""
	}
	switch b.in.Type {
	case TypeWorker:
	case "":
		if a.w.gates.ForkSubagent {
			a.finding(RuleForkOff, "an Agent call without subagent_type starts a "+TypeGeneralPurpose+" agent: forks are off in coordinator mode")
			b.in.Type = TypeGeneralPurpose
			return nil
		}
		return fmt.Errorf("subagent_type is missing: a coordinator starts agents of type %s, so it must be %s", TypeWorker, TypeWorker)
	default:
		return fmt.Errorf("subagent_type must be %s, not %q: a coordinator starts no other agents", TypeWorker, b.in.Type)
	}
	return nil
}
