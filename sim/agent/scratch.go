package agent

import (
	"path"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
)

// DefaultScratchpad is the directory that workers share where nothing else is
// said, relative to the project.
const DefaultScratchpad = ".scratchpad"

// whyScratchpad is the reason of a decision that would have been a question.
const whyScratchpad = "scratchpad"

// scratchpad is the directory that workers share, relative to the project.
func (w *World) scratchpad() string {
	if w.cfg.Scratchpad == "" {
		return DefaultScratchpad
	}
	return w.cfg.Scratchpad
}

// scratchNote tells a worker where the scratchpad is; nobody else is told.
func (w *World) scratchNote(d *Definition) string {
	if !w.gates.Scratch || !d.works() {
		return ""
	}
	return "Scratchpad directory: " + w.scratchpad() + "\n"
}

// unasked is why a question of the mode about a call is none: a worker reads and
// writes what lies in the scratchpad unasked (CRD-08). "" leaves the question.
// Rules and what a mode forbids hold there as everywhere.
func (a *Agent) unasked(t *tool.Tool, input *llm.Payload) string {
	if !a.w.gates.Scratch || a.def == nil || !a.def.works() {
		return ""
	}
	if t.Class != permission.Read && t.Class != permission.Write {
		return ""
	}
	subjects := t.Subjects(input, a.directory())
	for _, s := range subjects {
		if !a.w.inScratchpad(s) {
			return ""
		}
	}
	if len(subjects) == 0 {
		return ""
	}
	return whyScratchpad
}

// inScratchpad reports whether a path, relative to the project or absolute, lies
// below the scratchpad, however it is written.
func (w *World) inScratchpad(p string) bool {
	if !path.IsAbs(p) {
		p = path.Join(w.cfg.Root, p)
	}
	return strings.HasPrefix(path.Clean(p), path.Join(w.cfg.Root, w.scratchpad())+"/")
}
