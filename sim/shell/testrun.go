package shell

import (
	"path"
	"strconv"
	"strings"

	"agentsim/sim/workspace"
)

// Test is what a scripted program does that tests the project: it looks at
// files instead of saying what it always says.
type Test struct {
	// Files is a glob of the files that it covers, such as internal/**/*.go.
	Files string
	// Sign is in each line that can be wrong.
	Sign string
	// Check says what is wrong with a line, "" where nothing is. The shell knows
	// nothing of what it looks for.
	Check func(fs *workspace.FS, line string) string
	// Ran hears that it began, if it is set.
	Ran func()
}

// runTest runs a program that tests: for each line that is wrong
// `path:line: what`, file after file, then FAIL and status 1; else a line for
// each directory with a file that was looked at, and status 0.
func (m *machine) runTest(p *Program, st *streams) {
	if p.Test.Ran != nil {
		p.Test.Ran()
	}
	if !m.pass(p.Took) {
		return
	}
	fs := m.env.FS
	if t, _, ok := m.find(m.dir); ok && !t.temp {
		fs = t.fs
	}
	files, err := fs.Glob("", p.Test.Files)
	if err != nil {
		st.err.put(p.Words + ": " + err.Error() + "\n")
		m.status = 2
		return
	}
	m.status = 0
	var dirs names
	for _, f := range files {
		dirs.add(path.Dir(f))
		if m.testFile(p.Test, fs, f, st) {
			m.status = 1
		}
		if m.halted != nil {
			return
		}
	}
	switch {
	case m.status != 0:
		st.out.put("FAIL\n")
	case len(files) == 0:
		st.out.put("no test files\n")
	default:
		st.out.put("ok  \t" + strings.Join(dirs.list, "\nok  \t") + "\n")
	}
}

// testFile reports whether a line of a file is wrong, and says which.
func (m *machine) testFile(t *Test, fs *workspace.FS, file string, st *streams) (wrong bool) {
	content, _ := fs.Content(file)
	if !m.charge(len(content)) {
		return false
	}
	if !strings.Contains(content, t.Sign) {
		return false
	}
	for i, line := range lines(content) {
		if !strings.Contains(line, t.Sign) {
			continue
		}
		if what := t.Check(fs, strings.TrimSuffix(line, "\n")); what != "" {
			st.out.put(file + ":" + strconv.Itoa(i+1) + ": " + what + "\n")
			wrong = true
		}
	}
	return wrong
}
