package scenarios

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// projectFiles is what is known of a project's files before a run.
type projectFiles struct {
	count  map[string]int // path → lines; -1 where content is generated
	sorted []string
}

func filesOf(s *Scenario) *projectFiles {
	p := &projectFiles{count: map[string]int{}}
	if s.Project.Files.Embedded != "" {
		files, err := EmbeddedProject(s.Project.Files.Embedded)
		if err == nil {
			for path, text := range files { // order: into a map
				p.count[path] = countLines(text)
			}
		}
	}
	for path, c := range s.Project.Files.Literal { // order: into a map
		p.count[path] = -1
		if c.Tokens.Set || c.Bytes > 0 {
			continue
		}
		p.count[path] = countLines(c.Text)
	}
	p.sorted = sortedKeys(p.count)
	return p
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// lines is the number of lines of a file, -1 if its content is generated, and
// false if there is no such file.
func (p *projectFiles) lines(path string) (int, bool) {
	n, ok := p.count[path]
	return n, ok
}

func (p *projectFiles) paths() []string { return p.sorted }

func (p *projectFiles) matching(glob string) (n int, err error) {
	for _, path := range p.sorted {
		ok, err := doublestar.Match(glob, path)
		if err != nil {
			return 0, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

func (c *checker) project() {
	p := &c.s.Project
	if !isDate(p.Date) {
		c.bad("project.date", "such as 2026-01-31", "bad date %q", p.Date)
	}
	c.agents()
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
