package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// TestLaws holds what is true of every definition, cache and input.
func TestLaws(t *testing.T) {
	t.Run("FLT-08 FLT-09 no definition lifts layers 1 to 3, and each missing tool has the layer that took it",
		rapid.MakeCheck(filterLaw))
	t.Run("FLT-10 forks and main agents get the very tools they are given", rapid.MakeCheck(exactLaw))
	t.Run("ISO-02 a clone equals a copy whatever is read later on either side", rapid.MakeCheck(cloneLaw))
	t.Run("SUB-02 an input is read just when it is a JSON object with unique known fields, and strings mean what JSON says",
		rapid.MakeCheck(inputLaw))
	t.Run("a text in a definition is quoted as encoding/json does", rapid.MakeCheck(quoteLaw))
	t.Run("CON-12 CON-15 pages join to the whole file and none shows a line that its mark does not count", rapid.MakeCheck(pageLaw))
}

func quoteLaw(t *rapid.T) {
	parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\xff", "\u2028", "\u2029", "<&>", "\x7f", "\x00\b\f\n\r\t\"\\"})))
	s := strings.Join(parts.Draw(t, "text"), "")
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil || quote(s)+"\n" != want.String() {
		t.Fatalf("%s, want %s %v", quote(s), want.String(), err)
	}
}

// The names of the specification, spelled out apart from the tables under test.
var (
	wantLayer1 = strings.Fields("TaskOutput EnterPlanMode ExitPlanMode AskUserQuestion TaskStop")
	wantLayer2 = strings.Fields("TaskOutput EnterPlanMode ExitPlanMode AskUserQuestion TaskStop TeamCreate TeamDelete SendMessage SyntheticOutput")
	wantLayer3 = strings.Fields("Read Grep Glob Edit Write NotebookEdit Bash Skill WebFetch WebSearch TodoWrite SyntheticOutput")
)

// wantLayer says which layer must take a tool before its definition is asked.
func wantLayer(name string, who Subject) Layer {
	switch {
	case strings.HasPrefix(name, "mcp__"), name == "ExitPlanMode" && who.RunMode == permission.Plan:
		return ""
	case slices.Contains(wantLayer1, name):
		return LayerAll
	case !who.BuiltIn && slices.Contains(wantLayer2, name):
		return LayerCustom
	case who.Async && !slices.Contains(wantLayer3, name):
		return LayerAsync
	}
	return ""
}

func subjects(t *rapid.T) Subject {
	return Subject{BuiltIn: rapid.Bool().Draw(t, "builtin"), Async: rapid.Bool().Draw(t, "async"),
		RunMode: rapid.SampledFrom(permission.Modes()).Draw(t, "mode")}
}

// lists draws nil, an empty list or some names.
func lists(t *rapid.T, what string) []string {
	names := append(Names(Catalogue()), "mcp__a__b", "Task", "*", "Unknown")
	if rapid.Bool().Draw(t, what+" given") {
		return rapid.SliceOfN(rapid.SampledFrom(names), 0, 6).Draw(t, what)
	}
	return nil
}

func filterLaw(t *rapid.T) {
	all := append(Catalogue(), &Tool{Name: "mcp__a__b"})
	who, allow, deny := subjects(t), lists(t, "tools"), lists(t, "disallowedTools")
	p := Filter(all, who, allow, deny)
	for _, tool := range all {
		want := wantLayer(tool.Name, who)
		named := func(list []string) bool {
			return slices.Contains(list, "*") || slices.Contains(list, tool.Name) || tool.Name == "Agent" && slices.Contains(list, "Task")
		}
		if want == "" && (allow != nil && !named(allow) || named(deny)) {
			want = LayerDefinition
		}
		if got := p.RemovedBy(tool.Name); got != want {
			t.Fatalf("%s was taken by %q, want %q", tool.Name, got, want)
		}
		if held := p.Find(tool.Name) == tool; held != (want == "") {
			t.Fatalf("%s: held is %v, taken by %q", tool.Name, held, want)
		}
	}
	if !slices.IsSortedFunc(p.Tools, func(a, b *Tool) int { return slices.Index(all, a) - slices.Index(all, b) }) {
		t.Fatalf("the pool is out of order: %v", Names(p.Tools))
	}
}

func exactLaw(t *rapid.T) {
	all := Catalogue()
	who := subjects(t)
	who.Fork = rapid.Bool().Draw(t, "fork")
	who.Main = !who.Fork
	p := Filter(all, who, lists(t, "tools"), lists(t, "disallowedTools"))
	if len(p.Tools) != len(all) || &p.Tools[0] != &all[0] {
		t.Fatalf("another array: %v", Names(p.Tools))
	}
}

