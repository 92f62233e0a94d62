package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Tables, below the module's directory.
const (
	mutantTable  = "cmd/internal/mutants/table"
	plantedTable = "cmd/internal/mutants/planted"
)

// entry is a behaviour that is broken on purpose.
type entry struct {
	id, what string
	place    string // file:line of the table
	imports  []string
	edits    []edit
}

// edit replaces a text within a function of a file by another.
type edit struct {
	file     string // below the module's directory
	function string // with its receiver's type in front: Agent.finish
	old, new []string
}

// head is an entry's first line.
var head = regexp.MustCompile(`^([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*/[a-z0-9-]+): (\S.*)$`)

// readTable reads the entries of all files of a folder, in order of their names.
func readTable(dir string) (out []entry, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if files == nil {
		return nil, fmt.Errorf("%s: there is no table (*.txt)", dir)
	}
	seen := map[string]string{}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, err := parseTable(name, string(src))
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if seen[e.id] != "" {
				return nil, fmt.Errorf("%s: %s is in %s already", e.place, e.id, seen[e.id])
			}
			seen[e.id] = e.place
		}
		out = append(out, list...)
	}
	return out, nil
}

// parseTable reads one file of a table: entries with an empty line between them.
func parseTable(name, src string) (out []entry, err error) {
	var e *entry
	for i, line := range strings.Split(src, "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		switch {
		case strings.TrimSpace(line) == "":
			e = nil
		case strings.HasPrefix(line, "#"):
		case e == nil:
			m := head.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("%s: an entry begins with STATEMENT/NAME: WHAT IT DOES, not with %q", at, line)
			}
			out = append(out, entry{id: m[1], what: m[2], place: at})
			e = &out[len(out)-1]
		default:
			if err := e.line(line); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", at, e.id, err)
			}
		}
	}
	return out, whole(out)
}

// line takes a line of an entry after its first.
func (e *entry) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "import":
		e.imports = append(e.imports, strings.Trim(rest, `"`))
		return nil
	case word == "at":
		file, function, ok := strings.Cut(rest, " ")
		if !ok {
			return fmt.Errorf("write `at FILE FUNCTION`, as in `at sim/agent/loop.go Agent.hear`")
		}
		e.edits = append(e.edits, edit{file: file, function: function})
		return nil
	case line[0] != '-' && line[0] != '+':
		return fmt.Errorf("a line begins with import, at, - or +, not with %q", word)
	case len(e.edits) == 0:
		return fmt.Errorf("`at FILE FUNCTION` comes before the text")
	}
	d := &e.edits[len(e.edits)-1]
	if line[0] == '-' {
		d.old = append(d.old, strings.TrimSpace(line[1:]))
	} else {
		d.new = append(d.new, line[1:])
	}
	return nil
}

// whole makes sure that each entry replaces something.
func whole(list []entry) error {
	for i := range list {
		e := &list[i]
		if len(e.edits) == 0 {
			return fmt.Errorf("%s: %s changes nothing", e.place, e.id)
		}
		for _, d := range e.edits {
			if strings.Join(d.old, "") == "" {
				return fmt.Errorf("%s: %s: at %s %s: there is no old text (lines with -)", e.place, e.id, d.file, d.function)
			}
		}
	}
	return nil
}

// find is where the old text is within a function's: exactly once, however its
// lines are indented.
func (d *edit) find(text string) (from, to int, err error) {
	var words []string
	for _, l := range d.old {
		words = append(words, regexp.QuoteMeta(l))
	}
	found := regexp.MustCompile(strings.Join(words, `\s*\n\s*`)).FindAllStringIndex(text, -1)
	if len(found) != 1 {
		return 0, 0, fmt.Errorf("at %s %s: the old text is there %d times, not once:\n%s", d.file, d.function, len(found), strings.Join(d.old, "\n"))
	}
	return found[0][0], found[0][1], nil
}
