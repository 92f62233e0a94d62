package tool

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/workspace"
)

var notebookFields = fields{
	{name: "notebook_path", required: true, about: "Absolute path of the notebook (.ipynb)."},
	{name: "cell_id", about: "Id of the cell to change. With edit_mode insert the new cell goes behind it, or first when it is left out."},
	{name: "new_source", required: true, about: "The cell's new source."},
	{name: "cell_type", enum: []string{"code", "markdown"}, about: "Kind of the cell; needed with edit_mode insert."},
	{name: "edit_mode", enum: []string{"replace", "insert", "delete"}, about: "What to do; replace when left out."},
}

// runNotebook changes one cell of a notebook that this agent has read in its
// present version. Every byte outside of what changes stays.
func runNotebook(e *Env, p *llm.Payload) Result {
	var in input
	if err := notebookFields.read(p.Raw(), &in); err != nil {
		return badInput("NotebookEdit", err)
	}
	f, err := e.file(in[0].text())
	if err != nil {
		return refused(err)
	}
	if !strings.HasSuffix(f.Path(), ".ipynb") {
		return refused(fmt.Errorf("%s is no notebook: its name does not end in .ipynb; use Edit", f.Path()))
	}
	seen, err := e.fresh(f, "edit")
	if err != nil {
		return refused(err)
	}
	nb, err := readNotebook(f.Content())
	if err != nil {
		return refused(fmt.Errorf("%s: %w", f.Path(), err))
	}
	did, cuts, err := nb.change(&in, f.Version())
	if err != nil {
		return refused(fmt.Errorf("%s: %w", f.Path(), err))
	}
	return e.cut(f, seen, did, cuts)
}

// cut makes the changes in a file and answers with the new version's mark.
func (e *Env) cut(f *workspace.File, seen Entry, did string, cuts []cut) Result {
	whole := seen.From <= 1 && int(seen.To) == f.Version().Lines
	content := f.Content()
	slices.SortFunc(cuts, func(a, b cut) int { return b.from - a.from })
	for _, c := range cuts { // from the end, so that the places before stay
		line := 1 + strings.Count(content[:c.from], "\n")
		seen = seen.moved(int32(line), int32(strings.Count(c.text, "\n")-strings.Count(content[c.from:c.to], "\n")))
		content = content[:c.from] + c.text + content[c.to:]
	}
	v, err := e.FS.Write(f.Path(), content, e.Agent)
	if err != nil {
		return refused(err)
	}
	if whole {
		seen.From, seen.To = 1, int32(v.Lines)
	}
	return e.written(did+" of "+f.Path()+".", f.Path(), v, seen)
}

// cut replaces bytes from…to of a text.
type cut struct {
	from, to int
	text     string
}

// span is a JSON value and where it begins in the text around it.
type span struct {
	value
	at int
}

func (s span) end() int { return s.at + len(s.raw) }

// elements are the values of a list, as it stands in a text that was read
// before.
func elements(list string) (out []span) {
	s := scanner{s: list, i: 1}
	for {
		s.space()
		if s.take(',') {
			continue
		}
		if s.i >= len(s.s) || s.s[s.i] == ']' {
			return out
		}
		at := s.i
		v, ok := s.value(0)
		if !ok {
			return out
		}
		v.raw = s.s[at:s.i] // a string with its quotes
		out = append(out, span{v, at})
	}
}

// members are the named values of an object. A string is with its quotes.
func members(object string) (out map[string]span, err error) {
	s := scanner{s: object}
	if err := s.open(); err != nil {
		return nil, err
	}
	out = map[string]span{}
	for {
		name, v, more, err := s.next()
		if err != nil || !more {
			return out, err
		}
		size := len(v.raw)
		if v.kind == jsonString {
			size += 2
		}
		v.raw = s.s[s.i-size : s.i]
		out[name.text()] = span{v, s.i - size}
	}
}

// notebook is the cells of a notebook, where they stand.
type notebook struct {
	content string
	list    span
	cells   []cell
}

type cell struct {
	span
	id    string // "" for one without
	parts map[string]span
}

func readNotebook(content string) (*notebook, error) {
	top, err := members(content)
	if err != nil {
		return nil, fmt.Errorf("it is no notebook: %w", err)
	}
	nb := &notebook{content: content, list: top["cells"]}
	if nb.list.kind != jsonArray {
		return nil, errors.New("it is no notebook: it has no list named cells")
	}
	for i, el := range elements(nb.list.raw) {
		el.at += nb.list.at
		c := cell{span: el}
		if c.parts, err = members(el.raw); err != nil {
			return nil, fmt.Errorf("cell %d is not an object", i)
		}
		if id := c.parts["id"]; id.kind == jsonString {
			c.id = unquoted(id)
		}
		nb.cells = append(nb.cells, c)
	}
	return nb, nil
}

// unquoted is a string's content.
func unquoted(s span) string {
	v := s.value
	v.raw = v.raw[1 : len(v.raw)-1]
	return v.text()
}

