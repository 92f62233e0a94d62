package transcript

import (
	"reflect"

	"agentsim/sim/llm"
)

// AgentStart is a new agent, or a new activation of one.
type AgentStart struct {
	ID         llm.AgentID   `text:"id"`
	Lineage    string        `text:"lineage"`      // "main", "main/12.3"
	Parent     int32         `text:"parent,agent"` // ordinal of the parent, -1 for a root
	Type       string        `text:"type,opt"`     // definition's name: "main", "general-purpose", "Explore", "fork"
	Structure  Structure     `text:"structure,opt"`
	Model      string        `text:"model,opt"`
	Depth      int           `text:"depth"`
	Chain      uint64        `text:"chain,hex"` // query chain id
	PoolMode   string        `text:"pool_mode,opt"`
	RunMode    string        `text:"run_mode,opt"`
	Async      bool          `text:"async,opt"`
	Source     string        `text:"source,opt"` // query source, such as agent:builtin:fork
	Activation int           `text:"activation,opt"`
	MaxTurns   int           `text:"max_turns,opt"` // after which it ends (LOOP-05); of a root, for each message of its user
	ToolUse    llm.ToolUseID `text:"tool_use,opt"`  // the call that spawned it; zero for a root
	Name       string        `text:"name,opt"`      // under which its starter can send it messages, "" for none
	Tools      []string      `text:"tools,opt"`     // wire names in the pool, in order
	Context    ContextFacts
}

// ContextFacts is what the isolated context was made with (ISO).
type ContextFacts struct {
	FileCache     string   `text:"file_cache,opt"` // empty, cloned, own
	FilesKnown    int      `text:"files_known,opt"`
	Abort         string   `text:"abort,opt"`         // root, linked, unlinked
	SetAppState   string   `text:"set_app_state,opt"` // root, shared, no-op
	AvoidPrompts  bool     `text:"avoid_prompts,opt"`
	Replacements  int      `text:"replacements,opt"`   // content-replacement decisions it started with
	Thinking      bool     `text:"thinking,opt"`       // thinking on
	UserContext   []string `text:"user_context,opt"`   // names of user-context parts present, such as claudeMd, date
	SystemContext []string `text:"system_context,opt"` // likewise for system context, such as gitStatus
}

func (*AgentStart) Kind() Kind { return KindAgentStart }

func (b *AgentStart) appendForm(dst []byte) []byte {
	dst = putInt(dst, 1, b.ID)
	dst = putText(dst, 2, b.Lineage)
	dst = putInt(dst, 3, b.Parent)
	dst = putText(dst, 4, b.Type)
	dst = putText(dst, 5, b.Structure)
	dst = putText(dst, 6, b.Model)
	dst = putInt(dst, 7, b.Depth)
	dst = putInt(dst, 8, b.Chain)
	dst = putText(dst, 9, b.PoolMode)
	dst = putText(dst, 10, b.RunMode)
	dst = putFlag(dst, 11, b.Async)
	dst = putText(dst, 12, b.Source)
	dst = putInt(dst, 13, b.Activation)
	dst = putInt(dst, 14, b.MaxTurns)
	dst = putToolUse(dst, 15, b.ToolUse)
	dst = putText(dst, 16, b.Name)
	dst = putList(dst, 17, b.Tools)
	return b.Context.appendForm(dst, 17)
}

// appendForm numbers the facts from the number behind last.
func (c *ContextFacts) appendForm(dst []byte, last byte) []byte {
	dst = putText(dst, last+1, c.FileCache)
	dst = putInt(dst, last+2, c.FilesKnown)
	dst = putText(dst, last+3, c.Abort)
	dst = putText(dst, last+4, c.SetAppState)
	dst = putFlag(dst, last+5, c.AvoidPrompts)
	dst = putInt(dst, last+6, c.Replacements)
	dst = putFlag(dst, last+7, c.Thinking)
	dst = putList(dst, last+8, c.UserContext)
	return putList(dst, last+9, c.SystemContext)
}

var contextPlan = planOf(reflect.TypeFor[ContextFacts]())

// AppendText appends the facts as a line has them.
func (c *ContextFacts) AppendText(dst []byte) []byte {
	n := len(dst)
	return behind(append(c.appendForm(dst, 0), 0), n, contextPlan.appendText)
}
