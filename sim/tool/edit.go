package tool

import (
	"fmt"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/workspace"
)

var editFields = fields{
	{name: "file_path", required: true, about: "Absolute path of the file."},
	{name: "old_string", required: true, about: "The text to replace."},
	{name: "new_string", required: true, about: "The text to put in its place; must differ."},
	{name: "replace_all", typ: booleanType, about: "Replace every occurrence; false when left out."},
}

// runEdit replaces text in a file that this agent has read in its present
// version. The result's mark names the new version and the lines of it that the
// agent knows, since it saw them before or wrote them.
func runEdit(e *Env, p *llm.Payload) Result {
	var in input
	if err := editFields.read(p.Raw(), &in); err != nil {
		return badInput("Edit", err)
	}
	f, err := e.file(in[0].text())
	if err != nil {
		return refused(err)
	}
	seen, err := e.fresh(f, "edit")
	if err != nil {
		return refused(err)
	}
	c := change{old: in[1].text(), new: in[2].text(), all: in[3].kind == jsonTrue}
	if err := c.check(f); err != nil {
		return refused(err)
	}
	return e.apply(f, seen, c)
}

// What an edit is refused with when reading mends it, behind the file's path.
const (
	NotRead  = "has not been read yet"
	Modified = "has been modified since it was read"
)

// fresh is what the agent knows of the file, if that is its present version;
// then is what it wants to do.
func (e *Env) fresh(f *workspace.File, then string) (Entry, error) {
	seen, ok := e.Cache.Get(f.Path())
	switch {
	case !ok:
		return seen, fmt.Errorf("file %s %s: read it, then %s", f.Path(), NotRead, then)
	case seen.Hash != f.Version().Hash:
		e.Stale.Path, e.Stale.Seen = f.Path(), seen.Hash
		return seen, fmt.Errorf("file %s %s: read it again, then %s", f.Path(), Modified, then)
	}
	return seen, nil
}

// change is one replacement.
type change struct {
	old, new string
	all      bool
}

func (c change) check(f *workspace.File) error {
	if c.old == "" {
		return emptyField("old_string")
	}
	if c.old == c.new {
		return fmt.Errorf("old_string and new_string are the same: there is nothing to change in %s", f.Path())
	}
	n := strings.Count(f.Content(), c.old)
	if n == 0 {
		return fmt.Errorf("old_string does not occur in %s: copy it from a Read result without the line numbers", f.Path())
	}
	if n > 1 && !c.all {
		return fmt.Errorf("old_string occurs %d times in %s: add lines around it until it is unique, or set replace_all", n, f.Path())
	}
	return nil
}

// apply writes the change and answers with the new version's mark.
func (e *Env) apply(f *workspace.File, seen Entry, c change) Result {
	whole := seen.From <= 1 && int(seen.To) == f.Version().Lines
	content, seen, n := c.in(f.Content(), seen)
	v, err := e.FS.Write(f.Path(), content, e.Agent)
	if err != nil {
		return refused(err)
	}
	if whole {
		seen.From, seen.To = 1, int32(v.Lines)
	}
	return e.written(fmt.Sprintf("Edited %s: %d replaced.", f.Path(), n), f.Path(), v, seen)
}

// in makes the change in a content, counts the places and follows the lines
// seen of it to where they now stand.
func (c change) in(content string, seen Entry) (string, Entry, int) {
	var b strings.Builder
	added := strings.Count(c.new, "\n")
	delta := added - strings.Count(c.old, "\n")
	for line, n := 1, 0; ; n++ {
		before, after, more := strings.Cut(content, c.old)
		b.WriteString(before)
		if !more {
			return b.String(), seen, n
		}
		line += strings.Count(before, "\n")
		seen = seen.moved(int32(line), int32(delta))
		b.WriteString(c.new)
		line += added
		content = after
	}
}

// moved is the entry after a change that begins at a line and adds lines, or
// takes some away.
func (en Entry) moved(line, delta int32) Entry {
	if line < en.From {
		en.From = max(line, en.From+delta)
	}
	if line <= en.To {
		en.To = max(line, en.To+delta)
	}
	return en
}
