package profile

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording"
)

// The roles.
const (
	Main     = "main"
	SubAgent = "sub-agent"
	Fork     = "fork"
	Hidden   = "hidden" // threads of the client's own, such as summaries
)

var roleNames = []string{Main, SubAgent, Fork, Hidden}

func roleOf(k recording.ThreadKind) string {
	return map[recording.ThreadKind]string{recording.Main: Main, recording.SubAgent: SubAgent, recording.Fork: Fork, recording.Compact: Hidden}[k]
}

var familyNames = [...]string{tokens.Claude46: "claude-to-4.6", tokens.Claude47: "claude-from-4.7", tokens.Other: "other"}

// FamilyOf is the family of a model.
func FamilyOf(model string) string { return familyNames[tokens.FamilyOf(model)] }

// Convert is so many tokens of one family in those of another, as the counters of
// both weigh prose.
func Convert(n int64, from, to string) int64 {
	weight := func(family string) int64 {
		for f, name := range familyNames {
			if name == family {
				return tokens.Of(tokens.Family(f)).Tokens(prose)
			}
		}
		return tokens.Of(tokens.Other).Tokens(prose)
	}
	return n * weight(to) / weight(from)
}

var prose = llm.Measure{Bytes: [llm.NumClasses]uint32{llm.Prose: 1_000_000}}

// need is what a source must hold for a figure.
type need uint8

const (
	usage      need = iota
	outputs         // bills with final outputs
	content         // what was said
	whole           // content, and of threads that are there whole
	toolUses        // tool uses, by name
	spawns          // who spawned a thread
	partial         // threads whose last request is missing
	headTokens      // sizes of tools and system prompts
)

// why says what sources leave out that hold no sample of a figure.
var why = [...]string{
	usage:      "no such request or step in the sources",
	outputs:    "the recordings hold placeholders of the stream's beginning, or no outputs",
	content:    "the sources hold no such content (rows and databases keep sizes only)",
	whole:      "the sources hold none: content is left out, or progress lines leave it out of their sub-agents, or it is redacted",
	toolUses:   "no such tool use in the sources (rows name none)",
	spawns:     "nothing was spawned there, or the sources do not say by which request",
	partial:    "", // nothing is missing
	headTokens: "only traces tell the sizes of tools and system prompt in tokens",
}

// Unit says what a figure counts.
type Unit string

// The units.
const (
	Tokens     Unit = "tokens"
	Count      Unit = "count"
	Bytes      Unit = "bytes"
	Millis     Unit = "ms"
	Thousandth Unit = "‰" // of something that each thread or request has; its floor is a distance
	Share      Unit = "share"
)

// Kind is a figure that profiles may hold.
type Kind struct {
	Name string
	Unit Unit
	Is   string // what it counts
	need need
	head bool // also by type of agents however few threads
}

