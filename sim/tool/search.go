package tool

import (
	"fmt"
	"regexp"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/workspace"
)

// Bounds of one answer, in lines.
const (
	maxFound   = 250 // of Grep, where no head_limit is asked for
	maxGlobbed = 100
)

var grepFields = fields{
	{name: "pattern", required: true, about: "Regular expression to search for in each line."},
	{name: "path", about: "Directory or file to search in; the whole project when left out."},
	{name: "glob", about: `Only files whose name matches, such as "*.go".`},
	{name: "output_mode", enum: []string{"files_with_matches", "content", "count"}, about: "What to list; files_with_matches when left out."},
	{name: "-i", typ: booleanType, about: "Ignore case."},
	{name: "head_limit", typ: integerType, about: "At most so many lines of the answer; 250 when left out."},
	{name: "offset", typ: integerType, about: "Skip so many lines of the answer first."},
}

var globFields = fields{
	{name: "pattern", required: true, about: "Pattern for the path, relative to the directory searched."},
	{name: "path", about: "Directory to search in; the whole project when left out."},
}

// runGrep searches through contents. Equal searches share one payload until
// the next write.
func runGrep(e *Env, p *llm.Payload) Result { return e.search("Grep", p, grep) }

// runGlob finds files by name.
func runGlob(e *Env, p *llm.Payload) Result { return e.search("Glob", p, glob) }

// search answers from what was found before, or asks find.
func (e *Env) search(tool string, p *llm.Payload, find func(e *Env, input string) (text string, own bool, err error)) Result {
	key := workspace.Search{Tool: tool, Input: p.Raw()}
	if found := e.FS.Found(key); found != nil {
		return Result{Content: found}
	}
	text, own, err := find(e, p.Raw())
	if err != nil {
		return badInput(tool, err)
	}
	payload := llm.NewText(llm.Code, text)
	if own { // what is written in another worktree is not noticed here
		e.FS.KeepFound(key, payload)
	}
	return Result{Content: payload}
}

// where is the directory or file that a search looks in.
type where struct {
	fs     *workspace.FS
	rel    string // in it
	prefix string // of paths in it as the agent sees them: "" of its own tree
}

// under is where the path field of a search leads.
func (e *Env) under(v value) (w where, err error) {
	w.fs = e.FS
	if v.kind == absent || v.text() == "" {
		return w, nil
	}
	if w.fs, w.rel, err = e.place(v.text()); err != nil {
		return w, err
	}
	if w.fs != e.FS {
		w.prefix = e.FS.Root(e.Root, w.fs) + "/"
	}
	if _, isFile := w.fs.Stat(w.rel); !isFile && !w.fs.HasDir(w.rel) {
		return w, fmt.Errorf("%s does not exist", v.text())
	}
	return w, nil
}

func glob(e *Env, raw string) (text string, own bool, err error) {
	var in input
	if err := globFields.read(raw, &in); err != nil {
		return "", false, err
	}
	under, err := e.under(in[1])
	if err != nil {
		return "", false, err
	}
	paths, err := under.fs.Glob(under.rel, in[0].text())
	if err != nil {
		return "", false, err
	}
	if under.prefix != "" {
		for i := range paths {
			paths[i] = under.prefix + paths[i]
		}
	}
	return listed(paths, "No files found", 0, maxGlobbed, "narrow the pattern"), under.prefix == "", nil
}

func grep(e *Env, raw string) (text string, own bool, err error) {
	var in input
	if err := grepFields.read(raw, &in); err != nil {
		return "", false, err
	}
	q, under, err := e.query(&in)
	if err != nil {
		return "", false, err
	}
	matches, err := under.fs.Grep(q)
	if err != nil {
		return "", false, err
	}
	if under.prefix != "" {
		for i := range matches {
			matches[i].Path = under.prefix + matches[i].Path
		}
	}
	lines, none := found(matches, in[3].text())
	offset := in[6].integerOr(0)
	limit := max(1, in[5].integerOr(maxFound))
	return listed(lines, none, offset, limit, fmt.Sprintf("go on with offset %d", offset+limit)), under.prefix == "", nil
}

func (e *Env) query(in *input) (q workspace.Query, under where, err error) {
	pattern := in[0].text()
	if in[4].kind == jsonTrue {
		pattern = "(?i)" + pattern
	}
	if q.Re, err = regexp.Compile(pattern); err != nil {
		return q, under, fmt.Errorf("the pattern is not a valid regular expression: %w", err)
	}
	under, err = e.under(in[1])
	q.Under = under.rel
	q.Glob = in[2].text()
	q.First = in[3].text() == "" || in[3].text() == "files_with_matches"
	return q, under, err
}

// found renders matches, and the answer for none, as the output mode asks.
func found(matches []workspace.Match, mode string) (lines []string, none string) {
	switch mode {
	case "content":
		for _, m := range matches {
			lines = append(lines, fmt.Sprintf("%s:%d:%s", m.Path, m.Line, m.Text))
		}
		return lines, "No matches found"
	case "count":
		return counted(matches), "No matches found"
	}
	for _, m := range matches {
		lines = append(lines, m.Path)
	}
	return lines, "No files found"
}

// counted is path:count of each file; the matches are in the order of paths.
func counted(matches []workspace.Match) (lines []string) {
	for i := 0; i < len(matches); {
		j := i
		for j < len(matches) && matches[j].Path == matches[i].Path {
			j++
		}
		lines = append(lines, fmt.Sprintf("%s:%d", matches[i].Path, j-i))
		i = j
	}
	return lines
}

// listed is at most limit lines from offset on, one a line; a cut list says so
// and how to go on.
func listed(lines []string, none string, offset, limit int, goOn string) string {
	if len(lines) == 0 {
		return none
	}
	if offset >= len(lines) {
		return fmt.Sprintf("(there are %d lines: nothing is left at offset %d)", len(lines), offset)
	}
	last := min(len(lines), offset+limit)
	text := strings.Join(lines[offset:last], "\n")
	if last < len(lines) {
		text += fmt.Sprintf("\n(truncated at line %d of %d: %s)", last, len(lines), goOn)
	}
	return text
}
