package sim

import (
	"errors"
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/fault"
	"agentsim/mockllm/policy"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/client"
	"agentsim/sim/coordinator"
	"agentsim/sim/definition"
	"agentsim/sim/fork"
	"agentsim/sim/gate"
	"agentsim/sim/handoff"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// Root is where the project seems to be, in every byte.
const Root = "/work/project"

// build makes a spec's world: files with their facts planted, gates, provider,
// model, roots and their users. Nothing runs yet. choices take the place of the
// policy's own, nil for none.
func build(spec *Spec, choices []int32, sink transcript.Sink) (*run, error) {
	r, err := assemble(spec, choices, sink)
	if err != nil {
		return nil, err
	}
	r.flips()
	return r, r.startRoots()
}

// assemble is build without what happens in the world.
func assemble(spec *Spec, choices []int32, sink transcript.Sink) (*run, error) {
	sc := spec.Scenario
	if sc.Population != nil {
		return nil, &ScenarioError{"population", errors.New("this command runs one session, and the scenario is a population of many, which agentsim run alone runs: population: null, by --set where a command has that, makes it the one session")}
	}
	r := &run{spec: spec, draws: spec.draws, builder: &llm.Builder{}}
	r.key = rng.Counted(spec.Seed(), &r.draws)
	r.marks = mark.KeyOf(r.key)
	policy, err := kernel.PolicyNamed(spec.Policy, r.key.Sub("schedule"))
	if err != nil {
		return nil, err
	}
	if choices != nil && spec.Policy != kernel.FIFO().Name() {
		policy = kernel.Replay(choices)
	}
	r.policy = policy
	r.kernel = kernel.New(kernel.Options{Policy: policy, Limits: kernel.Limits{
		Steps: sc.Limits.Steps, Time: sc.Limits.Time, Procs: sc.Limits.Processes, Queue: sc.Limits.Queue}})
	if r.alike, err = spec.made(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{r.plant, r.buildModel} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.observer = newObserver(r)
	cfg, err := r.config(transcript.Tee(r.observer, sink))
	if err != nil {
		return nil, err
	}
	if err := r.define(&cfg); err != nil {
		return nil, err
	}
	cfg.Servers = serverMaker{r}.session(cfg.Catalogue, cfg.Definitions)
	r.world = agent.NewWorld(cfg)
	return r, nil
}

// plant opens the project's files and writes the facts into their lines.
func (r *run) plant() error {
	r.fs = r.spec.Project.Open()
	r.scenario = r.spec.Scenario
	if err := r.rebind(); err != nil {
		return err
	}
	for i, f := range r.scenario.Project.Facts {
		if err := r.fs.Plant(f.File, f.Line, " "+r.marks.Text(mark.Fact, f.Name)); err != nil {
			return &ScenarioError{fmt.Sprintf("project.facts[%d]", i), fmt.Errorf("fact %q: %w", f.Name, err)}
		}
	}
	return r.plantInjections()
}

// config is the world that the run's agents share.
func (r *run) config(sink transcript.Sink) (agent.Config, error) {
	sc := r.spec.Scenario
	gates := r.alike.gates
	all := headTools(sc, r.alike.tools, r.toolText)
	offered, err := sessionTools(sc, &gates, all, r.partText(client.Skills) != "")
	if err != nil {
		return agent.Config{}, err
	}
	front := r.front()
	r.offered = offered
	permissions, err := r.permissions(all)
	if err != nil {
		return agent.Config{}, err
	}
	cfg := agent.Config{
		Kernel: r.kernel, Builder: r.builder, Model: r.server, Sink: sink, FS: r.fs, Marks: r.marks, Key: r.key.Sub("agents"),
		Root: Root, Gates: gates, Watched: watched(sc), Interactive: sc.Interactive, Definitions: agent.BuiltIns(&gates), Offered: r.offered, Catalogue: all, PluginsOnly: pluginsOnly(sc),
		Forker: fork.NewMaker(), Observer: r.observer, Heads: newHeads(sc, offered, r.filler, r.key.Sub("heads"), r.marks, r.observer.came.exceeds), Organisation: sc.Provider.Organisation, Aliases: sc.Provider.Aliases, Programs: r.programs(), Repository: repository(sc), Remote: remote(sc), Teams: teams(sc), Drawn: drawn(&sc.Tools.Commands, r.key.Sub("commands"), r.filler),
		Subagent: sc.Provider.SubagentModel, SubagentTTL: sc.Provider.SubagentTTL, Rules: r.saltRules, UserContext: front.user, SystemContext: front.system, Opening: front.opening, Attached: front.attached,
		MaxTokens: sc.Settings.Tokens(), Retry: sc.Retry, Mode: permission.Mode(sc.Permissions.RootMode()), Permissions: permissions,
		Limits:     agent.Limits{Depth: sc.Limits.Depth, Agents: sc.Limits.Agents, Turns: sc.Limits.Turns, Bytes: sc.Limits.Bytes},
		EvictAfter: evictAfter(sc),
		FanOut:     agent.FanOut{HoldUntilFirst: sc.FanOut.Hold == "first-response", Cap: sc.FanOut.Cap, Usual: scenarios.Defaults().FanOut.Cap},
		Over:       sc.Tools.ReplaceOver, Preview: sc.Tools.Preview,
		Forks:       agent.ForkOptions{Rerender: sc.Forks.Rerender, FreshRepl: sc.Forks.FreshDecisions, Directory: sc.Forks.Directory, TypedChildren: sc.Forks.TypedChildren},
		Classifier:  handoff.New(handoffs(sc), r.marks),
		Coordinator: coordinator.New(Root, sc.Coordinator.Scratchpad),
		Compaction:  agent.Compaction{Share: sc.CompactionShare(), Window: r.window}, Recorded: r.session.agents(),
		Hidden: agent.Hidden(sc.Hidden),
	}
	return cfg, nil
}

// sessionTools are the acting tools of all, and those besides that the tools of some root
// name: sub-agents have them too. Where names lead to agents there are messages to
// send them.
func sessionTools(sc *scenarios.Scenario, gates *gate.Set, all []*tool.Tool, skills bool) ([]*tool.Tool, error) {
	var named []string
	for _, root := range Roots(sc) {
		if root.Tools == nil {
			continue
		}
		for _, n := range *root.Tools {
			if tool.Find(all, n) != nil { // what is no tool is told where the root is made
				named = append(named, n)
			}
		}
	}
	if skills {
		named = append(named, tool.SkillName)
	}
	for _, t := range all {
		if t.Raw != "" {
			named = append(named, t.Name)
		}
	}
	if sc.Plan.Set {
		named = append(named, scenarios.PlanTools...)
	}
	if gates.AgentSwarms {
		named = append(named, tool.TeamTools...)
	}
	if sc.Coordinates() {
		return all, nil // for its workers, by what the filter leaves them (CRD-04)
	}
	return tool.Offered(withoutDeferred(sc, all, named), named)
}

// setTimes makes tools take as long as the scenario says.
func setTimes(sc *scenarios.Scenario, tools []*tool.Tool) {
	times := map[string]*rng.Span{"Read": sc.Tools.Read, "Grep": sc.Tools.Grep, "Glob": sc.Tools.Glob, "Edit": sc.Tools.Edit}
	for _, t := range tools {
		if d := times[t.Name]; d != nil {
			t.Took, t.Drawn = literalOrDrawn(d)
		}
	}
}

// flips schedules what the scenario changes during the run: gates and content replacement.
// Each change is a process, so that a change and an agent at one instant are the policy's
// to order (GATE-02). None keeps a run going: after the last agent's end there is no change.
func (r *run) flips() {
	sc := r.spec.Scenario
	for i, f := range sc.GateFlips {
		r.at(f.At, fmt.Sprintf("gate_flips[%d]", i), "flip of "+f.Gate, func() error { return r.world.FlipGate(f.Gate, f.Value) })
	}
	for i, f := range sc.ReplaceFlips {
		r.at(f.At, fmt.Sprintf("replace_flips[%d]", i), "flip of content replacement", func() error {
			r.world.SetReplacement(f.Over, f.Preview)
			return nil
		})
	}
}

// at has a process begin at an instant, if the run lasts so long. Until then the path of
// what it does is among the late.
func (r *run) at(at vtime.Duration, path, name string, do func() error) {
	r.late = append(r.late, path)
	r.kernel.At(vtime.Instant(at), fired(func() {
		r.late = slices.DeleteFunc(r.late, func(p string) bool { return p == path })
		r.kernel.Spawn(name, func(*kernel.Proc) error { return do() })
	}))
}

// fired is a callback that does not ask for the instant.
type fired func()

// Fire calls it.
func (f fired) Fire(vtime.Instant) { f() }

// window is a model's context window for compaction, 0 where none is known.
func (r *run) window(model string) int64 {
	p, err := r.profile(model)
	if err != nil {
		return 0
	}
	return r.spec.Scenario.ContextWindow(p.Window)
}

// run is a spec made into a world.
type run struct {
	spec     *Spec
	key      rng.Key
	draws    int64 // made from it, and for the files
	alike    *alike
	marks    mark.Key
	builder  *llm.Builder
	kernel   *kernel.Kernel
	policy   kernel.Policy
	fs       *workspace.FS
	faults   *fault.Plan
	server   *mockllm.Server
	session  *session // nil where nothing was recorded
	offered  []*tool.Tool
	scenario *scenarios.Scenario // with its paths bound to the project
	stands   map[string]string   // paths of the scenario that stand for other files
	within   string              // the directory that all of those are in; "" for none
	kinds    map[string]fileKind // of files, as far as they were asked for
	engine   *checkedEngine
	late     []string // flips whose instant has not come, and acts of users that have met nothing, by their paths
	table    *policy.Table
	book     *script.Book // nil where nothing is scripted
	filler   *script.Filler
	profiles map[string]*cachemodel.Profile
	observer *observer
	world    *agent.World
	problems []*definition.Problem // of definitions that were left out
	defined  *definition.Set       // nil where the stack has definitions of its own
}

// plantInjections writes the scenario's injected instructions, each with its mark,
// behind the lines that it names.
func (r *run) plantInjections() error {
	for i, x := range r.scenario.Injections {
		if err := r.fs.Plant(x.File, x.Line, x.Text+" "+r.marks.Text(mark.Inject, x.Name)); err != nil {
			return &ScenarioError{fmt.Sprintf("injections[%d]", i), fmt.Errorf("injection %q: %w", x.Name, err)}
		}
	}
	return nil
}

// handoffs is the script of the classifier of hand-offs (TSK-06).
func handoffs(sc *scenarios.Scenario) []handoff.Rule {
	var out []handoff.Rule
	for _, v := range sc.Classifier {
		out = append(out, handoff.Rule{Taint: v.Taint, Verdict: v.Verdict, Why: v.Why})
	}
	return out
}

// auditedHandoffs is what an auditor has to know of the classifier; nil where it
// is never on.
func auditedHandoffs(spec *Spec) *audit.Handoffs {
	sc := spec.Scenario
	const gate = "TRANSCRIPT_CLASSIFIER"
	on := sc.Gate(gate) == "true"
	flips := slices.ContainsFunc(sc.GateFlips, func(f scenarios.GateFlip) bool { return f.Gate == gate })
	if !on && !flips {
		return nil
	}
	h := &audit.Handoffs{Marks: mark.NewKey(spec.Seed()), On: on}
	for _, v := range sc.Classifier {
		h.Rules = append(h.Rules, audit.Handoff{Taint: v.Taint, Verdict: v.Verdict})
	}
	return h
}
