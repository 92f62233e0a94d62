package wire

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// Treatment says what becomes of a field of a body.
type Treatment uint8

// The treatments.
const (
	Modelled    Treatment = iota // it has its effect in blocks, marks or settings
	Recorded                     // it changes no token of the prompt
	NotModelled                  // it changes what the model is given, and that is not simulated
	Unknown                      // it is not in the published API
)

func (t Treatment) String() string {
	return [...]string{"modelled", "recorded", "not modelled", "unknown"}[t]
}

// Field is a field of a body beside tools, system and messages.
type Field struct {
	Name      string
	Treatment Treatment
	Value     string // JSON without white space
}

// treatments says what becomes of each known field. It follows the request types
// of the vendor's SDK for TypeScript 1.12.0 and for Go 2.13.0.
var treatments = map[string]Treatment{
	"model": Modelled, "max_tokens": Modelled, "tool_choice": Modelled, "stream": Modelled, "stop_sequences": Modelled,
	"cache_control": Modelled, "thinking": Modelled, "output_config": Modelled, "output_format": Modelled, "speed": Modelled,
	"inference_geo": Modelled, "diagnostics": Modelled,

	"metadata": Recorded, "service_tier": Recorded, "user_profile_id": Recorded, "temperature": Recorded, "top_p": Recorded, "top_k": Recorded,

	"context_management": NotModelled, "compaction": NotModelled, "thread": NotModelled,
}

// refused are fields that make the server add what stands in no body.
var refused = []string{"container", "mcp_servers", "fallbacks", "fallback_credit_token", "billing_policy", "betas"}

// refusedTools begin the types of tools that the server runs itself.
var refusedTools = []string{"web_search_", "web_fetch_", "code_execution_", "advisor_", "mcp_toolset"}

// toolTypes are the types of tools that the client runs, of the same SDKs.
var toolTypes = strings.Fields(`custom bash_20241022 bash_20250124 computer_20241022 computer_20250124 computer_20251124 computer_toolset_20260801
	browser_toolset_20260801 memory_20250818 text_editor_20241022 text_editor_20250124 text_editor_20250429 text_editor_20250728
	tool_search_tool_bm25 tool_search_tool_bm25_20251119 tool_search_tool_regex tool_search_tool_regex_20251119`)

// parts are the keys of what is an object of its own, of the same SDKs.
var parts = map[string][]string{
	"a tool": strings.Fields(`type name description input_schema input_examples strict allowed_callers defer_loading eager_input_streaming cache_control
		display_width_px display_height_px display_number enable_zoom max_characters configs`),
	"cache_control": {"type", "ttl"},
	"thinking":      {"type", "budget_tokens", "display", "block_binding"},
	"output_config": {"effort", "format", "task_budget"},
	"tool_choice":   {"type", "name", "disable_parallel_tool_use"},
}

// InBlocks reports whether an unknown thing is part of a block, whose bytes are compared.
func (u *Unread) InBlocks() bool {
	_, beside := parts[strings.TrimPrefix(u.What, "field of ")]
	return u.What != "field" && u.What != "beta" && (!beside || u.What == "field of a tool")
}

// only counts the keys of an object that the API does not have.
func (p *parser) only(what string, members []member) {
	for _, m := range members {
		if !slices.Contains(parts[what], m.key) {
			p.unknown("field of "+what, m.key, m.at)
		}
	}
}

// object are the members of a value that need not be one.
func (p *parser) object(v value) []member {
	if v.first() != '{' {
		return nil
	}
	return p.members(v, "")
}

