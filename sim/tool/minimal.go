package tool

import (
	"fmt"
	"strings"

	"agentsim/sim/llm"
)

// Wire names of the minimal stack's tools that others ask for (MIN-01).
const (
	MinimalAgent = "agent"
	MinimalRead  = "read_file"
	MinimalList  = "list_files"
	MinimalGrep  = "grep_search"
	MinimalShell = "run_shell"
	MinimalEdit  = "edit_file"
)

// minimalTool is a tool of the minimal stack: another name, text and input for
// what a tool of the catalogue does.
type minimalTool struct {
	name, does, about string
	fields            fields
}

// minimalTools are the minimal stack's tools in the order in which they are
// offered. Every input is also one of the tool that acts, so that it is handed
// on as it came.
var minimalTools = []minimalTool{
	{MinimalRead, "Read", "Shows a file with its lines numbered.", fields{
		{name: "file_path", required: true, about: "Path of the file."},
		{name: "offset", typ: integerType, about: "First line to show, from 1."},
		{name: "limit", typ: integerType, about: "Number of lines to show."},
	}},
	{MinimalList, "Glob", "Lists files whose path fits a pattern.", fields{
		{name: "pattern", required: true, about: `Pattern for the path, such as "**/*.go".`},
		{name: "path", about: "Directory to look in; the whole project when left out."},
	}},
	{MinimalGrep, "Grep", "Finds the files in which a regular expression fits a line.", fields{
		{name: "pattern", required: true, about: "Regular expression to look for."},
		{name: "path", about: "Directory or file to look in; the whole project when left out."},
		{name: "glob", about: `Only files whose name fits, such as "*.go".`},
	}},
	{MinimalShell, "Bash", "Runs a shell command and returns what it prints.", fields{
		{name: "command", required: true, about: "The command line."},
		{name: "timeout", typ: integerType, about: "Longest run in milliseconds."},
	}},
	{"write_file", "Write", "Writes a file, new or in place of an old one.", fields{
		{name: "file_path", required: true, about: "Path of the file."},
		{name: "content", required: true, about: "Everything it shall hold."},
	}},
	{MinimalEdit, "Edit", "Replaces a text that stands once in a file by another. Read the file first.", fields{
		{name: "file_path", required: true, about: "Path of the file."},
		{name: "old_string", required: true, about: "The text to replace, exactly as it stands."},
		{name: "new_string", required: true, about: "The text to put in its place."},
	}},
	{name: MinimalAgent, does: AgentName},
	{"skill", "Skill", "Runs a skill by its name.", fields{
		{name: "skill", required: true, about: "Name of the skill."},
		{name: "args", about: "What to give it, as one text."},
	}},
}

// Minimal is the minimal stack's tools made from those of a catalogue, each with
// the class, safety and time of the one that does its work. types are the
// agents that its agent tool may start, in the order in which they are listed.
func Minimal(all []*Tool, types []AgentType) []*Tool {
	out := make([]*Tool, len(minimalTools))
	for i := range minimalTools {
		m := &minimalTools[i]
		t := *Find(all, m.does)
		t.Name, t.canonical, t.Aliases, t.OptIn = m.name, m.does, nil, false
		t.Description, t.fields = m.about, m.fields
		if m.does == AgentName {
			t.Description, t.fields = minimalAgentText(types), minimalAgentFields(types)
		}
		t.Schema = t.fields.schema()
		if act := t.Run; act != nil {
			t.Run = func(e *Env, p *llm.Payload) Result { return m.run(e, p, act) }
		}
		out[i] = &t
	}
	return out
}

// run checks an input against the minimal fields and lets the tool act that
// does the work. Where that one names tools of its own stack in an error, the
// names of this one stand.
func (m *minimalTool) run(e *Env, p *llm.Payload, act func(*Env, *llm.Payload) Result) Result {
	var in input
	if err := m.fields.read(p.Raw(), &in); err != nil {
		return badInput(m.name, err)
	}
	r := act(e, p)
	if !r.IsError {
		return r
	}
	text := r.Content.Raw()
	whole := text
	if rest, ok := strings.CutPrefix(text, m.does+": "); ok {
		text = m.name + ": " + rest
	}
	if rest, ok := strings.CutSuffix(text, " with Glob"); ok {
		text = rest + " with " + MinimalList
	}
	if text != whole {
		r.Content = llm.NewText(llm.Prose, text)
	}
	return r
}

func minimalAgentText(types []AgentType) string {
	var b strings.Builder
	b.WriteString("Starts a sub-agent that works on a task by itself, with a conversation of its own, and returns what it says. Types:")
	for i, t := range types {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " '%s' (%s)", t.Name, t.WhenFor)
	}
	return b.String() + "."
}

// MinimalDefault is the type of a sub-agent whose call names none (MIN-01).
const MinimalDefault = "general"

// MinimalError opens the result of a sub-agent that failed (MIN-04).
const MinimalError = "Sub-agent error: "

// minimalDescription stands where a call describes nothing. (S1)
const minimalDescription = "sub-agent task"

func minimalAgentFields(types []AgentType) fields {
	var names []string
	for _, t := range types {
		names = append(names, t.Name)
	}
	return fields{
		{name: "description", required: true, about: "The sub-agent's task in three to five words."},
		{name: "prompt", required: true, about: "The whole task, in detail."},
		{name: "type", enum: names, about: "Type of sub-agent; " + MinimalDefault + " when left out."},
	}
}

// ParseMinimalAgent checks a call of the minimal stack's agent tool. What the
// model left out of description and type has a default, although the schema asks
// for the first; whether there is such a type is for the caller to find out. An
// empty prompt is an error, since no API takes an empty message.
func ParseMinimalAgent(p *llm.Payload) (AgentInput, error) {
	fs := minimalAgentFields(nil)
	for i := range fs {
		fs[i].required = false
	}
	var in input
	if err := fs.read(p.Raw(), &in); err != nil {
		return AgentInput{}, err
	}
	out := AgentInput{Description: in[0].text(), Prompt: in[1].text(), Type: in[2].text()}
	if strings.TrimSpace(out.Prompt) == "" {
		return AgentInput{}, emptyField("prompt")
	}
	if out.Description == "" {
		out.Description = minimalDescription
	}
	if out.Type == "" {
		out.Type = MinimalDefault
	}
	return out, nil
}
