package definition

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/workspace"
)

// Source is the files of one place that definitions come from.
type Source struct {
	From   agent.Source
	Plugin string // its name, of a plugin's files
	Root   string // stands before paths in messages; "" for none
	// Files are Markdown definitions and JSON settings by path. Which of them are
	// read, the layout says: see Source.layout.
	Files map[string]string
	// Deep reads the directories below .claude/agents too, as newer clients do.
	Deep bool
	// Lifetimes says that the lifetimes of the cache in its settings are heeded.
	Lifetimes bool
	// JSON is the mapping of agents itself, as a flag gives it.
	JSON string
}

// Project is the source of a project's own definitions.
func Project(s *workspace.Snapshot) Source {
	out := Source{From: agent.FromProject, Files: map[string]string{}}
	for _, p := range s.Paths() {
		if strings.HasPrefix(p, ".claude/") {
			out.Files[p], _ = s.Content(p)
		}
	}
	return out
}

// Read takes from a directory the files that a source reads, by path, and what
// its agents remember. What cannot be read is a problem with its path.
func Read(dir fs.FS) (files map[string]string, problems []*Problem) {
	return read(dir, readable, ".", ".claude", ".claude/agents", "agents")
}

// ReadDeep is Read for a project that is deep: with the directories below
// .claude/agents, and without files that are no definitions of a project.
func ReadDeep(dir fs.FS) (files map[string]string, problems []*Problem) {
	dirs := []string{".claude"}
	_ = fs.WalkDir(dir, ".claude/agents", func(p string, e fs.DirEntry, err error) error { // what cannot be listed is not there
		if err == nil && e.IsDir() {
			dirs = append(dirs, p)
		}
		return nil
	})
	return read(dir, func(p string) bool {
		return p == ".claude/settings.json" || strings.HasPrefix(p, ".claude/agents/") && readable(p)
	}, dirs...)
}

// maxRead is how many files of a directory are read.
const maxRead = 500

func read(dir fs.FS, wanted func(path string) bool, dirs ...string) (files map[string]string, problems []*Problem) {
	files = map[string]string{}
	for _, sub := range dirs {
		list, err := fs.ReadDir(dir, sub)
		if err != nil {
			continue // not there
		}
		for _, e := range list {
			p := path.Join(sub, e.Name())
			if !wanted(p) {
				continue
			}
			if len(files)+len(problems) == maxRead {
				return files, append(problems, &Problem{File: p, Line: 1, Col: 1, Msg: "more than " + strconv.Itoa(maxRead) + " files: from here on they are left out"})
			}
			content, err := fs.ReadFile(dir, p)
			switch {
			case err == nil:
				files[p] = string(content)
			case !e.IsDir():
				problems = append(problems, &Problem{File: p, Line: 1, Col: 1, Msg: "the file cannot be read: " + cause(err)})
			}
		}
	}
	for _, kept := range []string{"agent-memory/*/MEMORY.md", ".claude/agent-memory/*/MEMORY.md"} {
		found, _ := fs.Glob(dir, kept) // the pattern is good
		for _, p := range found {
			if content, err := fs.ReadFile(dir, p); err == nil {
				files[p] = string(content)
			}
		}
	}
	return files, problems
}

// cause is an error of a file without the file.
func cause(err error) string {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}

func readable(p string) bool {
	switch path.Base(p) {
	case "settings.json", "managed-settings.json":
		return true
	}
	return strings.HasSuffix(p, ".md")
}

// layout says which files of a source are read: Markdown files directly in a
// directory, and settings. A directory is laid out as a project
// (.claude/agents), or as .claude itself or a plugin (agents), or holds nothing
// but definitions. A project and a plugin have one layout each.
func (s *Source) layout() (markdown, settings []string) {
	dir, base := ".claude/agents", ".claude"
	if s.From != agent.FromProject && !s.holds(".claude/") {
		dir, base = "agents", "."
		if s.From != agent.FromPlugin && !s.holds("agents/") {
			dir = "."
		}
	}
	for p := range s.Files { // order: sorted below
		switch {
		case (path.Dir(p) == dir || s.Deep && strings.HasPrefix(p, dir+"/")) && strings.HasSuffix(p, ".md"):
			markdown = append(markdown, p)
		case s.settings(p, base):
			settings = append(settings, p)
		}
	}
	slices.Sort(markdown)
	slices.Sort(settings)
	return markdown, settings
}

// settings reports whether a path is that of a settings file. Those of policy
// have a name of their own too, and stand at the root.
func (s *Source) settings(p, base string) bool {
	switch s.From {
	case agent.FromPlugin:
		return false
	case agent.FromPolicy:
		if p == "managed-settings.json" {
			return true
		}
	}
	return p == path.Join(base, "settings.json")
}

func (s *Source) holds(prefix string) bool {
	for p := range s.Files { // order: any one decides
		if strings.HasPrefix(p, prefix) {
			return true
		}
	}
	return false
}

// nested are the Markdown files below the directory of definitions, which
// nothing reads.
func (s *Source) nested() (out []string) {
	if s.Deep {
		return nil
	}
	for p := range s.Files { // order: sorted below
		if strings.HasPrefix(p, ".claude/agents/") && strings.Count(p, "/") > 2 && strings.HasSuffix(p, ".md") {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// named is a path as messages give it.
func (s *Source) named(p string) string { return path.Join(s.Root, p) }