// fields takes what stands beside the blocks, and sets what it decides.
func (p *parser) fields(top []member) {
	for _, m := range top {
		switch m.key {
		case "tools", "system", "messages":
			continue
		case "betas":
			if p.opt.Logged { // a client that writes its bodies to files adds the header's betas
				p.betas(m.value)
				continue
			}
		}
		if slices.Contains(refused, m.key) {
			p.fail(m.at, "%s: what it makes the server do is not simulated", m.key)
		}
		t, known := treatments[m.key]
		if !known {
			t = Unknown
			p.unknown("field", m.key, m.at)
		}
		p.body.Fields = append(p.body.Fields, Field{m.key, t, compact(m.value)})
		p.setting(m)
	}
	slices.SortFunc(p.body.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
}

// knownBetas are the betas of the vendor's SDK for Go 2.13.0, and those with which
// Claude Code tells who it is.
//
//go:embed betas.txt
var knownBetas string

// betas takes the betas that a file names.
func (p *parser) betas(v value) {
	json.Unmarshal(v.text, &p.body.Betas) // of another type it names none
	for _, b := range p.body.Betas {
		if !strings.Contains("\n"+knownBetas, "\n"+b+"\n") {
			p.unknown("beta", b, v.at)
		}
	}
}

// setting sets what one field decides.
func (p *parser) setting(m member) {
	b := p.body
	switch m.key {
	case "model":
		b.Model = p.text(m.value, m.key)
	case "max_tokens":
		p.decode(m, &b.MaxTokens)
	case "speed":
		b.Settings.Speed = p.text(m.value, m.key)
	case "thinking":
		p.only(m.key, p.object(m.value))
		p.thinking(m)
	case "output_config":
		b.Settings.Effort = p.effort(m)
	case "tool_choice":
		p.only(m.key, p.object(m.value))
		p.toolChoice(m)
	case "cache_control":
		b.AutoTTL, b.Automatic = p.lifetime(m.value), string(m.text) != "null"
	}
}

// decode reads a value into dst.
func (p *parser) decode(m member, dst any) {
	if err := json.Unmarshal(m.text, dst); err != nil {
		p.fail(m.value.at, "%s: %v", m.key, word(err.Error()))
	}
}

func (p *parser) thinking(m member) {
	var v struct {
		Type   string
		Budget int64 `json:"budget_tokens"`
	}
	p.decode(m, &v)
	for mode := llm.ThinkingDisabled; mode <= llm.ThinkingBetweenTools; mode++ {
		if v.Type == mode.String() {
			p.body.Settings.Thinking, p.body.Settings.ThinkingBudget = mode, v.Budget
			return
		}
	}
	p.fail(m.value.at, "thinking.type %q; it must be disabled, enabled, adaptive or between_tools", word(v.Type))
}

// effort is what an output_config asks for, "" where it does not say.
func (p *parser) effort(m member) string {
	var v struct{ Effort string }
	p.decode(m, &v)
	p.only("output_config", p.object(m.value))
	return v.Effort
}

func (p *parser) toolChoice(m member) {
	var v struct {
		Type, Name string
		Alone      bool `json:"disable_parallel_tool_use"`
	}
	p.decode(m, &v)
	s := &p.body.Settings
	switch s.ToolChoice, s.DisableParallel = v.Type, v.Alone; v.Type {
	case "auto", "none", "any":
	case "tool":
		s.ToolChoice = "tool:" + v.Name
	default:
		p.fail(m.value.at, "tool_choice.type %q; it must be auto, any, none or tool", word(v.Type))
	}
}

// lifetime reads a cache_control.
func (p *parser) lifetime(v value) llm.TTL {
	var c *struct{ Type, TTL string }
	p.decode(member{key: "cache_control", value: v}, &c)
	p.only("cache_control", p.object(v))
	switch {
	case c == nil:
	case c.Type != "ephemeral":
		p.fail(v.at, "cache_control.type %q; it must be ephemeral", word(c.Type))
	case c.TTL == "1h":
		return llm.TTL1h
	case c.TTL != "" && c.TTL != "5m":
		p.fail(v.at, "cache_control.ttl %q; it must be 5m or 1h", word(c.TTL))
	}
	return llm.TTL5m
}
