package tool

import (
	"path"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/shell"
)

type subject struct{ tool, field string }

// subjectOf names the input field that permission rules speak of, by tool.
var subjectOf = [...]subject{
	{"Bash", "command"}, {"Read", "file_path"}, {"Edit", "file_path"}, {"Write", "file_path"}, {"NotebookEdit", "notebook_path"},
	{"Grep", "path"}, {"Glob", "path"}, {AgentName, "subagent_type"}, {"Skill", "skill"}, {"WebFetch", "url"},
}

// OfPaths reports whether the subject of the tool's calls is a path.
func (t *Tool) OfPaths() bool {
	return slices.ContainsFunc(subjectOf[:], func(s subject) bool {
		return s.tool == t.CanonicalName() && strings.HasSuffix(s.field, "path")
	})
}

// Subjects are what specifiers of permission rules speak of: the commands of a
// command line, a path relative to the root, a type, a domain. There are none where
// the tool has none or the input is not readable.
func (t *Tool) Subjects(p *llm.Payload, root string) []string {
	want := ""
	for _, s := range subjectOf {
		if s.tool == t.CanonicalName() {
			want = s.field
		}
	}
	v := fieldText(p, want)
	switch {
	case v == "" || want == "":
		return nil
	case want == "command":
		return shell.Commands(v)
	case want == "url":
		_, rest, _ := strings.Cut(v, "://")
		host, _, _ := strings.Cut(rest, "/")
		return []string{"domain:" + host}
	case strings.HasSuffix(want, "path"):
		return []string{strings.TrimPrefix(path.Clean(v), root+"/")}
	}
	return []string{v}
}

// fieldText is a text field of an input, "" if there is none.
func fieldText(p *llm.Payload, field string) string {
	rest, err := object(p.Raw())
	if err != nil {
		return ""
	}
	for {
		name, v, left, ok := member(rest)
		if !ok {
			return ""
		}
		if name.text() == field && v.kind == jsonString {
			return v.text()
		}
		rest = left
	}
}
