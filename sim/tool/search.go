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
func (e *Env) search(tool string, p *llm.Payload, find func(*Env, string) (string, error)) Result {
	key := workspace.Search{Tool: tool, Input: p.Raw()}
	if found := e.FS.Found(key); found != nil {
		return Result{Content: found}
	}
	text, err := find(e, p.Raw())
	if err != nil {
		return badInput(tool, err)
	}
	payload := llm.NewText(llm.Code, text)
	e.FS.KeepFound(key, payload)
	return Result{Content: payload}
}

// under is the directory or file that a path field names, relative to the root.
func (e *Env) under(v value) (rel string, err error) {
	if v.kind == absent || v.text() == "" {
		return "", nil
	}
	rel, ok := e.relative(v.text())
	if !ok {
		return "", fmt.Errorf("%s is outside the project, which is at %s", v.text(), e.Root)
	}
	if _, isFile := e.FS.Stat(rel); !isFile && !e.FS.HasDir(rel) {
		return "", fmt.Errorf("%s does not exist", v.text())
	}
	return rel, nil
}

func glob(e *Env, raw string) (string, error) {
	var in input
	if err := globFields.read(raw, &in); err != nil {
		return "", err
	}
	under, err := e.under(in[1])
	if err != nil {
		return "", err
	}
	paths, err := e.FS.Glob(under, in[0].text())
	if err != nil {
		return "", err
	}
	return listed(paths, "No files found", 0, maxGlobbed, "narrow the pattern"), nil
}

func grep(e *Env, raw string) (string, error) {
	var in input
	if err := grepFields.read(raw, &in); err != nil {
		return "", err
	}
	q, err := e.query(&in)
	if err != nil {
		return "", err
	}
	matches, err := e.FS.Grep(q)
	if err != nil {
		return "", err
	}
	lines, none := found(matches, in[3].text())
	offset := in[6].integerOr(0)
	limit := max(1, in[5].integerOr(maxFound))
	return listed(lines, none, offset, limit, fmt.Sprintf("go on with offset %d", offset+limit)), nil
}

func (e *Env) query(in *input) (q workspace.Query, err error) {
	pattern := in[0].text()
	if in[4].kind == jsonTrue {
		pattern = "(?i)" + pattern
	}
	if q.Re, err = regexp.Compile(pattern); err != nil {
		return q, fmt.Errorf("the pattern is not a valid regular expression: %w", err)
	}
	q.Under, err = e.under(in[1])
	q.Glob = in[2].text()
	q.First = in[3].text() == "" || in[3].text() == "files_with_matches"
	return q, err
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
