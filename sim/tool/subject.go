package tool

import (
	"path"
	"strings"

	"agentsim/sim/llm"
)

// subjectOf names the input field that permission rules speak of, by tool.
var subjectOf = [...]struct{ tool, field string }{
	{"Bash", "command"}, {"Read", "file_path"}, {"Edit", "file_path"}, {"Write", "file_path"}, {"NotebookEdit", "notebook_path"},
	{"Grep", "path"}, {"Glob", "path"}, {AgentName, "subagent_type"}, {"Skill", "skill"}, {"WebFetch", "url"},
}

// Subject is what a call's specifiers speak of: a command line, a path relative to
// the root, a type, a domain. It is "" where the tool has none or the input is not
// readable.
func (t *Tool) Subject(p *llm.Payload, root string) string {
	want := ""
	for _, s := range subjectOf {
		if s.tool == t.Name {
			want = s.field
		}
	}
	v := fieldText(p, want)
	switch {
	case v == "" || want == "":
		return ""
	case want == "url":
		_, rest, _ := strings.Cut(v, "://")
		host, _, _ := strings.Cut(rest, "/")
		return "domain:" + host
	case path.IsAbs(v) && strings.HasPrefix(path.Clean(v)+"/", root+"/"):
		return strings.TrimPrefix(path.Clean(v), root+"/")
	}
	return v
}

// fieldText is a text field of an input, "" if there is none.
func fieldText(p *llm.Payload, field string) string {
	s := scanner{s: p.Raw()}
	if s.open() != nil {
		return ""
	}
	for {
		name, v, more, err := s.next()
		if err != nil || !more {
			return ""
		}
		if name.text() == field && v.kind == jsonString {
			return v.text()
		}
	}
}
