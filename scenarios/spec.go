package scenarios

import (
	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/scenarios/document"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Scenario is one effective scenario: a file with one variant and all overrides
// applied. Field tags are the YAML keys; what is below a block can be named
// without it. What a key means, its unit and default are in keys.txt, by type and key.
type Scenario struct {
	Agentsim      int         `yaml:"agentsim"`
	Name          string      `yaml:"name"`
	About         About       `yaml:"about"`
	Seed          uint64      `yaml:"seed"`
	Profile       Profile     `yaml:"profile"`
	Structure     Structure   `yaml:"structure"`
	Project       Project     `yaml:"project"`
	Work          []Item      `yaml:"work"`
	Population    *Population `yaml:"population"`
	Agents        `yaml:"agents,block"`
	Model         Model    `yaml:"model"`
	Provider      Provider `yaml:"provider"`
	Conversations `yaml:"script,block"`
	Lab           `yaml:"lab,block"`
	Expect        []string `yaml:"expect"`
}

// Version is the version of the language that is read.
const Version = 1

// About is why a scenario exists: a text, or a mapping.
type About struct {
	Why    string   `yaml:"why"`     // why it exists, one or two sentences
	LookAt []string `yaml:"look_at"` // what to look at in the output
	Source string   `yaml:"source"`  // where its figures come from, if anywhere
}

// Agents are how agents are led.
type Agents struct {
	Type        string          `yaml:"type"`
	Isolation   string          `yaml:"isolation"` // calls of the Agent tool may ask for worktrees
	Remote      *RemoteSpec     `yaml:"remote"`
	Teams       TeamSpec        `yaml:"teams"`
	Settings    SettingsSpec    `yaml:"settings"`
	Coordinator CoordinatorSpec `yaml:"coordinator"`
	Plan        Size            `yaml:"plan"`
	Tools       ToolSpec        `yaml:"tools"`
	Heads       []Head          `yaml:"heads"`
	Hidden      HiddenSpec      `yaml:"hidden"`
	Scope       []string        `yaml:"scope"`
}

// HiddenSpec says which requests the client of a root sends on its own (BTW-03).
type HiddenSpec struct {
	Title      bool           `yaml:"title"`
	Suggestion int64          `yaml:"suggestion"` // per cent of the answers that end a turn
	Away       vtime.Duration `yaml:"away"`       // after such an answer
}

// Conversations are the roots with their users, and exact turns.
type Conversations struct {
	Main     *Root            `yaml:"main"`
	Roots    []Root           `yaml:"roots"`
	Scripts  []Script         `yaml:"answers"`
	Recorded []RecordedThread `yaml:"recorded"`
	Untold   []string         `yaml:"untold"`
}

// Lab is what only studies of mechanism need.
type Lab struct {
	Stack        string            `yaml:"stack"`   // full (default) or minimal (MIN-01)
	Minimal      MinimalSpec       `yaml:"minimal"` // options of stack minimal
	Interactive  bool              `yaml:"interactive"`
	Gates        map[string]string `yaml:"gates"` // feature flags by name, true or false (GATE-01); a structure sets its own
	GateFlips    []GateFlip        `yaml:"gate_flips"`
	Permissions  PermissionSpec    `yaml:"permissions"`
	Injections   []Injection       `yaml:"injections"`
	Classifier   []HandoffVerdict  `yaml:"classifier"`
	FanOut       FanOut            `yaml:"fan_out"`
	Forks        Forks             `yaml:"forks"`
	Compaction   *Compaction       `yaml:"compaction"`
	Faults       []string          `yaml:"faults"` // calls that fail, one rule each: what fails, its settings, and where. What: 429, 529, 500, drop, duplicate, truncate, unknown-tool, wrong-type, empty, refusal, max-tokens or slow. Where: agent=GLOB of lineages, call=N, attempt=N, chance=N/M. Such as 429 retry-after=2s agent=main call=2 attempt=1
	Limits       Limits            `yaml:"limits"`
	Retry        llm.Retry         `yaml:"retry"`
	ReplaceFlips []ReplaceFlip     `yaml:"replace_flips"`
	Scale        *Scale            `yaml:"scale"`
}

// GateFlip changes a gate at an instant (GATE-02).
type GateFlip struct {
	At    vtime.Duration `yaml:"at"`
	Gate  string         `yaml:"gate"`
	Value string         `yaml:"value"`
}

// Provider is whose cache, which models, how marked.
type Provider struct {
	Kind           string              `yaml:"kind"`           // anthropic (default)
	Model          string              `yaml:"model"`          // dated id, or an alias named below
	Aliases        map[string]string   `yaml:"aliases"`        // sonnet, opus, haiku → dated id
	SubagentModel  string              `yaml:"subagent_model"` // default sub-agent model; "" is the root's
	Organisation   string              `yaml:"organisation"`
	Workspace      string              `yaml:"workspace"`
	TTL            llm.TTL             `yaml:"ttl"`
	PlanLimitAt    vtime.Duration      `yaml:"plan_limit_at"` // when a subscription's limit is reached: from then on what has ttl 1h has 5m, as roots and forks do
	Breakpoints    Plan                `yaml:"breakpoints"`
	FourthMark     bool                `yaml:"fourth_mark"` // CON-23: parent's mark on a fork's first request, own previous mark later
	Counter        string              `yaml:"counter"`     // approx (default) or recorded
	Latency        Latency             `yaml:"latency"`
	TailTokens     *int64              `yaml:"tail_tokens"`   // overrides the model's (CACHE-38)
	HiddenTokens   *bool               `yaml:"hidden_tokens"` // false leaves CACHE-45 out
	Platform       string              `yaml:"platform"`      // claude-api (default), claude-on-aws, foundry, bedrock or google-cloud (CACHE-18)
	SubagentTTL    llm.TTL             `yaml:"subagent_ttl"`  // of sub-agents, whatever ttl is; forks have ttl (CACHE-30)
	InferenceGeo   string              `yaml:"inference_geo"` // global (default) or us (CACHE-42)
	Speed          string              `yaml:"speed"`         // standard (default) or fast, of every request (CACHE-42)
	Batch          bool                `yaml:"batch"`         // every request is part of a batch (CACHE-42, CACHE-47)
	PricesOn       string              `yaml:"prices_on"`     // the day whose prices hold, such as 2026-11-10; default the newest that is known
	Prices         *Prices             `yaml:"prices"`        // the user's own, over the table's
	AccountCreated string              `yaml:"account_created"`
	RateLimits     *mockllm.RateLimits `yaml:"rate_limits"`
	Options        CacheOptions        `yaml:"options"`
}

// ModelID resolves one of the aliases; any other name is a model's id.
func (p *Provider) ModelID(name string) string {
	if id, ok := p.Aliases[name]; ok {
		return id
	}
	return name
}

// CacheOptions are the undocumented points of the Anthropic model.
type CacheOptions struct {
	ThinkingRenderedFirst *bool                     `yaml:"thinking_rendered_first"`
	LookbackCrossesLevels *bool                     `yaml:"lookback_crosses_levels"`
	LateExpiry            vtime.Duration            `yaml:"late_expiry"`
	VisibilityLag         *cachemodel.VisibilityLag `yaml:"visibility_lag"`
	CollapseNoise         *CollapseNoise            `yaml:"collapse_noise"`
	BatchHits             *int64                    `yaml:"batch_hits"` // parts per million of a batch's requests that find what is cached
	CheckpointsCapped     *bool                     `yaml:"checkpoints_capped"`
}

// Plan is a named breakpoint plan (LOOP-12): `none`, `automatic`, `last`,
// `agent`, or a mapping `explicit: [{from_call: 0, at: [10]}]`.
type Plan struct {
	Name     string // none, automatic, last, agent, explicit
	Explicit []llm.Marks
}

// Latency is the timing of one model call (LLM-07). A profile name fills what
// is not given. Draws belong to lineage, call and attempt (CON-16).
type Latency struct {
	Profile string          `yaml:"profile"`
	Queue   *rng.Span       `yaml:"queue"`   // from admission to prefill
	Prefill *vtime.Duration `yaml:"prefill"` // per uncached prompt token
	Read    *vtime.Duration `yaml:"read"`    // per cached prompt token
	Decode  *vtime.Duration `yaml:"decode"`  // per output token
	Jitter  *rng.Span       `yaml:"jitter"`  // a delay before the first byte: a distribution, or the upper bound of a uniform one
}

// SettingsSpec are request settings. Those of a root stand over the scenario's,
// those of a step over what holds until then, field by field; see Over.
type SettingsSpec struct {
	Effort         string `yaml:"effort"`
	Thinking       string `yaml:"thinking"` // disabled, enabled, adaptive
	ThinkingBudget int64  `yaml:"thinking_budget"`
	ToolChoice     string `yaml:"tool_choice"`
	MaxTokens      *int64 `yaml:"max_tokens"` // of every agent; below the top level only 0, which warms the cache: by each request of a root, by the one that a step's message makes
}

// Tokens is the most that an answer may have.
func (s *SettingsSpec) Tokens() int64 { return *s.MaxTokens }

// Warms reports whether settings of a root or a step ask for no tokens (CACHE-46).
func (s *SettingsSpec) Warms() bool { return s != nil && s.MaxTokens != nil }

// Project is the world the agents act in.
type Project struct {
	Files      Files        `yaml:"files"`
	ClaudeMd   *Content     `yaml:"claude_md"`
	GitStatus  *Content     `yaml:"git_status"`
	Date       string       `yaml:"date"`       // stands in the user context; default 2026-01-01
	Repository string       `yaml:"repository"` // what is committed: committed (all of the files), empty, or none (no repository)
	Linked     *[]string    `yaml:"linked"`     // directories that are not tracked, and that worktrees share; node_modules by default, [] is none
	Agents     AgentFiles   `yaml:"agents"`
	Tests      []TestRun    `yaml:"tests"` // commands that test the project
	Facts      []Fact       `yaml:"facts"`
	Directory  string       `yaml:"directory"`
	Client     string       `yaml:"client"` // whose layout requests have: seeds, or claude-code@2.1.330, the default on a directory
	Heads      string       `yaml:"heads"`  // body of a request, relative to the scenario, whose system prompt and tools are the client's own
	Parts      []FrontPart  `yaml:"parts"`  // what stands in front of agents besides; a directory fills it in
	Servers    []ServerSpec `yaml:"servers"`
	ToolSearch string       `yaml:"tool_search"`
}

// FrontPart is a piece of text that stands in front of agents, where the client's
// layout puts its kind.
type FrontPart struct {
	Kind string  `yaml:"kind"` // such as memory or skills
	Name string  `yaml:"name"` // of a tool or a skill
	From string  `yaml:"from"` // FILE:LINE that it comes from
	Text Content `yaml:"text"`
	// Definition is that of a tool that stands there by its name.
	Definition Content `yaml:"definition"`
}

// Files is either an embedded tree or literal files.
type Files struct {
	Embedded string
	Literal  map[string]Content
}

// Content is text given literally, by tokens (filler of that size) or by bytes.
type Content struct {
	Text   string
	Tokens document.Size
	Bytes  int
	Class  string // prose (default), code, json
	Blocks int    // split into so many blocks, where blocks are possible; 0 is 1
}

// Size is a number of tokens, literal or drawn (LLM-06).
type Size = document.Size

// Fact is a named piece of knowledge that stands in a file.
type Fact struct {
	Name  string `yaml:"name"`
	File  string `yaml:"file"`
	Line  int    `yaml:"line"`
	Grade string `yaml:"grade"` // gist (default: may be relayed) or verbatim
	Gist  int64  `yaml:"gist"`  // tokens it takes to relay it; 0 is the model's default
}

// Model is the policy's profile: how the mock model behaves.
type Model struct {
	Prompting     string        `yaml:"prompting"` // full, pointers or lazy
	ReadsPerTurn  int           `yaml:"reads_per_turn"`
	SpawnsPerTurn int           `yaml:"spawns_per_turn"`
	AtOnce        AtOnce        `yaml:"at_once"` // in place of reads and spawns a turn
	GistTokens    int64         `yaml:"gist_tokens"`
	PromptBudget  int64         `yaml:"prompt_budget"` // tokens of what a prompt relays: facts, places, and what it left out
	ReportBudget  int64         `yaml:"report_budget"`
	ReportTokens  document.Size `yaml:"report_tokens"`
	StepTokens    document.Size `yaml:"step_tokens"`  // text before tool calls
	ThinkTokens   document.Size `yaml:"think_tokens"` // when thinking is on
	Preamble      bool          `yaml:"preamble"`     // a text block before tool calls
	Obeys         bool          `yaml:"obeys"`        // does what an injected instruction says (CON-14)
	Wander        Wander        `yaml:"wander"`
}

// Wander is how agents lose their way: an item offers detours to whoever does it, as
// many as it takes a stranger more uses of tools than what the item asks for.
type Wander struct {
	Uses     document.Size `yaml:"uses"`      // uses of tools that an item takes a stranger; left out, nobody makes a detour
	Near     int64         `yaml:"near"`      // percent of the detours' files that are those of the scenario's other items
	MayLearn bool          `yaml:"may_learn"` // detours go into files that hold declared facts, too
}

// Item is one item of work (LLM-05).
type Item struct {
	ID        string        `yaml:"id"`
	Kind      string        `yaml:"kind"`  // research, implement, verify, answer
	About     string        `yaml:"about"` // what it is about, in a sentence that prompts pass on
	By        string        `yaml:"by"`    // "" by the structure, or lead: the lead itself, whatever the structure
	After     []string      `yaml:"after"`
	Knows     []string      `yaml:"knows"`    // what it is not done without: facts by name; summary:PATH for a summary of a file, PATH may be a glob; summaries for one of each file in found_in
	Reads     []Selector    `yaml:"reads"`    // files that whoever does it reads, unless their content is in the request already; without them it is not done
	FoundIn   []Selector    `yaml:"found_in"` // files in which what it takes to know is found; nobody has to read them
	Edits     []Edit        `yaml:"edits"`
	Yields    []string      `yaml:"yields"` // facts its report carries
	Think     document.Size `yaml:"think"`
	Output    document.Size `yaml:"output"`    // of its report
	Prompting string        `yaml:"prompting"` // overrides model.prompting for this item
	Runs      []string      `yaml:"runs"`      // commands, run by Bash before the item is reported done
	Calls     []string      `yaml:"calls"`     // tools of MCP servers, called before the item is reported done
	Pitfalls  []string      `yaml:"pitfalls"`  // facts without which its edits are defective, though nothing asks for them
	MisledBy  []string      `yaml:"misled_by"` // facts that make its edits defective while they stand in the conversation
	Agent     ItemAgent     `yaml:"agent"`     // the child that does it; left out, it is as type and the provider's models say
	Each      *Each         `yaml:"each"`      // makes such an item of each group of files
}

// ItemAgent is the child that does an item.
type ItemAgent struct {
	Type  string `yaml:"type"`  // agent type, such as Explore; forks and workers are of their own
	Model string `yaml:"model"` // haiku, opus or sonnet, as provider.aliases say which; forks keep their parent's
}

// Selector names files: a path, or a pick from a glob, keyed by the item.
type Selector struct {
	Path  string `yaml:"path"`
	Glob  string `yaml:"glob"`
	Count int    `yaml:"count"` // how many to pick; 0 is all
	Pick  string `yaml:"pick"`  // key of the pick; "" is the item's id. Equal keys pick equal files
}

// Edit is a change of one file by some tokens of new text.
type Edit struct {
	File   Selector      `yaml:"file"`
	Tokens document.Size `yaml:"tokens"`
}

// Root is one root conversation.
type Root struct {
	Name      string         `yaml:"name"` // its lineage; main by default
	At        vtime.Duration `yaml:"at"`   // when it starts
	User      *Content       `yaml:"user"` // first user message
	System    *Content       `yaml:"system"`
	Tools     *[]string      `yaml:"tools"` // nil: those offered by default; empty: none; Bash, Write, NotebookEdit and TodoWrite only if named, and then for sub-agents too, which also have what their definition names
	Plan      *Plan          `yaml:"breakpoints"`
	Workspace string         `yaml:"workspace"` // the provider's scope, when other than provider.workspace
	Context   *bool          `yaml:"context"`   // false leaves user and system context out
	Settings  *SettingsSpec  `yaml:"settings"`
	MaxTurns  int            `yaml:"max_turns"` // for one user message; 0 is limits.turns (LOOP-05)
	Then      []UserStep     `yaml:"then"`      // the user's script, in order
}

// UserStep is one act of the user (PRM-05): at an instant, on an event, or once
// the root is idle.
type UserStep struct {
	At         *vtime.Duration `yaml:"at"`    // nil: when the root is idle
	After      *rng.Span       `yaml:"after"` // waits so long after idle
	Message    *Content        `yaml:"message"`
	To         string          `yaml:"to"`   // the teammate that hears the message
	Asks       []string        `yaml:"asks"` // items of work that the message asks for; the first message asks for all others
	Interrupt  bool            `yaml:"interrupt"`
	KillAgents bool            `yaml:"kill_agents"`
	Background bool            `yaml:"background"` // Ctrl+B: those whom the root waits for move to the background
	Show       string          `yaml:"show"`       // lineage of the background agent whose output the user looks at from then on, which retains it; none closes it
	On         *TriggerSpec    `yaml:"on"`         // waits for an event
	Settings   *SettingsSpec   `yaml:"settings"`   // takes effect from the next request on
	Aside      *Aside          `yaml:"aside"`      // a side question
}

// Aside is a question of the user beside the conversation (BTW-01, BTW-04).
type Aside struct {
	Ask     Content `yaml:"ask"`
	Context string  `yaml:"context"` // whole (default) or none
	Tools   bool    `yaml:"tools"`   // carried out; else refused
	Turns   int     `yaml:"turns"`   // 0 is one
}

// Script gives an agent exact turns instead of the policy.
type Script struct {
	Agent string `yaml:"agent"` // lineage, or a glob over lineages
	Turns []Turn `yaml:"turns"` // turn n answers call n
}

// Turn is one scripted answer.
type Turn struct {
	Contains string     `yaml:"contains"` // the request must contain this text
	Thinking *Content   `yaml:"thinking"`
	Text     *Content   `yaml:"text"`
	Tools    []ToolTurn `yaml:"tools"`
	Stop     string     `yaml:"stop"`
	// Counts are recorded token counts of this request: position → cumulative
	// tokens (negative positions from the end), and the output's. Of a turn for a
	// request with max_tokens 0 nothing else is read.
	Counts map[int]int64 `yaml:"counts"`
	Output *int64        `yaml:"output"`
	Until  string        `yaml:"until"` // idle: it answers the call that it is for and every further one whose last message is notifications only

	// What the turn does, in a line; one tool use each, behind those of tools.
	Say   *Content  `yaml:"say"`   // what the agent says: text
	Read  string    `yaml:"read"`  // file that it reads
	Grep  string    `yaml:"grep"`  // regular expression that it searches files for
	Glob  string    `yaml:"glob"`  // pattern of the paths that it looks for
	Run   string    `yaml:"run"`   // command that it runs
	Edit  *LineEdit `yaml:"edit"`  // text of a file that it replaces
	Spawn *Spawn    `yaml:"spawn"` // agents that it starts, such as {fork: [a, b], prompt: "Check {}."}
}

// ToolTurn is one scripted tool use.
type ToolTurn struct {
	Name  string `yaml:"name"`
	Input any    `yaml:"input"` // key order is kept; $id(main/1.1) in it is the id of the agent of that lineage
	Raw   string `yaml:"-"`     // the input as JSON, in the file's key order
}

// FanOut says how siblings of one response start (CACHE-29).
type FanOut struct {
	Hold string         `yaml:"hold"` // none (default) or first-response
	Cap  vtime.Duration `yaml:"cap"`  // 5s by default
}

// Limits are the named limits of a run (KRN-06); zero takes the default.
type Limits struct {
	Steps      int64          `yaml:"steps"`
	Time       vtime.Duration `yaml:"time"`
	Processes  int            `yaml:"processes"` // alive at one time
	Agents     int            `yaml:"agents"`    // of the whole run: those that have ended keep a few kilobytes
	Depth      int            `yaml:"depth"`
	Turns      int            `yaml:"turns"`
	Tokens     int64          `yaml:"tokens"` // prompt tokens of one request
	Queue      int            `yaml:"queue"`
	Bytes      int64          `yaml:"bytes"` // of one request
	EvictAfter vtime.Duration `yaml:"evict_after"`
}

// Commands is what comes of commands that the shell does not carry out: builds, tests
// that are none of project.tests, and looks at what was committed before the run. A
// draw belongs to the call's input, which names command and item.
type Commands struct {
	Takes  *rng.Span     `yaml:"takes"`  // left out: what the shell assumes of each
	Output document.Size `yaml:"output"` // tokens that they print
}

// ToolSpec are tool timings and sizes. A time that is drawn belongs to lineage, call
// and the place of the tool use in the answer.
type ToolSpec struct {
	Read, Grep, Glob, Edit *rng.Span
	Commands               Commands `yaml:"commands"`
	ReplaceOver            int      `yaml:"replace_over"` // bytes of a result over which it is replaced by a preview (LOOP-11); 0 is off
	Preview                int      `yaml:"preview"`      // bytes of the preview
}
