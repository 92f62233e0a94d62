package tool

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/workspace"
)

// Bounds of one page of a file.
const (
	maxLines     = 2000    // where no limit is asked for
	maxPageBytes = 100_000 // but a page holds at least one line, whole
	numberWidth  = 8       // what stands in front of a line, mostly
)

var readFields = fields{
	{name: "file_path", required: true, about: "Absolute path of the file."},
	{name: "offset", typ: integerType, about: "First line to read, from 1."},
	{name: "limit", typ: integerType, about: "Number of lines to read."},
}

// runRead shows numbered lines of a file. A second read of the same lines of
// the same version shares the first one's payload.
func runRead(e *Env, p *llm.Payload) Result {
	in, err := e.Inputs.read(readFields, p.Raw())
	if err != nil {
		return badInput("Read", err)
	}
	f, err := e.seen(in[0].text())
	if err != nil {
		return refused(err)
	}
	offset, limit := max(1, in[1].integerOr(1)), in[2].integerOr(0)
	v := f.Version()
	if offset > max(1, v.Lines) {
		return refused(fmt.Errorf("%s has %d lines: there is no line %d to start from", f.Path(), v.Lines, offset))
	}
	page, ok := f.Page(offset, limit)
	if !ok {
		page = e.render(f, offset, limit)
		f.KeepPage(page)
	}
	e.Cache.saw(f.Path(), v.Hash, int32(min(offset, v.Lines)), int32(page.To), e.Now)
	return Result{Content: page.Payload}
}

// render makes a page: the numbered lines, a notice when fewer are shown than
// were asked for, and the mark of the lines shown.
func (e *Env) render(f *workspace.File, offset, limit int) workspace.Page {
	v := f.Version()
	want, bound := v.Lines, offset+maxLines-1
	if limit > 0 {
		want = min(want, offset+limit-1)
		bound = want
	}
	class := classOf(f.Path())
	lines := f.Lines(offset, min(want, bound), func() workspace.Lines {
		b, to := numbered(f.Content(), offset, min(want, bound))
		return workspace.Lines{Payload: llm.NewText(class, string(b)), To: to}
	})
	var b []byte
	to := lines.To
	switch {
	case v.Lines == 0:
		b = append(b, "(the file is empty)\n"...)
	case to < want:
		b = fmt.Appendf(b, "(truncated at line %d of %d: read on with offset %d)\n", to, v.Lines, to+1)
	}
	b = append(b, e.fileMark(f.Path(), v, min(offset, v.Lines), to)...)
	return workspace.Page{Offset: offset, Limit: limit, To: to, Payload: llm.Joined(lines.Payload, llm.NewText(class, string(b)))}
}

// numbered writes the lines from…last, or fewer when they fill a page, and says
// which was the last one written.
func numbered(content string, from, last int) (b []byte, to int) {
	for range from - 1 {
		content = content[strings.IndexByte(content, '\n')+1:]
	}
	b = make([]byte, 0, min(len(content), maxPageBytes)+numberWidth*max(0, last-from+2))
	for to = from - 1; to < last; to++ {
		line, rest, _ := strings.Cut(content, "\n")
		if to >= from && len(b)+len(line) > maxPageBytes {
			break
		}
		b, content = appendNumbered(b, to+1, line), rest
	}
	return b, to
}

// appendNumbered writes a line behind its number, filled to six columns.
func appendNumbered(b []byte, n int, line string) []byte {
	var digits [20]byte
	number := strconv.AppendInt(digits[:0], int64(n), 10)
	b = append(b, "      "[min(len(number), 6):]...)
	b = append(b, number...)
	b = append(b, '\t')
	b = append(b, line...)
	return append(b, '\n')
}

// fileMark says that these lines of this version stand in the same text.
func (e *Env) fileMark(p string, v workspace.Version, from, to int) string {
	return e.Marks.Text(mark.File, p, v.Hash, fmt.Sprintf("%d-%d/%d", from, to, v.Lines))
}

// classOf guesses from its name what a file is made of.
func classOf(p string) llm.Class {
	switch path.Ext(p) {
	case ".md", ".txt", ".rst", ".adoc", "":
		return llm.Prose
	case ".json", ".jsonl", ".ndjson":
		return llm.JSON
	}
	return llm.Code
}

// refused is the error result of a call that could not be done as it was given.
func refused(err error) Result { return Error(err.Error()) }

func badInput(tool string, err error) Result { return refused(fmt.Errorf("%s: %w", tool, err)) }

func emptyField(name string) error { return fmt.Errorf("field %q must not be empty", name) }

// seen finds the file that an agent names to read it. One of another worktree has its
// absolute path for a name.
func (e *Env) seen(name string) (*workspace.File, error) {
	fs, rel, err := e.place(name)
	if err != nil {
		return nil, err
	}
	f, err := find(fs, rel, name)
	if err == nil && fs != e.FS {
		f = f.As(e.absolute(name))
	}
	return f, err
}

// file finds the file that an agent names to change it, by an absolute path below the
// root or by one relative to it.
func (e *Env) file(name string) (*workspace.File, error) {
	rel, err := e.relative(name)
	if err != nil {
		return nil, err
	}
	return find(e.FS, rel, name)
}

// find is the file at a path of a tree that an agent has named.
func find(fs *workspace.FS, rel, name string) (*workspace.File, error) {
	f := fs.File(rel)
	switch {
	case f != nil:
		return f, nil
	case fs.HasDir(rel):
		return nil, fmt.Errorf("%s is a directory: find files with Glob", name)
	}
	return nil, errors.New(name + " does not exist")
}

// absolute is a name as an absolute, clean path.
func (e *Env) absolute(name string) string {
	if !path.IsAbs(name) {
		name = e.Root + "/" + name
	}
	if !strings.Contains(name, "/.") && !strings.Contains(name, "//") && (len(name) == 1 || name[len(name)-1] != '/') {
		return name // as most are given
	}
	return path.Clean(name)
}

// place says in which tree a name lies, the agent's own or that of another worktree, and
// where in it, "" for the root itself.
func (e *Env) place(name string) (fs *workspace.FS, rel string, err error) {
	abs := e.absolute(name)
	if rel, ok := workspace.InHome(abs); ok {
		return e.FS, rel, nil
	}
	fs, rel, ok := e.FS.Tree(e.Root, abs)
	if !ok {
		return nil, "", fmt.Errorf("%s is outside the project, which is at %s", name, e.Root)
	}
	return fs, rel, nil
}

// relative is a name as a path relative to the root, "" for the root itself. What lies
// in another worktree is an error.
func (e *Env) relative(name string) (rel string, err error) {
	fs, rel, err := e.place(name)
	if err == nil && fs != e.FS {
		err = fmt.Errorf("%s is in another worktree, which can be read from here and is changed there alone: merge its branch", name)
	}
	return rel, err
}
