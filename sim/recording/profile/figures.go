package profile

import (
	"cmp"
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

// Roles lists them.
var Roles = []string{Main, SubAgent, Fork, Hidden}

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
	Thousandth Unit = "share of each" // thousandths of something that each agent or request has; its floor is a distance
	Share      Unit = "share of all"
)

// Kind is a figure that profiles may hold.
type Kind struct {
	Name string
	Unit Unit
	Is   string // what it counts, for people
	need need
	head bool // also by type of agents however few threads
}

// Kinds are the figures of a role.
var Kinds = []Kind{
	{"first_prompt", Tokens, "prompt of an agent's first request", usage, true},
	{"first_warm", Thousandth, "part of the first prompt that the cache already held", usage, true},
	{"head_tools", Tokens, "tool definitions at the start of the prompt", headTokens, true},
	{"head_system", Tokens, "system prompt", headTokens, true},
	{"last_prompt", Tokens, "prompt of an agent's last recorded request", usage, false},
	{"calls", Count, "recorded requests of an agent", usage, false},
	{"calls_whole", Count, "requests of an agent, with a last one that is not recorded", partial, false},
	{"input_units", Tokens, "input of an agent as if uncached (write × 1.25, read × 0.1)", usage, false},
	{"user_turns", Count, "messages of the user to an agent", usage, false},
	{"turn_requests", Count, "requests that follow one message of the user", usage, false},
	{"turn_requests_few", Count, "requests that follow one message of the user, in sessions of at most four", usage, false},
	{"growth", Tokens, "growth of the prompt from one request to the next", usage, false},
	{"growth_user", Tokens, "growth of the prompt where the user wrote", usage, false},
	{"growth_results", Tokens, "growth of the prompt where tool results came", usage, false},
	{"growth_fifth_1", Tokens, "growth of the prompt in the first fifth of an agent's requests", usage, false},
	{"growth_fifth_2", Tokens, "growth of the prompt in the second fifth", usage, false},
	{"growth_fifth_3", Tokens, "growth of the prompt in the third fifth", usage, false},
	{"growth_fifth_4", Tokens, "growth of the prompt in the fourth fifth", usage, false},
	{"growth_fifth_5", Tokens, "growth of the prompt in the last fifth", usage, false},
	{"drop", Share, "requests with a smaller prompt than the one before, compactions apart", usage, false},
	{"drop_depth", Thousandth, "part of the prompt that is gone where it became smaller", usage, false},
	{"output", Tokens, "answer, where the recording has its final size", outputs, false},
	{"thinking", Share, "answers with thinking", whole, false},
	{"thinking_bytes", Bytes, "thinking of an answer, where it is in clear", whole, false},
	{"text", Share, "answers with text", whole, false},
	{"text_bytes", Bytes, "text of an answer that has some", whole, false},
	{"tool_uses", Count, "tool uses of an agent", toolUses, false},
	{"response_tools", Count, "tool uses of an answer that has any", toolUses, false},
	{"one_tool", Share, "answers with one tool use, of those that have any", toolUses, false},
	{"failed", Share, "tool results that are errors", toolUses, false},
	{"cancelled", Share, "tool results that say the use was cancelled or refused", content, false},
	{"spawns", Count, "agents that one answer started, where it started any", toolUses, false},
	{"spawn_prompt", Tokens, "prompt of the request whose answer started an agent", spawns, false},
	{"background", Share, "started agents that nobody waited for", spawns, false},
	{"prompt_bytes", Bytes, "prompt that an agent was started with", content, false},
	{"report_bytes", Bytes, "result that an agent returned", toolUses, false},
	{"overlap_parent", Thousandth, "part of an agent's Read bytes that its parent had read", content, false},
	{"overlap_parent_bytes", Share, "Read bytes of all agents that their parents had read", content, false},
	{"overlap_parent_files", Share, "reads of files that the parent had read", content, false},
	{"overlap_siblings", Thousandth, "part of an agent's Read bytes that an earlier sibling had read", content, false},
	{"overlap_siblings_bytes", Share, "Read bytes of all agents that an earlier sibling had read", content, false},
	{"overlap_blocks", Thousandth, "part of an agent's blocks that its parent's prompt holds", content, false},
	{"user_gap", Millis, "time from the last answer to the user's next message", usage, false},
	{"late", Share, "requests more than 5 minutes after the last answer", usage, false},
	{"late_gap", Millis, "time since the last answer, where it is more than 5 minutes", usage, false},
	{"expired_depth", Thousandth, "part of the cached prompt that a request after the TTL did not read", usage, false},
	{"miss", Share, "requests within the TTL that read less than was left for them", usage, false},
	{"miss_depth", Thousandth, "part of the cached prompt that a miss within the TTL did not read", usage, false},
	{"hidden", Share, "requests that read more than was left: a hidden one came before", usage, false},
	{"compactions", Count, "compactions of an agent", usage, false},
	{"compacted_from", Tokens, "prompt before a compaction", usage, false},
	{"compacted_to", Tokens, "prompt after a compaction", usage, false},
}

// toolKinds are the figures of a tool, which stand behind its name and a dot.
var toolKinds = []Kind{
	{Name: "mix", Unit: Share, Is: "of all tool uses"},
	{Name: "bytes", Unit: Bytes, Is: "size of a result"},
	{Name: "time", Unit: Millis, Is: "time from the use to its result"},
	{Name: "growth", Unit: Tokens, Is: "growth of the prompt by an answer with one use of it"},
	{Name: "failed", Unit: Share, Is: "results that are errors"},
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
	_, list, i := place(name)
	if i < 0 {
		return nil
	}
	return &list[i]
}

// place is where a figure of that name is listed, and the tool that it is of; -1 where
// no figure has the name.
func place(name string) (tool string, list []Kind, i int) {
	tool, figure, ok := strings.Cut(name, ".")
	if ok && slices.Contains(toolNames, tool) {
		list = toolKinds
	} else {
		tool, figure, list = "", name, Kinds
	}
	return tool, list, slices.IndexFunc(list, func(k Kind) bool { return k.Name == figure })
}

// Compare orders figures as Kinds lists them, those of tools after others, by tool.
func Compare(a, b string) int {
	x, _, i := place(a)
	y, _, j := place(b)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(i, j))
}

// Label says what a figure of that name is; of what is none, the name in words.
func Label(name string) string {
	tool, list, i := place(name)
	switch {
	case i < 0:
		return strings.ReplaceAll(name, "_", " ")
	case tool != "":
		return tool + ": " + list[i].Is
	}
	return list[i].Is
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
