package transcript

import "agentsim/sim/llm"

// AgentStart is a new agent, or a new activation of one.
type AgentStart struct {
	ID         llm.AgentID
	Lineage    string // "main", "main/12.3"
	Parent     int32  // ordinal of the parent, -1 for a root
	Type       string // definition's name: "main", "general-purpose", "Explore", "fork"
	Structure  Structure
	Model      string
	Depth      int
	Chain      uint64 // query chain id
	PoolMode   string
	RunMode    string
	Async      bool
	Source     string // query source, such as agent:builtin:fork
	Activation int
	MaxTurns   int           // after which it ends (LOOP-05); of a root, for each message of its user
	Tools      []string      // wire names in the pool, in order
	ToolUse    llm.ToolUseID // the call that spawned it; zero for a root
	Name       string        // under which its starter can send it messages, "" for none
	Context    ContextFacts
}

// ContextFacts is what the isolated context was made with (ISO).
type ContextFacts struct {
	FileCache     string // empty, cloned, own
	FilesKnown    int
	Abort         string // root, linked, unlinked
	SetAppState   string // root, shared, no-op
	AvoidPrompts  bool
	Replacements  int      // content-replacement decisions it started with
	Thinking      bool     // thinking on
	UserContext   []string // names of user-context parts present, such as claudeMd, date
	SystemContext []string // likewise for system context, such as gitStatus
}

func (*AgentStart) Kind() Kind { return KindAgentStart }

func (b *AgentStart) AppendText(dst []byte) []byte {
	dst = append(dst, " id=a"...)
	dst = appendHex(dst, uint64(b.ID))
	dst = appendStr(dst, " lineage=", b.Lineage)
	dst = appendRef(dst, " parent=", b.Parent)
	dst = optStr(dst, " type=", b.Type)
	dst = optStr(dst, " structure=", string(b.Structure))
	dst = optStr(dst, " model=", b.Model)
	dst = appendInt(dst, " depth=", b.Depth)
	dst = append(dst, " chain="...)
	dst = appendHex(dst, b.Chain)
	dst = optStr(dst, " pool_mode=", b.PoolMode)
	dst = optStr(dst, " run_mode=", b.RunMode)
	dst = optFlag(dst, " async=", b.Async)
	dst = optStr(dst, " source=", b.Source)
	dst = optInt(dst, " activation=", b.Activation)
	dst = optInt(dst, " max_turns=", b.MaxTurns)
	dst = optToolUse(dst, " tool_use=", b.ToolUse)
	dst = optStr(dst, " name=", b.Name)
	dst = optList(dst, " tools=", b.Tools)
	return b.Context.AppendText(dst)
}

// AppendText appends the facts as a line has them.
func (c *ContextFacts) AppendText(dst []byte) []byte {
	dst = optStr(dst, " file_cache=", c.FileCache)
	dst = optInt(dst, " files_known=", c.FilesKnown)
	dst = optStr(dst, " abort=", c.Abort)
	dst = optStr(dst, " set_app_state=", c.SetAppState)
	dst = optFlag(dst, " avoid_prompts=", c.AvoidPrompts)
	dst = optInt(dst, " replacements=", c.Replacements)
	dst = optFlag(dst, " thinking=", c.Thinking)
	dst = optList(dst, " user_context=", c.UserContext)
	return optList(dst, " system_context=", c.SystemContext)
}
