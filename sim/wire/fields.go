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

// fields takes what stands beside the blocks, and sets what it decides.
func (p *parser) fields(top []member) error {
	for _, m := range top {
		switch m.key {
		case "tools", "system", "messages":
			continue
		case "betas":
			if p.opt.Logged { // a client that writes its bodies to files adds the header's betas
				if err := p.betas(m.value); err != nil {
					return err
				}
				continue
			}
		}
		if slices.Contains(refused, m.key) {
			return at(m.at, "%s: what it makes the server do is not simulated", m.key)
		}
		t, known := treatments[m.key]
		if !known {
			t = Unknown
			if err := p.unknown("field", m.key, m.at); err != nil {
				return err
			}
		}
		p.body.Fields = append(p.body.Fields, Field{m.key, t, compact(m.value)})
		if err := p.setting(m); err != nil {
			return err
		}
	}
	slices.SortFunc(p.body.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// knownBetas are the betas of the vendor's SDK for Go 2.13.0, and those with which
// Claude Code tells who it is.
//
//go:embed betas.txt
var knownBetas string

// betas takes the betas that a file names.
func (p *parser) betas(v value) error {
	json.Unmarshal(v.text, &p.body.Betas) // of another type it names none
	for _, b := range p.body.Betas {
		if !strings.Contains("\n"+knownBetas, "\n"+b+"\n") {
			if err := p.unknown("beta", b, v.at); err != nil {
				return err
			}
		}
	}
	return nil
}

// setting sets what one field decides.
func (p *parser) setting(m member) (err error) {
	b := p.body
	switch m.key {
	case "model":
		b.Model, err = text(m.value, m.key)
	case "max_tokens":
		err = decode(m, &b.MaxTokens)
	case "speed":
		b.Settings.Speed, err = text(m.value, m.key)
	case "thinking":
		err = p.thinking(m)
	case "output_config":
		b.Settings.Effort, err = effort(m)
	case "tool_choice":
		err = p.toolChoice(m)
	case "cache_control":
		b.AutoTTL, err = p.lifetime(m.value)
		b.Automatic = err == nil && string(m.text) != "null"
	}
	return err
}

// decode reads a value into dst.
func decode(m member, dst any) error {
	if err := json.Unmarshal(m.text, dst); err != nil {
		return at(m.value.at, "%s: %v", m.key, word(err.Error()))
	}
	return nil
}

func (p *parser) thinking(m member) error {
	var v struct {
		Type   string
		Budget int64 `json:"budget_tokens"`
	}
	if err := decode(m, &v); err != nil {
		return err
	}
	for mode := llm.ThinkingDisabled; mode <= llm.ThinkingBetweenTools; mode++ {
		if v.Type == mode.String() {
			p.body.Settings.Thinking, p.body.Settings.ThinkingBudget = mode, v.Budget
			return nil
		}
	}
	return at(m.value.at, "thinking.type %q; it must be disabled, enabled, adaptive or between_tools", word(v.Type))
}

// effort is what an output_config asks for, "" where it does not say.
func effort(m member) (string, error) {
	var v struct{ Effort string }
	err := decode(m, &v)
	return v.Effort, err
}

func (p *parser) toolChoice(m member) error {
	var v struct {
		Type, Name string
		Alone      bool `json:"disable_parallel_tool_use"`
	}
	if err := decode(m, &v); err != nil {
		return err
	}
	s := &p.body.Settings
	switch s.ToolChoice, s.DisableParallel = v.Type, v.Alone; v.Type {
	case "auto", "none", "any":
	case "tool":
		s.ToolChoice = "tool:" + v.Name
	default:
		return at(m.value.at, "tool_choice.type %q; it must be auto, any, none or tool", word(v.Type))
	}
	return nil
}

// lifetime reads a cache_control.
func (p *parser) lifetime(v value) (llm.TTL, error) {
	var c *struct{ Type, TTL string }
	if err := decode(member{key: "cache_control", value: v}, &c); err != nil || c == nil {
		return llm.TTL5m, err
	}
	switch {
	case c.Type != "ephemeral":
		return 0, at(v.at, "cache_control.type %q; it must be ephemeral", word(c.Type))
	case c.TTL == "1h":
		return llm.TTL1h, nil
	case c.TTL != "" && c.TTL != "5m":
		return 0, at(v.at, "cache_control.ttl %q; it must be 5m or 1h", word(c.TTL))
	}
	return llm.TTL5m, nil
}
