package scenarios

import (
	"reflect"
	"strings"

	"agentsim/scenarios/document"
)

// LineEdit replaces a text that a file holds once.
type LineEdit struct {
	File string `yaml:"file"` // path
	Old  string `yaml:"old"`  // text that it holds
	New  string `yaml:"new"`  // what takes its place
}

// Spawn starts an agent for each name.
type Spawn struct {
	Of         []SpawnOf
	Prompt     string // of each, with its name in the place of {}
	Background bool   // nobody waits for them
}

// SpawnOf is the names of the agents of a type.
type SpawnOf struct {
	Type  string // fork starts forks, and subagent general-purpose sub-agents
	Names []string
}

// Decode reads a list of names for each type, and what holds for all.
func (s *Spawn) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	const form = "such as {fork: [orders, store], prompt: \"Check {}.\"}"
	if n.Kind != document.Map {
		d.WrongType(n, at, "a mapping of types to names", form)
		return
	}
	for _, p := range n.Pairs {
		sub := at.Field(p.Key)
		switch {
		case p.Key == "prompt":
			s.Prompt = d.Str(p.Val, sub)
		case p.Key == "background":
			d.Value(p.Val, reflect.ValueOf(&s.Background).Elem(), sub)
		case p.Val.Kind != document.List || len(p.Val.Items) == 0:
			d.WrongType(p.Val, sub, "a list of names", form)
			return
		default:
			of := SpawnOf{Type: p.Key}
			d.Value(p.Val, reflect.ValueOf(&of.Names).Elem(), sub)
			s.Of = append(s.Of, of)
		}
	}
	if len(s.Of) == 0 || strings.TrimSpace(s.Prompt) == "" {
		d.Fail(n, form, "%s names no agents, or not what they do", at.Ctx)
	}
}

// Whole says that it is overridden whole.
func (Spawn) Whole() {}

// lengthen makes text and tool uses of what turns say in a line.
func (s *Scenario) lengthen(d *document.Decoder) {
	for i := range s.Scripts {
		for j := range s.Scripts[i].Turns {
			t := &s.Scripts[i].Turns[j]
			if t.Say != nil && t.Text != nil {
				at := "answers[" + itoa(i) + "].turns[" + itoa(j) + "].say"
				d.Errs.Add(d.Where(at), "keep one of them", "a turn has say and text, which are the same")
			}
			if t.Say != nil {
				t.Text = t.Say
			}
			t.Tools = append(t.Tools, s.uses(t)...)
			t.Say, t.Read, t.Grep, t.Glob, t.Run, t.Edit, t.Spawn = nil, "", "", "", "", nil, nil
		}
	}
}

// uses are the tool uses of a line, in the order of its keys in the schema.
func (s *Scenario) uses(t *Turn) (out []ToolTurn) {
	name := func(full, minimal string) string {
		if s.Stack == MinimalStack {
			return minimal
		}
		return full
	}
	one := func(given bool, tool string, fields ...string) {
		if given {
			out = append(out, ToolTurn{Name: tool, Raw: object(fields...)})
		}
	}
	one(t.Read != "", name("Read", "read_file"), "file_path", t.Read)
	one(t.Grep != "", name("Grep", "grep_search"), "pattern", t.Grep)
	one(t.Glob != "", name("Glob", "list_files"), "pattern", t.Glob)
	one(t.Run != "", name("Bash", "run_shell"), "command", t.Run)
	if e := t.Edit; e != nil {
		one(true, name("Edit", "edit_file"), "file_path", e.File, "old_string", e.Old, "new_string", e.New)
	}
	if t.Spawn == nil {
		return out
	}
	for _, of := range t.Spawn.Of {
		typ := of.Type
		switch typ {
		case "fork":
			typ = ""
		case "subagent":
			typ = s.defaultType()
		}
		for _, child := range of.Names {
			fields := []string{"description", child, "prompt", strings.ReplaceAll(t.Spawn.Prompt, "{}", child)}
			if typ != "" {
				fields = append(fields, name("subagent_type", "type"), typ)
			}
			one(true, name("Agent", "agent"), fields...)
			if last := &out[len(out)-1]; t.Spawn.Background {
				last.Raw = strings.TrimSuffix(last.Raw, "}") + `,"run_in_background":true}`
			}
		}
	}
	return out
}

// object is a JSON object of texts, by key and value.
func object(fields ...string) string {
	var out []string
	for i := 0; i < len(fields); i += 2 {
		out = append(out, document.JSONText(fields[i])+":"+document.JSONText(fields[i+1]))
	}
	return "{" + strings.Join(out, ",") + "}"
}