// Kinds are the figures of a role.
var Kinds = []Kind{
	{"first_prompt", Tokens, "prompt of a thread's first request", usage, true},
	{"first_warm", Thousandth, "of that prompt already cached", usage, true},
	{"head_tools", Tokens, "tool definitions in front", headTokens, true},
	{"head_system", Tokens, "system prompt in front", headTokens, true},
	{"last_prompt", Tokens, "prompt of the last recorded request", usage, false},
	{"calls", Count, "recorded requests a thread", usage, false},
	{"calls_whole", Count, "the same with the last request of threads that are recorded without", partial, false},
	{"input_units", Tokens, "input a thread in uncached tokens: a write 1.25 whatever its lifetime, a read 0.1", usage, false},
	{"user_turns", Count, "messages of the user a thread", usage, false},
	{"turn_requests", Count, "requests a user turn", usage, false},
	{"turn_requests_few", Count, "the same in sessions of at most four turns", usage, false},
	{"growth", Tokens, "of the prompt a step", usage, false},
	{"growth_user", Tokens, "the same where a message of the user came", usage, false},
	{"growth_results", Tokens, "the same where tool results came", usage, false},
	{"growth_fifth_1", Tokens, "the same in the first fifth of a thread's calls", usage, false},
	{"growth_fifth_2", Tokens, "in the second", usage, false},
	{"growth_fifth_3", Tokens, "in the third", usage, false},
	{"growth_fifth_4", Tokens, "in the fourth", usage, false},
	{"growth_fifth_5", Tokens, "in the last", usage, false},
	{"drop", Share, "of steps whose prompt is smaller than the one before, beside compactions", usage, false},
	{"drop_depth", Thousandth, "of the prompt that is gone then", usage, false},
	{"output", Tokens, "of a request, where it is final", outputs, false},
	{"thinking", Share, "of responses that hold thinking", whole, false},
	{"thinking_bytes", Bytes, "of thinking, where a response holds some in clear", whole, false},
	{"text", Share, "of responses that hold text", whole, false},
	{"text_bytes", Bytes, "of text, where a response holds some", whole, false},
	{"tool_uses", Count, "a thread", toolUses, false},
	{"response_tools", Count, "tool uses of a response that has any", toolUses, false},
	{"one_tool", Share, "of responses with tool uses that have exactly one", toolUses, false},
	{"failed", Share, "of tool results that are errors", toolUses, false},
	{"cancelled", Share, "of tool results that say that the use was cancelled or refused", content, false},
	{"spawns", Count, "agents that one response spawned, where it spawned any", toolUses, false},
	{"spawn_prompt", Tokens, "prompt of the request whose answer spawned a thread", spawns, false},
	{"background", Share, "of spawned threads that nobody waited for", spawns, false},
	{"prompt_bytes", Bytes, "of the prompt that a spawner wrote", content, false},
	{"report_bytes", Bytes, "of the result that came home", toolUses, false},
	{"overlap_parent", Thousandth, "of the bytes that a thread read by Read, lines that the parent had read at the spawn", content, false},
	{"overlap_parent_bytes", Share, "the same of all threads' bytes together", content, false},
	{"overlap_parent_files", Share, "of reads, those of a file that the parent had read", content, false},
	{"overlap_siblings", Thousandth, "of the bytes that a thread read, lines that an earlier sibling had read", content, false},
	{"overlap_siblings_bytes", Share, "the same of all threads' bytes together", content, false},
	{"overlap_blocks", Thousandth, "of a thread's blocks, those of its parent's prompt at the spawn, where blocks have ids", content, false},
	{"user_gap", Millis, "from the last answer to the user's next message", usage, false},
	{"late", Share, "of steps that began over 5 minutes after the last answer", usage, false},
	{"late_gap", Millis, "how long after", usage, false},
	{"expired_depth", Thousandth, "of what was left that steps after the lifetime did not read", usage, false},
	{"miss", Share, "of steps within the lifetime that read less than was left for them", usage, false},
	{"miss_depth", Thousandth, "of what was left that they did not read", usage, false},
	{"hidden", Share, "of steps that read more than was left: an unrecorded request went before", usage, false},
	{"compactions", Count, "a thread", usage, false},
	{"compacted_from", Tokens, "prompt before a compaction", usage, false},
	{"compacted_to", Tokens, "prompt after it", usage, false},
}

// toolKinds are the figures of a tool, which stand behind its name and a dot.
var toolKinds = []Kind{
	{Name: "mix", Unit: Share, Is: "of all tool uses"},
	{Name: "bytes", Unit: Bytes, Is: "of a result"},
	{Name: "time", Unit: Millis, Is: "from the use to its result"},
	{Name: "growth", Unit: Tokens, Is: "of the prompt by a response with this one use"},
	{Name: "failed", Unit: Share, Is: "of results that are errors"},
}

// Apart is how far two values of a figure are apart, in thousandths: the larger over
// the smaller, of shares the distance.
func (u Unit) Apart(a, b int64) int64 {
	if u == Share || u == Thousandth {
		return distance(a, b)
	}
	return ratio(a, b)
}

// KindOf is what a figure of that name is; nil for none.
func KindOf(name string) *Kind {
	list := Kinds
	if tool, figure, ok := strings.Cut(name, "."); ok && slices.Contains(toolNames, tool) {
		list, name = toolKinds, figure
	}
	if i := slices.IndexFunc(list, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Tools that clients bring; others are counted as otherName, those of MCP servers as
// mcpName.
var knownTools = strings.Fields(`Agent ApplyPatch AskUserQuestion Bash BashOutput Edit EnterPlanMode EnterWorktree
	ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LS LSP ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead Read
	ReadMcpResourceTool SendMessage Skill SlashCommand Sleep StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop
	TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Write apply_patch exec_command shell
	spawn_agent update_plan view_image wait_agent write_stdin`)

const (
	otherName = "other"
	mcpName   = "mcp"
)

// toolNames are all names that tools can have in a profile.
var toolNames = append([]string{mcpName, otherName}, knownTools...)

// ToolName is what a profile calls a tool. Task is the Agent tool of older clients.
func ToolName(recorded string) string {
	switch {
	case recorded == "Task":
		return "Agent"
	case slices.Contains(knownTools, recorded):
		return recorded
	case strings.HasPrefix(recorded, "mcp__"):
		return mcpName
	}
	return otherName
}

// spawner reports whether a tool starts an agent.
func spawner(tool string) bool { return ToolName(tool) == "Agent" }

// customName is what types of agents are called that the client does not bring.
const customName = "custom"

var typeNames = append(strings.Fields("Explore Plan general-purpose claude-code-guide statusline-setup output-style-setup fork worker verification"), customName)

// TypeName is what a profile calls a type of agents; "" where it is not known.
func TypeName(recorded string) string {
	if recorded == "" || slices.Contains(typeNames, recorded) {
		return recorded
	}
	return customName
}
