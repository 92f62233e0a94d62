package agent

import (
	"slices"
	"strconv"

	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/mcp"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/shell"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// Model answers requests. Begin takes one at the present instant and fills resp by the
// end of the call. Its error is an *llm.APIError for what the API answers at once.
type Model interface {
	Begin(k *kernel.Kernel, req *llm.Request, resp *llm.Response) (llm.Call, error)
}

// Forker makes forks. It is package fork; this package only knows where a fork
// differs from any other child.
type Forker interface {
	// Enabled reports whether a spawn without a type forks (FRK-01).
	Enabled(g *gate.Set, interactive bool) bool
	// Message is the user message that a fork's history ends with: a placeholder
	// result for every tool use of the assistant message, then the directive.
	Message(assistant *llm.Msg, directive string) *llm.Msg
	// Notice is the block behind the directive that tells a fork of another working
	// directory than its history speaks of.
	Notice(from, to string) llm.Block
	// IsForkMessage reports whether a message makes its conversation a fork's.
	IsForkMessage(m *llm.Msg) bool
}

// Classifier judges the transcripts of agents before their results are brought
// home. It is package handoff.
type Classifier interface {
	// Judge is the verdict about a transcript, and what stands in front of its result.
	Judge(t Transcript) (verdict *transcript.Handoff, front string)
	// Defuse makes an agent's words unable to pass for the classifier's.
	Defuse(text string) string
	// Keep remembers what is to be known of a transcript that becomes a summary.
	Keep(t Transcript)
}

// Transcript is an agent's conversation as its model has it.
type Transcript struct {
	Agent int32
	Head  *llm.Node
	From  llm.Hash // where the agent's own bytes begin
}

// Coordinator is what makes a session one of a coordinator and its workers. It is
// package coordinator.
type Coordinator interface {
	// Prompt is the system prompt of a root.
	Prompt() string
	// Tools is what a root holds of the tools that it is offered (CRD-01).
	Tools(offered []*tool.Tool) []*tool.Tool
	// Context says in words what workers with these tools can do (CRD-03).
	Context(workers []*tool.Tool, g *gate.Set) Part
	// Begins notes what is odd about a session that begins with these gates.
	Begins(g *gate.Set, note func(rule, detail string))
	// Admit holds a root's call against CRD-05: it may change the call, and notes what
	// it ignores. The error refuses the call.
	Admit(in *tool.AgentInput, g *gate.Set, note func(rule, detail string)) error
	// Note tells a worker where the scratchpad is.
	Note() string
	// InScratchpad reports whether a call of a tool in a directory touches nothing but
	// what is below the scratchpad.
	InScratchpad(t *tool.Tool, input *llm.Payload, dir string) bool
}

// Heads says what stands in front of agents besides what this stack puts there, so that
// heads are as large as a client's own. typ is an agent's type.
type Heads interface {
	// Tool is what the definition of a tool says besides.
	Tool(name string) string
	// System is what a system prompt says besides, behind these tools and blocks.
	System(typ string, root bool, tools []llm.Block, system []string) string
	// Context is what the session tells an agent besides, in front of what it is told
	// first.
	Context(typ string, root bool, lineage string, prefix *Prefix, said []llm.Block) string
}

// Observer is told what stands in agents' answers and may name findings in it;
// it decides nothing.
type Observer interface {
	// Said is called with each text of an answer, in order.
	Said(a *Agent, text *llm.Payload)
	// Reported is called with each agent that has done its work, before its end is on
	// the record. What it brings home is its SaidText.
	Reported(a *Agent)
}

// Part is a named piece of what stands in front of an agent's messages (LOOP-10).
type Part struct {
	Name      string
	Text      string
	RootsOnly bool   // roots have it, and so their forks
	Needs     string // the tool without which an agent does not have it; "" for none
}

// Config is the world that a run's agents share.
type Config struct {
	Kernel      *kernel.Kernel
	Builder     *llm.Builder
	Model       Model
	Sink        transcript.Sink
	FS          *workspace.FS
	Marks       mark.Key
	Key         rng.Key
	Root        string // virtual working directory
	Gates       gate.Set
	Watched     []string // gates of which is noted whether they decide anything
	Interactive bool
	Definitions []*Definition
	Offered     []*tool.Tool    // the tools of a default pool, in order
	Catalogue   []*tool.Tool    // all there are, in order: an agent has those that its definition names, offered or not
	Programs    []shell.Program // what builds and tests do; nil are shell.Programs
	Repository  Repository
	Remote      Remote
	Drawn       tool.Drawn // of commands that the shell does not carry out
	Forker      Forker
	Classifier  Classifier
	Coordinator Coordinator // nil of a stack that has none
	Stack       Stack
	Observer    Observer
	Heads       Heads        // nil leaves heads as they are
	Servers     *mcp.Session // nil for none
	PluginsOnly bool         // agents that are no plugin's and nobody's who manages the machine bring no servers

	Organisation  string
	Aliases       map[string]string // sonnet, opus, haiku → model id
	Subagent      string            // default sub-agent model; "" is the parent's
	SubagentTTL   llm.TTL           // lifetime at the markers of sub-agents, whatever their parent's is; forks have the parent's (CACHE-30)
	Rules         func(model string) llm.SaltRules
	UserContext   []Part
	SystemContext []Part
	Opening       []Part // blocks in front of the user context
	Attached      []Part // blocks behind it

	MaxTokens   int64
	Retry       llm.Retry
	Limits      Limits
	FanOut      FanOut
	Mode        permission.Mode // run mode of roots
	Permissions Permissions
	Over        int        // content replacement, see Replacements
	Hooks       []HookRule // what hooks of definitions do when they run
	Preview     int
	Forks       ForkOptions

	Compaction Compaction
	Recorded   map[string]*Recorded // what agents do that were recorded, by lineage
	Hidden     Hidden               // what clients of roots send on their own
	Teams      Teams

	EvictAfter vtime.Duration // how long after its end a background agent's output stays in memory; 0 is as long as the run

}

// Repository is what the project is in. The zero value is a git repository in which
// all files are committed.
type Repository struct {
	None   bool     // it is in none
	Empty  bool     // nothing is committed
	Linked []string // directories that worktrees do not copy, and that are not tracked
}

// Limits bound an agent. Reaching one is an outcome (KRN-06).
type Limits struct {
	Depth  int   // of nesting (SUB-21)
	Agents int   // of the run, ended ones included; 0 is no limit
	Turns  int   // of one activation, of a root for one user message, where no definition says less
	Bytes  int64 // of one request
}

// FanOut says how siblings of one response start (CACHE-29).
type FanOut struct {
	HoldUntilFirst bool           // all but the first wait for the first one's response to begin
	Usual          vtime.Duration // Cap where nobody says otherwise
	Cap            vtime.Duration // at most so long; 0 holds nobody
}

// ForkOptions are named variants of forking, most of which exist to show what is
// lost.
type ForkOptions struct {
	// Directory is the working directory of forks, absolute; "" is their parent's.
	// The files below it are the project's own.
	Directory string
	Rerender  bool // render system prompt and history anew instead of sharing the parent's bytes
	FreshRepl bool // likewise, and with no memory of the parent's replacement decisions
	// TypedChildren lets a fork start agents whose type it names (FRK-14).
	TypedChildren bool
}

// anew reports whether forks render what they inherit.
func (o ForkOptions) anew() bool { return o.Rerender || o.FreshRepl }

// World is one run's agents and what they share.
type World struct {
	cfg     Config
	gates   gate.Set
	epoch   int // counts gate flips: what was rendered before one stays as it was
	agents  []*Agent
	tasks   *task.Registry
	pools   map[poolKey]*Pool
	heads   map[headKey]*rendered
	texts   map[string]*llm.Payload // that stand in heads
	plans   map[planKey]*Plan       // of parents, as their sub-agents have them
	rec     recorder
	project *place   // the project's own directory
	env     tool.Env // of the tool that runs now
	inputs  tool.Inputs
	lives   lives
	forkDef *Definition
	// coordinator says that roots coordinate: the session began in that mode.
	coordinator bool
	shells      map[string]*shellTask // commands in the background, by task
	evictions   evictions
	// terminals says, by root, when the last prompt is answered that its terminal shows.
	terminals map[int32]vtime.Instant
	overLimit bool            // a main thread marked a request over the plan's limit
	unasked   bool            // the user allowed something without a script that says so
	took      map[string]bool // deny rules that took a tool away
	met       map[string]bool // settings that decided something, by path
	// hookRuns counts by rule how often it said what a hook does.
	hookRuns map[int]int
	handlers map[string]handler // by canonical name of the tool
	records  map[string]*record // of recorded agents, by lineage
	noTools  *Pool              // of recorded heads
	servers  servers
	runs     executor // of teammates, once it was asked for
}

// NewWorld makes a world without agents.
func NewWorld(cfg Config) *World {
	cfg.Definitions = slices.Clone(cfg.Definitions)
	w := &World{cfg: cfg, gates: cfg.Gates, lives: lives{most: spareLives}, tasks: &task.Registry{}, handlers: handlers(), records: map[string]*record{},
		pools: map[poolKey]*Pool{}, heads: map[headKey]*rendered{}, texts: map[string]*llm.Payload{}, plans: map[planKey]*Plan{},
		shells: map[string]*shellTask{}, terminals: map[int32]vtime.Instant{}, took: map[string]bool{}, met: map[string]bool{}}
	w.rec.sink, w.rec.kernel = cfg.Sink, cfg.Kernel
	w.rec.leader, _ = cfg.Sink.(transcript.Leader)
	w.project = &place{fs: cfg.FS, repo: &shell.Repo{None: cfg.Repository.None, Empty: cfg.Repository.Empty}}
	w.project.repo.Ignore(cfg.Repository.Linked)
	w.met[gateKey+"USER_TYPE"] = cfg.Remote.Offered // which the Agent tool says
	w.coordinator = cfg.Gates.Coordinator() && cfg.Coordinator != nil
	if cfg.Stack == nil {
		w.cfg.Stack = full{}
	}
	w.watchServers()
	return w
}

// Agents lists all agents that were ever made, by ordinal.
func (w *World) Agents() []*Agent { return w.agents }

// FlipGate changes a gate at this instant. What was rendered stays (GATE-02).
func (w *World) FlipGate(name, value string) error {
	if err := w.gates.Set(name, value); err != nil {
		return err
	}
	w.epoch++
	for i, d := range w.cfg.Definitions {
		if now := find(EveryBuiltIn(&w.gates), d.Type); d.BuiltIn() && now != nil {
			w.cfg.Definitions[i] = now
		}
	}
	w.rec.gate(name, value)
	return nil
}

// SetReplacement changes, from this instant on and for every agent, the size
// over which a tool result is replaced and what its preview keeps, both in
// bytes. Decisions taken stay (LOOP-11).
func (w *World) SetReplacement(over, preview int) {
	w.cfg.Over, w.cfg.Preview = over, preview
	for _, a := range w.agents {
		if !a.ended {
			a.conv.Repl.Over, a.conv.Repl.Preview = over, preview
		}
	}
	w.rec.gate("content-replacement", strconv.Itoa(over)+"/"+strconv.Itoa(preview))
}

// Record emits an event of the run itself.
func (w *World) Record(b transcript.Body) { w.rec.emit(-1, b) }

// fail ends the run with an error that is not the simulation's to handle.
func (w *World) fail(err error) { w.cfg.Kernel.Stop(err) }
