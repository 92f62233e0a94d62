package coordinator

import (
	"path"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
)

// DefaultScratchpad is the directory that workers share where nothing else is
// said, relative to the project.
const DefaultScratchpad = ".scratchpad"

// Note tells a worker where the scratchpad is.
func (m *Mode) Note() string { return "Scratchpad directory: " + m.scratchpad + "\n" }

// InScratchpad reports whether a call reads or writes, and nothing but what is below
// the scratchpad (CRD-08).
func (m *Mode) InScratchpad(t *tool.Tool, input *llm.Payload, dir string) bool {
	if t.Class != permission.Read && t.Class != permission.Write {
		return false
	}
	subjects := t.Subjects(input, dir)
	return len(subjects) > 0 && !slices.ContainsFunc(subjects, func(s string) bool { return !m.holds(s) })
}

// holds reports whether a path, relative to the project or absolute, is below the
// scratchpad, however it is written.
func (m *Mode) holds(p string) bool {
	if !path.IsAbs(p) {
		p = path.Join(m.root, p)
	}
	return strings.HasPrefix(path.Clean(p), path.Join(m.root, m.scratchpad)+"/")
}