// find is the cell with the id; one without is named cell-N, from 0.
func (nb *notebook) find(id string) (int, error) {
	var names []string
	for i, c := range nb.cells {
		name := c.id
		if name == "" {
			name = fmt.Sprintf("cell-%d", i)
		}
		if name == id {
			return i, nil
		}
		if len(names) < 20 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("there is no cell %q: it has no cells", id)
	}
	return 0, fmt.Errorf("there is no cell %q: the cells are %s", id, strings.Join(names, ", "))
}

// change is what an input makes of the notebook, in words and in bytes.
func (nb *notebook) change(in *input, v workspace.Version) (did string, cuts []cut, err error) {
	id, source, kind, mode := in[1].text(), in[2].text(), in[3].text(), in[4].text()
	if mode == "insert" {
		return nb.insert(id, source, kind, v)
	}
	if id == "" {
		return "", nil, errors.New("cell_id is needed to replace or delete a cell")
	}
	i, err := nb.find(id)
	if err != nil {
		return "", nil, err
	}
	if mode == "delete" {
		return "Deleted cell " + id, []cut{nb.without(i)}, nil
	}
	cuts, err = nb.cells[i].replace(nb.content, source, kind)
	return "Replaced cell " + id, cuts, err
}

// without takes a cell out, with the comma and the space that part it from a
// neighbour.
func (nb *notebook) without(i int) cut {
	c := nb.cells[i]
	switch {
	case i > 0:
		return cut{nb.cells[i-1].end(), c.end(), ""}
	case len(nb.cells) > 1:
		return cut{c.at, nb.cells[1].at, ""}
	}
	return cut{c.at, c.end(), ""}
}

// replace changes a cell's source and kind. What a code cell has put out is
// not what its new source would: it goes.
func (c *cell) replace(content, source, kind string) ([]cut, error) {
	src, ok := c.parts["source"]
	if !ok {
		return nil, errors.New("the cell has no source")
	}
	at := c.at + src.at
	cuts := []cut{{at, at + len(src.raw), sourceText(source, src.kind == jsonString, indentAt(content, at))}}
	set := func(name, text string) {
		if p, ok := c.parts[name]; ok && p.raw != text {
			cuts = append(cuts, cut{c.at + p.at, c.at + p.end(), text})
		}
	}
	if kind != "" {
		set("cell_type", quote(kind))
	}
	set("outputs", "[]")
	set("execution_count", "null")
	return cuts, nil
}

// indentAt is the white space with which the line of a place begins, if
// nothing but a member's name stands between.
func indentAt(content string, at int) string {
	line := content[strings.LastIndexByte(content[:at], '\n')+1 : at]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if strings.Count(line, `"`) > 2 || len(indent) == at {
		return ""
	}
	return indent
}

// sourceText is a source as notebooks hold it: one string, or a list of lines.
func sourceText(source string, one bool, indent string) string {
	if one {
		return quote(source)
	}
	var ls []string
	for _, l := range strings.SplitAfter(source, "\n") {
		if l != "" {
			ls = append(ls, quote(l))
		}
	}
	if len(ls) == 0 {
		return "[]"
	}
	if indent == "" {
		return "[" + strings.Join(ls, ", ") + "]"
	}
	return "[\n" + indent + " " + strings.Join(ls, ",\n"+indent+" ") + "\n" + indent + "]"
}

// insert puts a new cell behind another, or first.
func (nb *notebook) insert(after, source, kind string, v workspace.Version) (did string, cuts []cut, err error) {
	if kind == "" {
		return "", nil, errors.New("cell_type is needed to insert a cell")
	}
	i := 0
	if after != "" {
		if i, err = nb.find(after); err != nil {
			return "", nil, err
		}
		i++
	}
	id := "c" + v.Hash // of the version it goes into, so no other insertion has it
	text := newCell(id, source, kind, nb.named())
	if !nb.named() {
		id = fmt.Sprintf("cell-%d", i)
	}
	did = "Inserted cell " + id
	switch {
	case len(nb.cells) == 0:
		return did, []cut{{nb.list.at, nb.list.end(), "[" + text + "]"}}, nil
	case i == 0:
		first := nb.cells[0].at
		return did, []cut{{first, first, text + nb.parting()}}, nil
	}
	end := nb.cells[i-1].end()
	return did, []cut{{end, end, nb.parting() + text}}, nil
}

// named reports whether cells bear ids here.
func (nb *notebook) named() bool { return len(nb.cells) == 0 || nb.cells[0].id != "" }

// parting is what stands between two cells.
func (nb *notebook) parting() string {
	if len(nb.cells) > 1 {
		return nb.content[nb.cells[0].end():nb.cells[1].at]
	}
	if indent := indentAt(nb.content, nb.cells[0].at); indent != "" {
		return ",\n" + indent
	}
	return ", "
}

func newCell(id, source, kind string, named bool) string {
	text := `{"cell_type": ` + quote(kind)
	if kind == "code" {
		text += `, "execution_count": null`
	}
	if named {
		text += `, "id": ` + quote(id)
	}
	text += `, "metadata": {}`
	if kind == "code" {
		text += `, "outputs": []`
	}
	return text + `, "source": ` + sourceText(source, false, "") + "}"
}