// cloneLaw reads and clones at random and compares each cache with a plain map.
func cloneLaw(t *rapid.T) {
	caches, models := []*Cache{{}}, []map[string]Entry{{}}
	paths := rapid.SampledFrom(strings.Fields("a b c d e f g h i j k l m n o p"))
	for range rapid.IntRange(1, 120).Draw(t, "steps") {
		i := rapid.IntRange(0, len(caches)-1).Draw(t, "who")
		if rapid.IntRange(0, 3).Draw(t, "clone") == 0 && len(caches) < 24 {
			copied := map[string]Entry{}
			for p, e := range models[i] {
				copied[p] = e
			}
			caches, models = append(caches, caches[i].Clone()), append(models, copied)
			continue
		}
		p, e := paths.Draw(t, "path"), Entry{Hash: rapid.StringMatching("[0-9]{2}").Draw(t, "hash")}
		caches[i].Put(p, e)
		models[i][p] = e
	}
	for i, c := range caches {
		got := map[string]Entry{}
		for _, p := range strings.Fields("a b c d e f g h i j k l m n o p") {
			if e, ok := c.Get(p); ok {
				got[p] = e
			}
		}
		if d := cmp.Diff(models[i], got); d != "" || c.Len() != len(models[i]) {
			t.Fatalf("cache %d has %d files and differs from its model: %s", i, c.Len(), d)
		}
	}
}

var lawFields = fields{{name: "a", typ: anyType}, {name: "b", typ: anyType}, {name: "é\n", typ: anyType}}

// inputs draws JSON objects, some of them broken by one changed byte.
func inputs(t *rapid.T) string {
	values := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return quote(rapid.String().Draw(t, "text")) }),
		rapid.SampledFrom([]string{"0", "-1", "1.5e+3", "01", "1.", "true", "false", "null", "nul", "[]", "[1,{}]", `{"x":[1,2]}`,
			`"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\x"`, "[1,]", "{,}", `"a`, ""}))
	names := rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u00e9\n"`, `"\u0061"`, `"c"`, `a`})
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		parts = append(parts, names.Draw(t, "name")+" :"+values.Draw(t, "value"))
	}
	s := " {" + strings.Join(parts, ", ") + "}\n"
	if rapid.IntRange(0, 2).Draw(t, "broken") == 0 {
		i := rapid.IntRange(0, len(s)-1).Draw(t, "at")
		s = s[:i] + rapid.SampledFrom([]string{"", ",", "}", "{", `"`, "\\", "x", "\x01"}).Draw(t, "with") + s[i+1:]
	}
	return s
}

func inputLaw(t *rapid.T) {
	raw := inputs(t)
	var in input
	err := lawFields.read(raw, &in)
	want, ok := readSlowly(raw)
	if ok != (err == nil) {
		t.Fatalf("%q: read says %v, encoding/json says %v", raw, err, ok)
	}
	for i, f := range lawFields {
		v, given := want[f.name]
		if given != (in[i].kind != absent) && err == nil {
			t.Fatalf("%q: field %q given: %v", raw, f.name, given)
		}
		if s, isString := v.(string); isString && err == nil && in[i].text() != s {
			t.Fatalf("%q: field %q is %q, want %q", raw, f.name, in[i].text(), s)
		}
	}
}

// readSlowly reads with encoding/json what lawFields should take.
func readSlowly(raw string) (map[string]any, bool) {
	if !utf8.ValidString(raw) || !json.Valid([]byte(raw)) || !strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	out := map[string]any{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, false
		}
		n := name.(string)
		if _, twice := out[n]; twice || !slices.ContainsFunc(lawFields, func(f field) bool { return f.name == n }) {
			return nil, false
		}
		out[n] = v
	}
	return out, true
}

