package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/sim/llm"
	"agentsim/sim/workspace"
)

func TestNotebook(t *testing.T) {
	t.Run("a change of one cell leaves every other cell as it was, and a notebook that reads", rapid.MakeCheck(notebookLaw))
}

// notebookLaw makes notebooks in any layout and changes one cell at random.
func notebookLaw(t *rapid.T) {
	gap := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\t"})
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab\"\\\n {}[],é")))
	cells := make([]string, rapid.IntRange(0, 4).Draw(t, "cells"))
	for i := range cells {
		source := quote(text.Draw(t, "source"))
		if rapid.Bool().Draw(t, "list") {
			source = "[" + gap.Draw(t, "gap") + source + gap.Draw(t, "gap") + "]"
		}
		cells[i] = fmt.Sprintf(`{%s"id"%s:%q,"source":%s%s,"outputs" : [ {"a":[1]} ],"metadata":{"k": "%d"}}`, gap.Draw(t, "gap"), gap.Draw(t, "gap"), fmt.Sprint("c", i), gap.Draw(t, "gap"), source, i)
	}
	content := `{"before": [{"id":"c0"}],` + gap.Draw(t, "gap") + `"cells":[` + gap.Draw(t, "gap") + strings.Join(cells, gap.Draw(t, "gap")+","+gap.Draw(t, "gap")) + gap.Draw(t, "gap") + `],"after":1}`
	snap, err := workspace.NewSnapshot(map[string]string{"n.ipynb": content})
	if err != nil {
		t.Fatal(err)
	}
	e := &Env{FS: snap.Open(), Cache: &Cache{}, Root: "/r"}
	runRead(e, llm.NewJSON(`{"file_path":"/r/n.ipynb"}`))
	at := rapid.IntRange(0, max(0, len(cells)-1)).Draw(t, "at")
	mode := rapid.SampledFrom([]string{"replace", "insert", "delete"}).Draw(t, "mode")
	source := text.Draw(t, "new")
	in, _ := json.Marshal(map[string]string{"notebook_path": "/r/n.ipynb", "cell_id": fmt.Sprint("c", at), "new_source": source, "cell_type": "code", "edit_mode": mode})
	r := runNotebook(e, llm.NewJSON(string(in)))
	if r.IsError != (len(cells) == 0) {
		t.Fatalf("%s of cell %d of %d: %s", mode, at, len(cells), r.Content.Raw())
	}
	if r.IsError {
		return
	}
	after, _ := e.FS.Content("n.ipynb")
	checkCells(t, after, cells, at, mode, source)
	if v, _ := e.FS.Stat("n.ipynb"); !strings.Contains(r.Content.Raw(), fmt.Sprintf("n.ipynb %s 1-%d/%d", v.Hash, v.Lines, v.Lines)) {
		t.Fatalf("the mark does not name the whole new version: %s", r.Content.Raw())
	}
}

func checkCells(t *rapid.T, after string, cells []string, at int, mode, source string) {
	var nb struct{ Cells []json.RawMessage }
	if err := json.Unmarshal([]byte(after), &nb); err != nil {
		t.Fatalf("%v in %s", err, after)
	}
	got := make([]string, len(nb.Cells))
	for i, c := range nb.Cells {
		got[i] = string(c)
	}
	want := slices.Clone(cells)
	switch mode {
	case "insert":
		at++
		want = slices.Insert(want, at, "")
	case "delete":
		want = slices.Delete(want, at, at+1)
	}
	if len(got) != len(want) {
		t.Fatalf("%d cells, want %d", len(got), len(want))
	}
	for i := range got {
		if mode != "delete" && i == at {
			checkSource(t, got[i], source)
		} else if !equalJSON(t, got[i], want[i]) {
			t.Fatalf("cell %d was %s and is %s", i, want[i], got[i])
		}
	}
}

func equalJSON(t *rapid.T, a, b string) bool {
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func checkSource(t *rapid.T, cell, source string) {
	var c struct {
		Source  any
		Outputs []any
	}
	if err := json.Unmarshal([]byte(cell), &c); err != nil {
		t.Fatal(err)
	}
	got := ""
	switch s := c.Source.(type) {
	case string:
		got = s
	case []any:
		for _, l := range s {
			got += l.(string)
		}
	}
	if got != source || len(c.Outputs) > 0 {
		t.Fatalf("source %q with %v, want %q", got, c.Outputs, source)
	}
}
