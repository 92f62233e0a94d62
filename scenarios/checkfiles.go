package scenarios

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/scenarios/document"
)

// projectFiles is what is known of a project's files before a run.
type projectFiles struct {
	lines  map[string]int // by path; -1 where they are not known, as of generated content
	sorted []string       // the paths
	globs  map[string]int // glob → files that match
}

// filesAt are files of which only the paths are known.
func filesAt(paths []string) *projectFiles {
	p := &projectFiles{lines: map[string]int{}, globs: map[string]int{}}
	for _, path := range paths {
		p.lines[path] = -1
	}
	p.sorted = slices.Sorted(maps.Keys(p.lines))
	return p
}

func filesOf(s *Scenario) *projectFiles {
	p := &projectFiles{lines: map[string]int{}, globs: map[string]int{}}
	if s.Project.Files.Embedded != "" {
		files, err := EmbeddedProject(s.Project.Files.Embedded)
		if err == nil {
			for path, text := range files { // order: into a map
				p.lines[path] = countLines(text)
			}
		}
	}
	for path, c := range s.Project.Files.Literal { // order: into a map
		p.lines[path] = -1
		if c.Tokens.Set || c.Bytes > 0 {
			continue
		}
		p.lines[path] = countLines(c.Text)
	}
	p.sorted = slices.Sorted(maps.Keys(p.lines))
	return p
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func (p *projectFiles) matching(glob string) (n int, err error) {
	if n, known := p.globs[glob]; known {
		return n, nil
	}
	for _, path := range p.sorted {
		ok, err := doublestar.Match(glob, path)
		if err != nil {
			return 0, err
		}
		if ok {
			n++
		}
	}
	p.globs[glob] = n
	return n, nil
}

// below is a glob of the files in a directory, or below it where it holds none
// itself, "" where there is no such directory.
func (p *projectFiles) below(dir string) (glob string) {
	i, _ := slices.BinarySearch(p.sorted, dir+"/")
	for _, file := range p.sorted[i:] {
		rest, in := strings.CutPrefix(file, dir+"/")
		switch {
		case !in:
			return glob
		case !strings.Contains(rest, "/"):
			return dir + "/*" + path.Ext(rest)
		case glob == "":
			glob = dir + "/**/*" + path.Ext(rest)
		}
	}
	return glob
}

// present are the files that a run has, as far as they are known.
func (c *checker) present() *projectFiles {
	if c.file.dir != nil {
		return c.file.dir
	}
	return c.files
}

// held reports whether a run has a file for a path: one of that name or, on
// files that are not the scenario's own, one that stands for its own.
func (c *checker) held(path string) bool {
	_, own := c.files.lines[path]
	_, there := c.present().lines[path]
	return own || there || c.file.foreign && c.file.dir == nil
}

// noFile reports a path that no file has, as what says it. prefix is what stands
// before the path.
func (c *checker) noFile(at, prefix, name, what string) {
	have, short, hint := c.present(), path.Clean(name), ""
	whole, lines, ranged := strings.Cut(short, ":")
	_, known := have.lines[whole]
	if dir, all := strings.CutSuffix(short, "/..."); all && have.below(dir) != "" {
		hint = "write " + prefix + dir + "/**/*" + path.Ext(have.below(dir))
	} else if ranged && known && strings.Trim(lines, "0123456789-:L") == "" {
		hint = "write " + prefix + whole + ": files are read whole; a fact has a line"
	} else if glob := have.below(short); glob != "" {
		n, _ := have.matching(glob)
		what, hint = document.Quoted(name)+" is a directory, no file", "write "+prefix+glob+", which is "+document.Counted(n, "file")
	} else if _, ok := have.lines[strings.TrimPrefix(short, filePrefix)]; ok {
		short = strings.TrimPrefix(short, filePrefix)
		hint = "write " + prefix + short
	} else if hint = document.DidYouMean(prefix+name, prefixed(prefix, have.sorted)); hint == "" {
		hint = c.takesDirectory()
	}
	c.bad(at, hint, "%s", what)
}

// takesDirectory is what to do where a scenario without files is about those of a
// directory.
func (c *checker) takesDirectory() string {
	if len(c.files.sorted) > 0 || c.file.foreign {
		return ""
	}
	return takesDirectory
}

func (c *checker) project() {
	p := &c.s.Project
	if !isDate(p.Date) {
		c.bad("project.date", "such as 2026-01-31", "bad date %q", p.Date)
	}
	if p.ClaudeMd != nil && c.isFile(p.ClaudeMd.Text) {
		c.bad("project.claude_md", "claude_md: | with the text below it, indented", "claude_md is the text itself, not the name of the file: the prompt would say %q", p.ClaudeMd.Text)
	}
	if p.Directory != "" && (p.Files.Embedded != "" || p.Files.Literal != nil) {
		c.bad("project.files", "take one of the two away", "the project has the files of directory %s, and others besides", p.Directory)
	}
	for i := range p.Parts {
		at := "project.parts[" + itoa(i) + "]"
		if p.Parts[i].Kind == "" {
			c.bad(at, "kind: memory, for a file such as CLAUDE.md", "a part without its kind")
		}
	}
	checkServers(c)
	c.agents()
}

// isFile reports whether a text is the path of a file and nothing else.
func (c *checker) isFile(text string) bool {
	name := path.Clean(strings.TrimSpace(text))
	_, ok := c.present().lines[name]
	return ok || path.Base(name) == "CLAUDE.md" && !strings.ContainsAny(name, " \n")
}

// isDate checks the form YYYY-MM-DD and its ranges, not the calendar.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i, c := range s {
		if i != 4 && i != 7 && (c < '0' || c > '9') {
			return false
		}
	}
	return s[5:7] >= "01" && s[5:7] <= "12" && s[8:] >= "01" && s[8:] <= "31"
}
