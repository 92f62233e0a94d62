package client

const (
	design   = "the design documents of this stack"
	pages    = "code.claude.com/docs/en, copy of 2026-10-08"
	sdkTypes = "the vendor's mods/types/claude-code.d.ts, 2.1.277"
	study    = "an earlier study of real clients, 2.1.330, 2026-11-21"
	sessions = "two recorded sessions of 2.1.178, 2026-06-16"

	noPlace = "the design documents do not say where it is"
	byName  = "which of the client's own tools are there by their names alone, as 23 of them did in 2.1.178"
	order   = "the order of what opens a conversation is known of 2.1.178, not of 2.1.330"
)

// memory is what both layouts read: the design documents name CLAUDE.md alone.
var memory = []MemoryFile{
	{Managed, "CLAUDE.md", pages},
	{User, ".claude/CLAUDE.md", pages},
	{User, ".claude/rules/", pages},
	{Project, "CLAUDE.md", pages},
	{Project, ".claude/CLAUDE.md", pages + "; its place among those of a directory: a third party, 2026-09-28"},
	{Project, ".claude/rules/", pages + "; its place likewise"},
	{Project, "CLAUDE.local.md", pages + "; its place likewise"},
}

// tools are those of a session without a team, in the words of the simulation.
var tools = []string{"Agent", "TaskOutput", "EnterPlanMode", "ExitPlanMode", "AskUserQuestion", "TaskStop", "Read", "Grep", "Glob", "Edit",
	"Write", "NotebookEdit", "Bash", "WebFetch", "WebSearch", "TodoWrite"}

// layouts are what is known of clients.
var layouts = []Layout{
	{Name: Seeds, Date: "2026-03-31", Memory: memory, Tools: tools, Rows: []Row{
		{Kind: Tool, Main: Tools, Sub: Tools, Lean: Tools, Source: design},
		{Kind: Prompt, Main: System, Source: design},
		{Kind: Types, Main: Tools, Sub: Tools, Lean: Tools, Source: design, Needs: "Agent"},
		{Kind: MCPTool, Main: Tools, Sub: Tools, Lean: Tools, Source: design},
		{Kind: Environment, Main: System, Sub: System, Lean: System, Source: design},
		{Kind: Git, Main: System, Sub: System, Source: design},
		{Kind: Memory, Main: UserContext, Sub: UserContext, Source: design},
		{Kind: AutoMemory, Main: UserContext, Source: design, NotVerified: noPlace},
		{Kind: ServerText, Main: UserContext, Sub: UserContext, Lean: UserContext, Source: design, NotVerified: noPlace},
		{Kind: Skills, Main: UserContext, Sub: UserContext, Lean: UserContext, Source: design, NotVerified: noPlace, Needs: "Skill",
			FallbackBytes: 8_000, DescriptionBytes: 1_536},
	}},
	{Name: Default, Date: "2026-11-28", Memory: memory, Tools: tools, KeepsLost: true, Rows: []Row{
		{Kind: Tool, Main: Tools, Sub: Tools, Lean: Tools, Source: study, NotVerified: byName},
		{Kind: Prompt, Main: System, Source: study},
		{Kind: MCPTool, Main: Tools, Sub: Tools, Lean: Tools, Source: pages},
		{Kind: Environment, Main: Opening, Sub: System, Lean: System, Source: pages, NotVerified: order},
		{Kind: Git, Main: Opening, Sub: Opening, Source: pages, NotVerified: order + "; that status is cut at 2,000 characters"},
		{Kind: Memory, Main: UserContext, Sub: UserContext, Source: sdkTypes, NotVerified: ImportsBehind},
		{Kind: AutoMemory, Main: UserContext, Source: pages},
		{Kind: Deferred, Main: Attachment, Sub: Attachment, Lean: Attachment, Source: sessions, NotVerified: order},
		{Kind: Types, Main: Attachment, Sub: Attachment, Lean: Attachment, Source: sessions, NotVerified: order, Needs: "Agent"},
		{Kind: ServerText, Main: Attachment, Sub: Attachment, Lean: Attachment, Source: sessions, NotVerified: order},
		{Kind: Skills, Main: Attachment, Sub: Attachment, Lean: Attachment, Source: sessions, NotVerified: order + "; whether sub-agents have the listing", Needs: "Skill",
			BudgetPermille: 10, FallbackBytes: 8_000, DescriptionBytes: 1_536},
	}},
}
