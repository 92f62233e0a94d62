package tool

import (
	"encoding/json"
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
// present version. The other cells stay as they are.
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
	did, err := nb.change(&in, f.Version().Hash)
	if err != nil {
		return refused(fmt.Errorf("%s: %w", f.Path(), err))
	}
	return e.rewrite(f, seen, did, nb.text())
}

// rewrite gives a file another content and answers with the new version's mark.
// What was seen of it moves with the lines that are others.
func (e *Env) rewrite(f *workspace.File, seen Entry, did, content string) Result {
	whole := seen.From <= 1 && int(seen.To) == f.Version().Lines
	old, now, line := f.Content(), content, 1
	for old != "" && now != "" && old[0] == now[0] {
		line += strings.Count(old[:1], "\n")
		old, now = old[1:], now[1:]
	}
	for old != "" && now != "" && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	seen = seen.moved(int32(line), int32(strings.Count(now, "\n")-strings.Count(old, "\n")))
	v, err := e.FS.Write(f.Path(), content, e.Agent)
	if err != nil {
		return refused(err)
	}
	if whole {
		seen.From, seen.To = 1, int32(v.Lines)
	}
	return e.written(did+" of "+f.Path()+".", f.Path(), v, seen)
}

// notebook is a notebook as JSON. It is written as notebooks are: members sorted,
// each level one space deeper.
type notebook struct {
	whole map[string]any
	cells []map[string]any
}

func readNotebook(content string) (*notebook, error) {
	nb := &notebook{}
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	if err := dec.Decode(&nb.whole); err != nil {
		return nil, fmt.Errorf("it is no notebook: %w", err)
	}
	list, ok := nb.whole["cells"].([]any)
	if !ok {
		return nil, errors.New("it is no notebook: it has no list named cells")
	}
	for i, c := range list {
		cell, ok := c.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("cell %d is not an object", i)
		}
		nb.cells = append(nb.cells, cell)
	}
	return nb, nil
}

// text is the notebook with its cells as they are now.
func (nb *notebook) text() string {
	nb.whole["cells"] = nb.cells
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(nb.whole); err != nil {
		panic("tool: a notebook that was read cannot be written: " + err.Error())
	}
	return b.String()
}

// id is a cell's; one without is named cell-N, from 0.
func (nb *notebook) id(i int) string {
	if id, _ := nb.cells[i]["id"].(string); id != "" {
		return id
	}
	return fmt.Sprintf("cell-%d", i)
}

// find is the cell with the id.
func (nb *notebook) find(id string) (int, error) {
	var names []string
	for i := range nb.cells {
		if nb.id(i) == id {
			return i, nil
		}
		names = append(names, nb.id(i))
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("there is no cell %q: it has no cells", id)
	}
	return 0, fmt.Errorf("there is no cell %q: the cells are %s", id, strings.Join(names[:min(20, len(names))], ", "))
}

// change does what an input asks for, and says it. hash is of the version that is
// changed, so that no other insertion has the same id.
func (nb *notebook) change(in *input, hash string) (did string, err error) {
	id, source, kind, mode := in[1].text(), in[2].text(), in[3].text(), in[4].text()
	if mode == "insert" {
		return nb.insert(id, source, kind, "c"+hash)
	}
	if id == "" {
		return "", errors.New("cell_id is needed to replace or delete a cell")
	}
	i, err := nb.find(id)
	if err != nil {
		return "", err
	}
	if mode == "delete" {
		nb.cells = slices.Delete(nb.cells, i, i+1)
		return "Deleted cell " + id, nil
	}
	return "Replaced cell " + id, nb.replace(nb.cells[i], source, kind)
}

// replace changes a cell's source and kind. What a code cell has put out is
// not what its new source would: it goes.
func (nb *notebook) replace(cell map[string]any, source, kind string) error {
	switch cell["source"].(type) {
	case nil:
		return errors.New("the cell has no source")
	case string:
		cell["source"] = source
	default:
		cell["source"] = lines(source)
	}
	if kind != "" {
		cell["cell_type"] = kind
	}
	if _, ok := cell["outputs"]; ok {
		cell["outputs"] = []any{}
	}
	if _, ok := cell["execution_count"]; ok {
		cell["execution_count"] = nil
	}
	return nil
}

// insert puts a new cell after another, or first.
func (nb *notebook) insert(after, source, kind, id string) (did string, err error) {
	if kind == "" {
		return "", errors.New("cell_type is needed to insert a cell")
	}
	i := 0
	if after != "" {
		if i, err = nb.find(after); err != nil {
			return "", err
		}
		i++
	}
	cell := map[string]any{"cell_type": kind, "metadata": map[string]any{}, "source": lines(source)}
	if kind == "code" {
		cell["execution_count"], cell["outputs"] = nil, []any{}
	}
	if len(nb.cells) == 0 || nb.id(0) != "cell-0" {
		cell["id"] = id
	} else {
		id = fmt.Sprintf("cell-%d", i)
	}
	nb.cells = slices.Insert(nb.cells, i, cell)
	return "Inserted cell " + id, nil
}

// lines is a source as most notebooks hold it: a list.
func lines(source string) []string { return slices.AppendSeq([]string{}, strings.Lines(source)) }