// pageLaw reads a file page by page, following the marks.
func pageLaw(t *rapid.T) {
	content := rapid.StringOf(rapid.SampledFrom([]rune("ab\n\n\r[é\t"))).Draw(t, "content")
	limit := rapid.IntRange(1, 5).Draw(t, "limit")
	snap, err := workspace.NewSnapshot(map[string]string{"f": content})
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{FS: snap.Open(), Cache: &Cache{}, Marks: storyMarks, Root: "/r"}
	var text strings.Builder
	v, _ := env.FS.Stat("f")
	for offset := 1; ; {
		raw, _ := json.Marshal(map[string]any{"file_path": "/r/f", "offset": offset, "limit": limit})
		r := runRead(env, llm.NewJSON(string(raw)))
		if r.IsError {
			t.Fatal(r.Content.Raw())
		}
		from, to, total := shown(t, r.Content.Raw(), v.Hash)
		text.WriteString(numberless(r.Content.Raw(), from, to))
		if to == total {
			break
		}
		if from != offset || to != offset+limit-1 || total != v.Lines {
			t.Fatalf("asked for %d lines from %d, shown %d-%d/%d of %d", limit, offset, from, to, total, v.Lines)
		}
		offset = to + 1
	}
	if want := strings.TrimSuffix(content, "\n"); strings.TrimSuffix(text.String(), "\n") != want {
		t.Fatalf("the pages give %q, the file is %q", text.String(), want)
	}
	if e, ok := env.Cache.Get("f"); !ok || int(e.To) != v.Lines || e.Hash != v.Hash {
		t.Fatalf("the cache knows %+v of %+v", e, v)
	}
}

// shown finds the one mark of a page, which must be its last line.
func shown(t *rapid.T, text, hash string) (from, to, total int) {
	lines := strings.Split(text, "\n")
	n := 0
	storyMarks.Scan(lines[len(lines)-1], func(m mark.Mark) {
		n++
		if m.Verb != mark.File || m.Args[0] != "f" || m.Args[1] != hash {
			t.Fatalf("the mark is %v", m)
		}
		from, to, total = rangeOf(t, m.Args[2])
	})
	if n != 1 {
		t.Fatalf("%d marks in the last line of %q", n, text)
	}
	return from, to, total
}

func rangeOf(t *rapid.T, s string) (from, to, total int) {
	part, whole, _ := strings.Cut(s, "/")
	a, b, _ := strings.Cut(part, "-")
	for _, x := range []struct {
		s string
		n *int
	}{{a, &from}, {b, &to}, {whole, &total}} {
		if err := json.Unmarshal([]byte(x.s), x.n); err != nil {
			t.Fatalf("range %q: %v", s, err)
		}
	}
	return from, to, total
}

// numberless is the lines of a page as they stand in the file.
func numberless(page string, from, to int) string {
	var b strings.Builder
	for i, line := range strings.Split(page, "\n") {
		if from > 0 && i <= to-from {
			_, rest, _ := strings.Cut(line, "\t")
			b.WriteString(rest + "\n")
		}
	}
	return b.String()
}

func TestCatalogue(t *testing.T) {
	all := Catalogue()
	t.Run("FLT-01 FLT-03 the catalogue names every tool of the specification, once, in a fixed order", func(t *testing.T) {
		want := strings.Fields("Agent TaskOutput EnterPlanMode ExitPlanMode AskUserQuestion TaskStop Read Grep Glob Edit Write NotebookEdit" +
			" Bash Skill WebFetch WebSearch TodoWrite subscribe_pr_activity SyntheticOutput SendMessage TeamCreate TeamDelete TaskCreate TaskGet TaskList TaskUpdate")
		if d := cmp.Diff(want, Names(all)); d != "" {
			t.Error(d)
		}
	})
	t.Run("LOOP-03 just the tools that only look, and Agent, may run side by side", func(t *testing.T) {
		var safe []string
		for _, tool := range all {
			if tool.Safe {
				safe = append(safe, tool.Name)
			}
		}
		slices.Sort(safe)
		if d := cmp.Diff(strings.Fields("Agent Glob Grep Read TaskGet TaskList WebFetch WebSearch"), safe); d != "" {
			t.Error(d)
		}
	})
	t.Run("SUB-01 Agent answers to its old name Task", func(t *testing.T) {
		if got := Find(all, "Task"); got == nil || got.Name != "Agent" {
			t.Errorf("Task is %v", got)
		}
	})
	t.Run("definitions are JSON of a realistic size whose required fields exist", func(t *testing.T) {
		for _, tool := range all {
			checkDefinition(t, tool)
		}
	})
	t.Run("what is offered is what acts and what is named besides", func(t *testing.T) {
		got, err := Offered(all, []string{"Bash", "Read"})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.Fields("Agent TaskStop Read Grep Glob Edit Bash"), Names(got)); d != "" {
			t.Error(d)
		}
		if _, err := Offered(all, []string{"Bush"}); err == nil || !strings.Contains(err.Error(), `"Bush"`) {
			t.Errorf("an unknown name gives %v", err)
		}
	})
}

