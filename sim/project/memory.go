package project

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/client"

	"github.com/bmatcuk/doublestar/v4"
)

// Rules of memory files.
const (
	importHops  = 4
	autoLines   = 200
	autoBytes   = 25 << 10
	claudeFile  = "CLAUDE.md"
	dotClaude   = ".claude/CLAUDE.md"
	localFile   = "CLAUDE.local.md"
	agentsFile  = "AGENTS.md"
	filesOption = "instructionFiles"
)

// memory reads the memory files in the client's order: of the machine, the user, the
// project, then what the client remembers by itself.
func (r *reader) memory() {
	if r.Settings.env("CLAUDE_CODE_DISABLE_CLAUDE_MDS") {
		r.aside("memory files: turned off by CLAUDE_CODE_DISABLE_CLAUDE_MDS")
		return
	}
	m := &memory{reader: r, seen: map[string]bool{}}
	which := r.Settings.instructions()
	m.scope(client.Managed, place{r.from.Managed, "managed:", "managed"})
	if which != "managed-only" {
		m.scope(client.User, r.home())
		dirs := append(r.above(), r.project())
		agents := m.agents(dirs, which)
		for _, p := range dirs {
			if agents {
				m.file(p, agentsFile, "", nil)
			}
			m.scope(client.Project, p)
		}
		for _, p := range dirs {
			if which != "claude-md" && there(p, agentsFile) && !m.seen[p.called(agentsFile)] {
				m.aside("%s: not read beside %s", p.called(agentsFile), claudeFile)
			}
		}
	}
	if n := len(r.from.Nested); n > 0 {
		r.aside("memory files of directories below (%d), the first %s: read with the files there", n, r.from.Nested[0])
	}
	r.remembered()
}

// memory reads memory files, each once.
type memory struct {
	*reader
	seen map[string]bool
}

// scope reads what the client reads of one directory.
func (m *memory) scope(of client.Scope, p place) {
	for _, f := range m.Layout.Memory {
		switch {
		case f.Of != of:
		case strings.HasSuffix(f.Name, "/"):
			m.rules(p, strings.TrimSuffix(f.Name, "/"))
		default:
			m.file(p, f.Name, "", nil)
		}
	}
}

// agents reports whether AGENTS.md is read: where the settings say so, or where no
// directory has a memory file of the client's own.
func (m *memory) agents(dirs []place, which string) bool {
	own := slices.ContainsFunc(dirs, func(p place) bool {
		return slices.ContainsFunc([]string{claudeFile, dotClaude, localFile}, func(name string) bool { return there(p, name) })
	})
	return which != "claude-md" && (!own || which == "claude-md-and-agents-md")
}

func there(p place, name string) bool {
	_, err := fs.Stat(p.fs, name)
	return err == nil
}

func isDir(p place, name string) bool {
	info, err := fs.Stat(p.fs, name)
	return err == nil && info.IsDir()
}

// rules reads the rules that hold for all files; those of paths are read with the
// files that they are for.
func (m *memory) rules(p place, dir string) {
	for _, name := range m.linked(p, dir) {
		text, ok := m.text(p, name, maxMemory)
		if !ok {
			continue
		}
		yaml, _, _ := front(text)
		if n := fields(yaml); n != nil && n.Get("paths") != nil {
			m.aside("%s: read with the files it is for (%d bytes)", p.called(name), len(text))
			continue
		}
		m.file(p, name, "", nil)
	}
}

// maxLinked is how many directories links among rules are followed to.
const maxLinked = 100

// linked lists the rules below a directory, and below those that links in it lead to,
// which the client follows: by their own paths, each directory once. A link that leads
// out of what is read is not followed.
func (m *memory) linked(p place, dir string) []string {
	var out []string
	dirs := []string{dir}
	for i := 0; i < len(dirs); i++ {
		for _, name := range files(p, dirs[i], "") {
			if strings.HasSuffix(name, ".md") {
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
				continue
			}
			target, err := fs.ReadLink(p.fs, name)
			if err != nil {
				continue // no link
			}
			to := path.Join(path.Dir(name), target)
			info, err := fs.Stat(p.fs, to)
			switch {
			case err != nil || path.IsAbs(target) || info.Mode()&fs.ModeSymlink != 0:
				m.aside("%s: a link that leads nowhere or out of the directory: rules there are not read", p.called(name))
			case !info.IsDir() || slices.Contains(dirs, to):
			case len(dirs) > maxLinked:
				m.aside("%s: links lead to more than %d directories of rules, and this one is not read", p.called(name), maxLinked)
			default:
				dirs = append(dirs, to)
			}
		}
	}
	return out
}

