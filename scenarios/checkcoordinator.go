package scenarios

import (
	"cmp"
	"slices"

	"agentsim/scenarios/document"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// The gates of coordinator mode, and those that only its workers read.
const (
	coordinatorGate    = "COORDINATOR_MODE"
	coordinatorEnvGate = "CLAUDE_CODE_COORDINATOR_MODE"
	simpleGate         = "CLAUDE_CODE_SIMPLE"
	scratchGate        = "tengu_scratch"
	forkGate           = "FORK_SUBAGENT"
	noBackgroundGate   = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"
)

var workerGates = []string{simpleGate, scratchGate}

// coordinatorTools are the only tools of a coordinator (CRD-01). It has the first
// three where its root says nothing.
var coordinatorTools = []string{"Agent", "SendMessage", "TaskStop", "subscribe_pr_activity"}

// Coordinates reports whether the scenario's roots are coordinators: the session
// begins with both gates of coordinator mode on.
func (s *Scenario) Coordinates() bool {
	return s.Stack != MinimalStack && s.Gate(coordinatorGate) == "true" && s.Gate(coordinatorEnvGate) == "true"
}

// leads reports whether the policy of structure coordinator is at work.
func (s *Scenario) leads() bool { return s.Structure.Base() == Coordinated && s.hasWork() }

// defaultCoordinator is how a coordinator leads of which nothing is said.
func defaultCoordinator() CoordinatorSpec {
	return CoordinatorSpec{Workers: "table", Synthesis: "strict", Broad: 3, Corrections: ptr(1), Approaches: ptr(1),
		Scratchpad: ".scratchpad", Silence: 5 * vtime.Minute}
}

// coordinator holds the scenario against what coordinating needs and rules out.
func (c *checker) coordinator() {
	s := c.s
	if s.Structure.Base() == Coordinated {
		c.coordinatorStructure()
	}
	c.coordinatorSpec()
	if !s.Coordinates() {
		return
	}
	if !s.allScripted() && slices.Contains([]Structure{Inline, Subagent, Teamed}, s.Structure.Base()) {
		c.bad("structure", "structure: coordinator, or take "+coordinatorGate+" away", "gates %s and %s contradict structure %s: a coordinator has none of the tools and starts none of the agents that it needs", coordinatorGate, coordinatorEnvGate, s.Structure)
	}
	const notifies = "structure coordinator works by notifications of workers in the background, which gate %s disables"
	if s.leads() && s.Gate(noBackgroundGate) == "true" {
		c.bad("gates."+noBackgroundGate, "leave it at false", notifies, noBackgroundGate)
	}
	for i, g := range s.GateFlips {
		if s.leads() && g.Gate == noBackgroundGate && g.Value == "true" {
			c.bad("gate_flips["+itoa(i)+"].gate", "take it away", notifies, g.Gate)
		}
	}
	for i, typ := range s.Project.Agents.BuiltIns {
		switch {
		case typ == "worker":
			c.bad("project.agents.built_ins["+itoa(i)+"]", "leave it out", "type %q is listed anyway", typ)
		case slices.Contains(moreTypes, typ):
			c.bad("project.agents.built_ins["+itoa(i)+"]", "leave it out", "a coordinator starts workers and no agent of type %q", typ)
		}
	}
	s.eachRoot(c.coordinatorRoot)
}

func (c *checker) coordinatorStructure() {
	s := c.s
	switch {
	case s.Stack == MinimalStack:
		c.bad("structure", "structure: subagent or inline", "stack minimal has no coordinator")
	case !s.Coordinates():
		off := coordinatorGate
		if s.Gate(off) == "true" {
			off = coordinatorEnvGate
		}
		c.bad("gates."+off, "take it away: the structure sets it", "gate %s is off, which contradicts structure coordinator", off)
	}
}

// coordinatorSpec checks what is said of how a coordinator leads.
func (c *checker) coordinatorSpec() {
	k := &c.s.Coordinator
	c.within("coordinator.broad", k.Broad, 1)
	c.within("coordinator.corrections", *k.Corrections, 0)
	c.within("coordinator.approaches", *k.Approaches, 0)
	if k.Silence <= 0 {
		c.bad("coordinator.silence", "leave it out for 5m", "coordinator.silence is longer than nothing")
	}
	if why := badPath(k.Scratchpad); why != "" {
		c.bad("coordinator.scratchpad", "a directory inside the project, such as .scratchpad", "scratchpad %q %s", k.Scratchpad, why)
	}
}

// SharesScratchpad reports whether workers have a scratchpad at any time of the run.
func SharesScratchpad(s *Scenario) bool { return s.turnsOn(scratchGate) }

// halfCoordinates reports whether one of the gates of a coordinator is on alone.
func halfCoordinates(s *Scenario) bool {
	return s.turnsOn(coordinatorGate) != s.turnsOn(coordinatorEnvGate)
}

// turnsOn reports whether a boolean gate is on at any time of the run.
func (s *Scenario) turnsOn(gate string) bool {
	return s.Gate(gate) == "true" || slices.ContainsFunc(s.GateFlips, func(f GateFlip) bool { return f.Gate == gate && f.Value == "true" })
}

// coordinatorRoot refuses tools that a coordinator cannot have, and misses those
// that structure coordinator works with.
func (c *checker) coordinatorRoot(at string, r *Root) {
	if r.Tools == nil {
		return
	}
	for i, name := range *r.Tools {
		if name == "Task" {
			name = "Agent"
		}
		if !slices.Contains(coordinatorTools, name) {
			hint := "take it away: workers have the tools that work needs"
			if h := document.DidYouMean(name, coordinatorTools); h != "" {
				hint = h
			}
			c.bad(at+".tools["+itoa(i)+"]", hint, "a coordinator has no tool %q", name)
		}
	}
	for _, name := range coordinatorTools[:3] {
		if c.s.leads() && !slices.Contains(*r.Tools, name) && !(name == "Agent" && slices.Contains(*r.Tools, "Task")) {
			c.bad(at+".tools", "add "+name+", or leave tools out", "structure coordinator works with the tool %s, which root %s has not got", name, cmp.Or(r.Name, "main"))
		}
	}
}

// CoordinatorSpec is how the policy of structure coordinator leads (CRD-10,
// CRD-12). Its zero value takes the defaults.
type CoordinatorSpec struct {
	Workers     string         `yaml:"workers"`
	Synthesis   string         `yaml:"synthesis"`
	Broad       int            `yaml:"broad"`
	Corrections *int           `yaml:"corrections"`
	Approaches  *int           `yaml:"approaches"`
	Scratchpad  string         `yaml:"scratchpad"`
	Overlap     bool           `yaml:"overlap"`
	Silence     vtime.Duration `yaml:"silence"`
}

// TestRun is a command that tests the project: it reads the files of its glob,
// prints each defect that stands in them, and fails if there is one.
type TestRun struct {
	Command string         `yaml:"command"` // such as go test ./...
	Files   string         `yaml:"files"`   // glob of the files it covers
	Takes   vtime.Duration `yaml:"takes"`
}

// Injection is an instruction that stands in a file and reads as if somebody
// entitled to had given it. Whoever reads the file has it in its request; only a
// model that obeys acts on it, and its report carries it on.
type Injection struct {
	Name string `yaml:"name"` // of the taint
	File string `yaml:"file"`
	Line int    `yaml:"line"`
	Text string `yaml:"text"` // the instruction as it stands there
	Runs string `yaml:"runs"` // the command that whoever obeys runs by Bash where it has it, "" for none
}

// HandoffVerdict is what the classifier says of a transcript that holds a taint.
type HandoffVerdict struct {
	Taint   string             `yaml:"taint"` // name of an injection
	Verdict transcript.Verdict `yaml:"verdict"`
	Why     string             `yaml:"why"`
}
