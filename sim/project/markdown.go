package project

import (
	"path"
	"strings"

	"agentsim/scenarios/document"
)

// front parts a text in its frontmatter and what follows, which begins on line.
func front(text string) (yaml, body string, line int) {
	if !strings.HasPrefix(text, "---\n") {
		return "", text, 1
	}
	yaml, body, ok := strings.Cut(text[len("---"):]+"\n", "\n---\n")
	if !ok {
		return "", text, 1
	}
	return yaml, strings.TrimSuffix(body, "\n"), 3 + strings.Count(yaml, "\n")
}

var frontLimits = &document.Limits{Of: "frontmatter", Bytes: 64 << 10, Tokens: 4_000, Depth: 32}

// fields reads a frontmatter; nil where it is no mapping.
func fields(yaml string) *document.Node {
	n, bad := frontLimits.Parse(document.NewSource("", yaml), yaml)
	if bad != nil || n.Kind != document.Map {
		return nil
	}
	return n
}

// field is a text of a frontmatter, "" where there is none.
func field(n *document.Node, key string) string {
	if n == nil || n.Get(key) == nil {
		return ""
	}
	return strings.TrimSpace(n.Get(key).Text)
}

// imported names a file that a memory file imports.
type imported struct {
	path string
	line int
}

// scan takes the block comments out of a memory file and finds its imports. Neither
// is looked for in fenced code; an import is not looked for in code spans either.
func scan(text string, first int) (kept string, imports []imported) {
	var b strings.Builder
	fence, comment := "", false
	for i, line := range strings.SplitAfter(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
		case comment:
			_, after, closed := strings.Cut(line, "-->")
			if comment = !closed; !closed || strings.TrimSpace(after) == "" {
				continue
			}
			line = after
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		case strings.HasPrefix(trimmed, "<!--"):
			_, after, closed := strings.Cut(trimmed[4:], "-->")
			if comment = !closed; !closed || after == "" {
				continue
			}
			line = after + "\n"
		}
		if fence == "" {
			for _, name := range importsOf(line) {
				imports = append(imports, imported{name, first + i})
			}
		}
		b.WriteString(line)
	}
	return b.String(), imports
}

// importsOf are the words of a line that may be imports: with an @ in front, and blanks
// written as "\ ", outside code spans. Those that are files are.
func importsOf(line string) (out []string) {
	for i, piece := range strings.Split(line, "`") {
		if i%2 == 1 {
			continue // in a code span
		}
		words := strings.Fields(strings.ReplaceAll(piece, `\ `, "\x00"))
		for _, w := range words {
			name, ok := strings.CutPrefix(w, "@")
			name = strings.ReplaceAll(strings.TrimRight(name, ".,;:!?)"), "\x00", " ")
			if ok && name != "" && !strings.ContainsAny(name, "@\"'") {
				out = append(out, name)
			}
		}
	}
	return out
}

// pathlike reports whether an import can be nothing but a path: @someone is a name, and
// @scope/package a module.
func pathlike(name string) bool {
	return strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~/")
}

// target is where an import of a file leads: a path in the same directory tree, "~"
// and below in the user's, or outside of both.
func target(file, name string) (to string, home, outside bool) {
	switch {
	case strings.HasPrefix(name, "~/"):
		return path.Clean(name[2:]), true, false
	case strings.HasPrefix(name, "/"):
		return name, false, true
	}
	to = path.Join(path.Dir(file), name)
	return to, false, to == ".." || strings.HasPrefix(to, "../")
}