// checkDefinition reads a definition back and bounds its size, at four bytes a
// token, to 60 to 500 tokens.
func checkDefinition(t *testing.T, tool *Tool) {
	t.Helper()
	var def struct {
		Name        string
		Description string
		Schema      struct {
			Properties map[string]any
			Required   []string
		} `json:"input_schema"`
	}
	text := Definition(tool)
	if err := json.Unmarshal([]byte(text), &def); err != nil {
		t.Fatalf("%s: %v in %s", tool.Name, err, text)
	}
	if def.Name != tool.Name || def.Description != tool.Description {
		t.Errorf("%s: the definition names %s", tool.Name, def.Name)
	}
	for _, f := range def.Schema.Required {
		if _, ok := def.Schema.Properties[f]; !ok {
			t.Errorf("%s: required field %s is not among its properties", tool.Name, f)
		}
	}
	if n := len(text); n < 60*4 || n > 500*4 {
		t.Errorf("%s: the definition has %d bytes", tool.Name, n)
	}
	if len(tool.fields) > maxFields {
		t.Errorf("%s: more than %d fields", tool.Name, maxFields)
	}
}

// TestReadAllocates holds the hot path: a second Read of the same lines costs
// no allocation.
func TestReadAllocates(t *testing.T) {
	env, in := bench(t, 400)
	read := Find(Catalogue(), "Read")
	n := testing.AllocsPerRun(100, func() { read.Run(env, in) })
	if n > 1 {
		t.Errorf("a Read of lines read before allocates %v times, want at most once", n)
	}
	a, b := read.Run(env, in), read.Run(env, in)
	if a.Content != b.Content {
		t.Error("two Reads of the same lines do not share their payload")
	}
}

// TestInputs holds that what calls ask for is the same whether inputs are kept or not,
// and that what is kept has a bound.
func TestInputs(t *testing.T) {
	t.Run("SPD-05 an input that was read before is not read again, and means the same", func(t *testing.T) {
		var kept Inputs
		tools := []fields{readFields, agentFields(AgentGates{})}
		for round := range 3 {
			for _, raw := range []string{`{"file_path":"/a"}`, `{"file_path":"/a","limit":2}`, `{"file_path":1}`, `{"description":"a","prompt":"b"}`, `{`} {
				for _, fs := range tools {
					in, err := kept.read(fs, raw)
					want, wrong := (*Inputs)(nil).read(fs, raw)
					if *in != *want || fmt.Sprint(err) != fmt.Sprint(wrong) {
						t.Errorf("round %d: %s is %v and %v, want %v and %v", round, raw, in, err, want, wrong)
					}
				}
			}
			if n := len(kept.made); n != 3 {
				t.Errorf("round %d: %d are kept, want the three that are right", round, n)
			}
		}
		for i := range 2_000 {
			if _, err := kept.read(readFields, fmt.Sprintf(`{"file_path":"%01000d"}`, i)); err != nil || kept.weight > maxInputs || len(kept.made) > 1_000 {
				t.Fatalf("%v: %d are kept of %d bytes", err, len(kept.made), kept.weight)
			}
		}
	})
}

// TestAbsolute holds the quick way for names that are clean.
func TestAbsolute(t *testing.T) {
	t.Run("SPD-02 an absolute name is what path.Clean makes of it", rapid.MakeCheck(func(t *rapid.T) {
		name := rapid.StringOf(rapid.SampledFrom([]rune("a./"))).Draw(t, "name")
		if got, want := (&Env{Root: "/"}).absolute("/"+name), path.Clean("/"+name); got != want {
			t.Errorf("/%s is %s, want %s", name, got, want)
		}
	}))
}

func bench(t testing.TB, files int) (*Env, *llm.Payload) {
	tree := map[string]string{}
	for i := range files {
		tree["dir/"+strings.Repeat("x", i%17)+string(rune('a'+i%26))+".go"] = strings.Repeat("some line of code\n", 120)
	}
	tree["dir/wanted.go"] = strings.Repeat("some line of code\n", 240)
	snap, err := workspace.NewSnapshot(tree)
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{FS: snap.Open(), Cache: &Cache{}, Root: "/repo"}
	return env, llm.NewJSON(`{"file_path":"/repo/dir/wanted.go","offset":20,"limit":100}`)
}

func BenchmarkRead(b *testing.B) {
	env, in := bench(b, 400)
	read := Find(Catalogue(), "Read")
	b.ReportAllocs()
	for b.Loop() {
		env.Now = env.Now.Add(vtime.Nanosecond)
		read.Run(env, in)
	}
}

func BenchmarkCloneOf1000(b *testing.B) {
	c := &Cache{}
	for i := range 1000 {
		c.Put(string(rune('a'+i%26))+strings.Repeat("y", i/26), Entry{})
	}
	b.ReportAllocs()
	for b.Loop() {
		d := c.Clone()
		d.Put("a", Entry{})
		c.Put("b", Entry{})
	}
}