// file reads a memory file and, behind it, what it imports. above are the files that
// lead to it.
func (m *memory) file(p place, name, by string, above []string) {
	called := p.called(name)
	if m.seen[called] || p.fs == nil || !there(p, name) || m.excluded(p, name) {
		return
	}
	text, ok := m.text(p, name, maxMemory)
	if !ok {
		return
	}
	m.seen[called] = true
	_, body, line := front(text)
	kept, imports := scan(body, line)
	if strings.TrimSpace(kept) != "" {
		m.add(Part{Kind: client.Memory, From: called + ":" + strconv.Itoa(line), By: by, Text: strings.Trim(kept, "\n")})
	}
	for _, x := range imports {
		m.follow(p, name, called, x, append(slices.Clone(above), called))
	}
}

// follow reads an import, unless it leads round, too far or outside.
func (m *memory) follow(p place, name, called string, x imported, chain []string) {
	to, home, outside := target(name, x.path)
	if home {
		p = m.home()
	}
	next := p.called(to)
	switch {
	case home && p.fs == nil, outside:
		m.aside("@%s of %s:%d: outside the directory, not read", x.path, called, x.line)
	case slices.Contains(chain, next):
		at := slices.Index(chain, next)
		m.problem(p, name, x.line, 1, "", "imports lead in a circle: %s", strings.Join(append(slices.Clone(chain[at:]), next), " imports "))
	case isDir(p, to):
		m.problem(p, name, x.line, 1, "", "@%s is a directory: it is not imported", x.path)
	case !there(p, to):
		if pathlike(x.path) {
			m.unread(p, name, x.line, 1, "@%s names no file: it is not imported", x.path)
		}
	case len(chain) > importHops:
		m.unread(p, name, x.line, 1, "@%s is not imported: it is more than %d imports away from %s", x.path, importHops, chain[0])
	default:
		m.file(p, to, called+":"+strconv.Itoa(x.line), chain)
	}
}

// excluded reports whether the settings leave a file out; of those who manage the
// machine they leave none out.
func (m *memory) excluded(p place, name string) bool {
	if strings.Trim(p.in, "./") != "" || m.from.Path == "" {
		return false
	}
	full := path.Join(m.from.Path, p.in, name)
	for _, glob := range m.Settings.Excludes {
		if doublestar.MatchUnvalidated(glob, full) {
			m.aside("%s: left out by claudeMdExcludes %s", p.called(name), glob)
			return true
		}
	}
	return false
}

// remembered is what the client keeps of a project in the user's directory.
func (r *reader) remembered() {
	if r.from.Home == nil || r.from.Path == "" {
		return
	}
	if off := r.Settings.AutoMemory; off != nil && !*off {
		r.aside("auto memory: turned off by autoMemoryEnabled")
		return
	}
	slug := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, r.from.Path)
	name := ".claude/projects/" + slug + "/memory/MEMORY.md"
	text, ok := r.text(r.home(), name, maxMemory)
	if !ok || strings.TrimSpace(text) == "" {
		return
	}
	kept := text
	if lines := strings.SplitAfter(text, "\n"); len(lines) > autoLines {
		kept = strings.Join(lines[:autoLines], "")
	}
	if len(kept) > autoBytes {
		kept = strings.ToValidUTF8(kept[:autoBytes], "")
	}
	if len(kept) < len(text) {
		r.aside("%s: %d bytes of %d; the client reads the first %d lines or 25 KB", r.home().called(name), len(kept), len(text), autoLines)
	}
	r.add(Part{Kind: client.AutoMemory, From: r.home().called(name) + ":1", Text: strings.Trim(kept, "\n")})
}
