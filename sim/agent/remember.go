package agent

import (
	"strings"

	"agentsim/sim/task"
)

// memoryLines is how many lines of a memory stand in a prompt.
const memoryLines = 200

// memoryDirs are where the scopes keep what agents remember. The user's tree
// seems to lie in the project, so that the tools reach it; everything else of it
// stays outside.
var memoryDirs = map[Memory]string{
	MemoryUser:    ".agentsim/user/agent-memory/",
	MemoryProject: ".claude/agent-memory/",
	MemoryLocal:   ".claude/agent-memory-local/",
}

// MemoryPath is the file in which the agents of a type remember, "" for a
// definition without a memory.
func (d *Definition) MemoryPath() string {
	dir := memoryDirs[d.Memory]
	if dir == "" {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, d.Type)
	return dir + name + "/MEMORY.md"
}

// IsMemory reports whether a file of the project lies where a scope keeps what
// agents remember.
func IsMemory(file string) bool {
	for _, dir := range memoryDirs { // order: any will do
		if name, ok := strings.CutPrefix(file, dir); ok && strings.HasSuffix(name, "/MEMORY.md") && strings.Count(name, "/") == 1 {
			return true
		}
	}
	return false
}

// memory is what a definition's memory adds to the system prompt: where it is,
// and its text as it stands now. It lasts as the file does, so a later agent of
// the type finds what an earlier one wrote.
func (w *World) memory(d *Definition, at *place) string {
	file := d.MemoryPath()
	if file == "" {
		return ""
	}
	s := "\n# Memory\nWhat you keep from one task to the next stands in " + w.directory(at) + "/" + file + " (scope: " + string(d.Memory) + ").\n" +
		"Write down there what will help next time, with Write or Edit, and take out what is no longer true. Keep it short.\n"
	text, ok := at.of(w).fs.Content(file)
	if !ok || strings.TrimSpace(text) == "" {
		return s + "It is empty so far.\n"
	}
	lines := strings.SplitAfter(task.Defuse(text), "\n")
	if len(lines) > memoryLines {
		lines = append(lines[:memoryLines], "[cut here: read the file for the rest]\n")
	}
	return s + "It says:\n" + strings.TrimRight(strings.Join(lines, ""), "\n") + "\n"
}
