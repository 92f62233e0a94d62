package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Options are what a run was told beforehand.
type Options struct {
	// Rerender says that forks render anew what they inherit, which exists to show
	// what is lost: what a fork shares with its parent is not checked then.
	Rerender bool
	// LateExpiry is how long a cache entry may be read after its lifetime.
	LateExpiry vtime.Duration
	// EvictAfter is how long after its end an agent's output stays in memory; 0 is
	// as long as the run.
	EvictAfter vtime.Duration
	// OwnPrompts says that roots have system prompts of the scenario's own.
	OwnPrompts bool
	// Handoffs is the script of the classifier; nil where there is none to check.
	Handoffs *Handoffs
	// TypedChildren says that a fork's call that names a type starts such an agent.
	TypedChildren bool
	// Session is what the session's agents are to be; nil leaves unchecked what
	// follows from it.
	Session *Session
}

// Session is what a run's session allows, and what its agents are to be.
type Session struct {
	Deny, Ask, Allow []string                  // rules of permission as they are written, the command line's among the allowed
	Allowed          map[string][]string       // by agent type: the rules that it may use besides
	Everyone         []string                  // the command line's rules to allow, which every agent keeps
	Took             map[string]vtime.Duration // how long calls of a tool take that always take as long
	Children         string                    // mode of a child whose definition names none; "" is its parent's
	Depth, Turns     int                       // limits; 0 is none
	Minimal          bool                      // the minimal stack
	Elsewhere        bool                      // forks have another directory than their parent
	Model            string                    // of sub-agents whose definition names none; "" is their parent's
	Aliases          map[string]string         // of models
	Types            map[string]Type           // of agents
	Interactive      bool
	ClaudeMd         bool                       // agents have it in their user context
	GitStatus        bool                       // and git status in front of them
	Gates            map[string]bool            // those that are on as the run begins; USER_TYPE is, where it is ant
	TTL, ChildTTL    llm.TTL                    // lifetime at the markers of roots and forks, and of sub-agents
	ShortAt          vtime.Duration             // from when on roots and forks have 5m; 0 is never
	HeadMarked       bool                       // every request is marked at its last block
	Retries          int                        // further tries of a call
	Full             func(model string) int64   // tokens that fill a model's window, 0 for no number; nil never asks for a summary
	Interrupts       map[string][]vtime.Instant // by root: when its user interrupts it, in order
	SharedMarked     bool                       // the last system block that all types share is marked
	SideBySide       bool                       // sub-agents of the minimal stack run at one time
	Roots            map[string]Root            // by lineage
	Offered          []string                   // tools of the session, in order
	Catalogue        []string                   // all tools that definitions may name, in order
	Laid             bool                       // requests have the layout of a client of today: what stands in front is not checked then
	Own              []string                   // tools whose definitions are a real client's, whatever the gates say
	OwnAgentTool     bool                       // the Agent tool's definition is a real client's, whatever the gates say
	Scratchpad       string                     // directory of it
	Answers          []Answer                   // of users, the first that fits
	Heads            bool                       // heads hold more than this stack puts there: what their type says, and context of the session
	Over, Preview    int                        // bytes of a result above which it is replaced, 0 for never, and those that its preview keeps
	MaxTokens        int64                      // that an answer may have
	RetryBase        vtime.Duration             // wait before the first further try, doubled up to
	RetryCap         vtime.Duration
	Timing           *Timing                                  // of calls of the model; nil is not checked
	Linked           []string                                 // directories that worktrees share
	Link             *vtime.Duration                          // latency of the link to remote environments, nil where there are none
	NoCommit         string                                   // why there are no worktrees as the run begins, "" where there are
	PluginsOnly      bool                                     // agents of others bring no MCP servers
	Servers          *Servers                                 // whose tools agents have; nil for none
	File             func(path string) (text string, ok bool) // of the project as the run begins
}

// coordinates reports whether the session begins with a coordinator.
func (s *Session) coordinates() bool {
	return s.Gates["COORDINATOR_MODE"] && s.Gates["CLAUDE_CODE_COORDINATOR_MODE"]
}

// Root is what a root is to be.
type Root struct {
	Model       string
	Tools       []string        // of them, its own; nil are the session's
	MaxTurns    int             // 0 is the run's limit
	Settings    []llm.Settings  // of its requests: the first, and those that its user puts in their place
	Messages    int             // of its user, by the script: those that wait for no event
	Warms       bool            // some requests ask for no tokens
	Bare        bool            // no user context, no system context
	Kills       []vtime.Instant // when its user kills all agents, and
	Acts        []Act           // on events
	Backgrounds []vtime.Instant // when its user sends to the background whom it waits for, by the script
}

// Act is what a user does on the nth event of a kind, of an agent and about a tool where
// they are named.
type Act struct {
	Kind, Agent, Tool                   string
	Nth                                 int
	Speaks, Interrupt, Background, Kill bool
}

// Answer is what a user answers a question: to whom, about what, and allow, deny, edit,
// never, or "" where the script says it of some of these questions only.
type Answer struct{ Agent, Rule, Reply string }

// Hook is what a definition has run on an event.
type Hook struct{ Event, Matcher, Command string }

// Type is what a definition says of its agents.
type Type struct {
	Listed     bool // calls may name it
	BuiltIn    bool
	About      string   // when to use it
	Tools      []string // that it allows; nil are all
	Disallowed []string
	Skills     []string
	Initial    string // what stands in front of its agents' first message
	Memory     string // scope of what its agents remember; "" is none
	Effort     string
	Isolation  string   // worktree, remote or none
	Refused    bool     // no agent of it can be started
	Servers    []string // MCP servers of the session whose tools it names
	Inline     []string // MCP servers that its agents open
	Required   []string // MCP servers without which none starts
	Trusted    bool     // its agents may bring servers whatever the session says
	Model      string
	Mode       string
	MaxTurns   int // 0 is none of its own
	OmitClaude bool
	OmitGit    bool
	Background bool
	TTL        *llm.TTL // at the markers of its agents; nil is the session's
	Hooks      []Hook
	Brings     bool          // its agents begin with memories, skills or a first word of their own
	Prompt     func() string // as the run begins; nil where there is none
}

// Handoffs is what a run's classifier of hand-offs was told beforehand.
type Handoffs struct {
	Marks mark.Key // of the run, by which injections are known in bytes
	On    bool     // the gate as the run begins
	Rules []Handoff
}

// Handoff is the verdict on a transcript that holds a taint.
type Handoff struct {
	Taint   string
	Verdict transcript.Verdict
}
