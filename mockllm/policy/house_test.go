package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/fork"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/mark"
	"agentsim/sim/rng"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/workspace"
)

// house is a small world without time: agents run one after another, a child
// to its end as soon as it is started. Tools and files are the real ones.
type house struct {
	t       *testing.T
	sc      *scenarios.Scenario
	table   *Table
	model   mockllm.Source
	fs      *workspace.FS
	marks   mark.Key
	builder *llm.Builder
	scope   llm.Scope
	set     llm.Settings
	log     strings.Builder
	said    []asked // every request with its answer
	quiet   bool
	// Hooks of single tests:
	prompt func(string) string       // changes a child's prompt
	result func(*llm.Payload) string // changes a tool result
	child  func(lineage string) (dies string)
	after  func(a *agent) // after each answer
	tools  []string       // beside Read, Glob and Grep
	// compact names an agent and a call, such as main 3: behind its results the
	// history becomes a summary.
	compact string
	workers workers // a coordinator's workers
}

// asked is a request as it was recorded, and the answer it got.
type asked struct {
	head   *llm.Node
	query  mockllm.Query
	answer string
}

type agent struct {
	h       *house
	lineage string
	key     rng.Key
	head    *llm.Node
	calls   int
	cache   *tool.Cache
	session *tool.Session
	pending []string // notifications
	said    string
	tools   []string // names and targets of its tool uses
	causes  []string
}

const root = "/project"

func newHouse(t *testing.T, yaml string, sets ...string) *house {
	t.Helper()
	tools := ""
	if strings.Contains(yaml, "runs:") && !strings.Contains(yaml, "structure: coordinator") {
		tools = ", tools: [Agent, Read, Glob, Grep, Edit, Bash]"
	}
	file, err := scenarios.Parse("story.yaml", []byte("agentsim: 1\nname: story\nabout: a story\nseed: 7\nprovider: {model: claude-sonnet-4-5-20250929}\nscript: {main: {user: Do the work."+tools+"}}\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := file.Effective(file.VariantNames()[0], append(flagsFor(yaml, sets), sets...))
	if err != nil {
		t.Fatal(err)
	}
	return furnish(t, sc)
}

// flagsFor are the feature flags of a story: forks can be started where nobody
// starts sub-agents without a type.
func flagsFor(yaml string, sets []string) []string {
	structure := yaml
	for _, s := range sets {
		if word, ok := strings.CutPrefix(s, "structure="); ok {
			structure = "structure: " + word
		}
	}
	if strings.Contains(structure, "structure: subagent") || strings.Contains(structure, "structure: coordinator") {
		return []string{"interactive=true"}
	}
	return []string{"interactive=true", "gates.FORK_SUBAGENT=true"}
}

func furnish(t *testing.T, sc *scenarios.Scenario) *house {
	t.Helper()
	h := &house{t: t, sc: sc, marks: mark.NewKey(sc.Seed), builder: &llm.Builder{}, scope: llm.Scope{Model: "m"}}
	files := map[string]string{}
	for p, c := range sc.Project.Files.Literal {
		files[p] = c.Text
	}
	snap, err := workspace.NewSnapshot(files)
	if err != nil {
		t.Fatal(err)
	}
	h.fs = snap.Open()
	for _, f := range sc.Project.Facts {
		if err := h.fs.Plant(f.File, f.Line, h.marks.Text(mark.Fact, f.Name)); err != nil {
			t.Fatal(err)
		}
	}
	h.table, err = Bind(sc, Options{Files: snap.Paths(), Root: root, Says: h.line, Key: rng.Root(sc.Seed).Sub("policy"), Marks: h.marks,
		Filler: script.NewFiller(tokens.Approx("claude-sonnet-4-5"))})
	if err != nil {
		t.Fatal(err)
	}
	h.model = New(h.table)
	return h
}

// line is a line of a file.
func (h *house) line(path string, n int) string {
	content, _ := h.fs.Content(path)
	return strings.Split(content, "\n")[n-1]
}

// run plays the lead to its end.
func (h *house) run() *agent {
	a := h.start("main", nil, h.sc.Main.User.Text)
	h.live(a)
	return a
}

// start makes an agent with one user message behind the shared front.
func (h *house) start(lineage string, head *llm.Node, blocks ...string) *agent {
	a := &agent{h: h, lineage: lineage, key: rng.Root(h.sc.Seed).Sub(lineage), head: head, cache: &tool.Cache{}, session: &tool.Session{}}
	if head == nil {
		n := h.builder.Root(h.scope, llm.Salts{})
		for _, name := range []string{"Read", "Glob", "Grep"} {
			if name == "Read" || !slices.Contains(h.tools, "no searches") {
				n = h.builder.Append(n, llm.NoRole, &llm.Block{Kind: llm.ToolDef, Name: name, Content: llm.NewJSON(`{"name":"` + name + `"}`)})
			}
		}
		n = h.equip(n)
		n = h.builder.Border(n, llm.System, llm.Salts{})
		n = h.builder.Append(n, llm.NoRole, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "You are an agent.")})
		a.head = h.builder.Border(n, llm.Messages, llm.Salts{})
	}
	for _, text := range blocks {
		a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	}
	return a
}

func (a *agent) append(role llm.Role, b llm.Block) {
	a.head = a.h.builder.Append(a.head, role, &b)
}

// live is the loop: ask, act, until the agent has nothing more to do.
func (h *house) live(a *agent) {
	for a.calls < 60 {
		uses := a.ask()
		if len(uses) > 0 {
			a.use(uses)
			if fmt.Sprintf("%s %d", a.lineage, a.calls) == h.compact {
				a.sumUp()
			}
			continue
		}
		if len(a.pending) == 0 && !(a.lineage == "main" && h.relieve(a)) {
			return
		}
		text := a.pending[0]
		a.pending = a.pending[1:]
		a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	}
	h.t.Fatalf("%s does not come to an end:\n%s", a.lineage, h.log.String())
}

// ask makes one request and appends the answer.
func (a *agent) ask() (uses []llm.Block) {
	h := a.h
	q := mockllm.Query{Head: a.head, Model: "m", Settings: h.set, MaxTokens: 8192,
		Stream: llm.StreamName{Lineage: a.lineage, Key: a.key, Call: a.calls}}
	var ans mockllm.Answer
	ans.Reset()
	if err := h.model.Answer(&q, &ans); err != nil {
		fmt.Fprintf(&h.log, "%s %d: %v\n", a.lineage, a.calls, err)
		return nil
	}
	h.said = append(h.said, asked{a.head, q, render(&ans)})
	h.trace(a, &ans)
	a.calls++
	for i, b := range ans.Blocks {
		a.append(llm.Assistant, b)
		switch b.Kind {
		case llm.ToolUse:
			uses = append(uses, b)
			a.tools = append(a.tools, b.Name+" "+target(b.Content.Raw()))
			if i < len(ans.Causes) && ans.Causes[i] != "" {
				a.causes = append(a.causes, ans.Causes[i])
			}
		case llm.Text:
			a.said = b.Content.Raw()
		}
	}
	if h.after != nil {
		h.after(a)
	}
	return uses
}

// sumUp asks for a summary and starts over with it, as the agent layer does.
func (a *agent) sumUp() {
	a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, compactionOpen+" Sum up.")})
	directive := llm.Block{}
	for n := a.head; !n.IsBorder(); n = n.Parent {
		if strings.HasPrefix(n.Block.Content.Raw(), forkTag) {
			directive = *n.Block
		}
	}
	a.ask()
	for a.head.Level != llm.Messages || !a.head.IsBorder() {
		a.head = a.head.Parent
	}
	if directive.Content != nil {
		a.append(llm.User, directive)
	}
	a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, summaryOpen+"\n"+a.said+"\n</conversation-summary>")})
	a.cache.Clear()
}

// use runs the tools and appends their results.
func (a *agent) use(uses []llm.Block) {
	front, h := a.head, a.h
	var results []llm.Block
	for i, u := range uses {
		var r tool.Result
		switch {
		case h.sc.Structure.Base() == scenarios.Coordinated && (u.Name == agentTool || u.Name == h.table.names.send):
			r = h.employ(a, &u, i)
		case u.Name == agentTool:
			r = a.spawn(front, uses, i)
		default:
			env := &tool.Env{FS: a.h.fs, Cache: a.cache, Marks: a.h.marks, Root: root, Session: a.session, Programs: a.h.programs()}
			r = tool.Find(tool.Catalogue(), u.Name).Run(env, u.Content)
		}
		if a.h.result != nil {
			r.Content = llm.NewText(llm.Prose, a.h.result(r.Content))
		}
		results = append(results, llm.Block{Kind: llm.ToolResult, ID: u.ID, IsError: r.IsError, Content: r.Content})
	}
	for _, r := range results {
		a.append(llm.User, r)
	}
}

// spawn runs a child to its end.
func (a *agent) spawn(front *llm.Node, uses []llm.Block, i int) tool.Result {
	h := a.h
	forks := h.sc.Structure.Base() == scenarios.Fork
	in, _, err := (*tool.Inputs)(nil).Agent(uses[i].Content, tool.AgentGates{Background: true})
	if err != nil {
		return tool.Error(err.Error())
	}
	if h.prompt != nil {
		in.Prompt = h.prompt(in.Prompt)
	}
	lineage := fmt.Sprintf("%s/%d.%d", a.lineage, a.calls-1, i+1)
	var c *agent
	if forks {
		c = h.start(lineage, front)
		c.cache = a.cache.Clone()
		for _, b := range fork.NewMaker().Message(&llm.Msg{Role: llm.Assistant, Blocks: uses}, in.Prompt).Blocks {
			c.append(llm.User, b)
		}
	} else {
		c = h.start(lineage, nil, in.Prompt)
	}
	dies := ""
	if h.child != nil {
		dies = h.child(lineage)
	}
	if dies == "" {
		h.live(c)
	}
	return a.report(c, in, dies, forks)
}

func (a *agent) report(c *agent, in tool.AgentInput, dies string, forks bool) tool.Result {
	if forks || in.Background {
		n := task.Notification{TaskID: "a0123", OutputFile: "o", Status: task.Completed, Description: in.Description, Result: c.said}
		if dies != "" {
			n.Status, n.Error = task.Failed, dies
		}
		a.pending = append(a.pending, n.Render())
		return tool.Result{Content: llm.NewText(llm.Prose, `{"status":"async_launched","agentId":"a0123"}`)}
	}
	if dies != "" {
		return tool.Error("Agent a0123 failed: " + dies)
	}
	b := llm.AppendQuoted([]byte(`{"status":"completed","agentId":"a0123","content":[{"type":"text","text":`), c.said)
	return tool.Result{Content: llm.NewText(llm.Prose, string(b)+`}]}`)}
}

// trace writes what an answer does, one line.
func (h *house) trace(a *agent, ans *mockllm.Answer) {
	if h.quiet {
		return
	}
	var parts []string
	for i := range ans.Blocks {
		b := &ans.Blocks[i]
		s := ""
		switch b.Kind {
		case llm.ToolUse:
			s = b.Name + " " + target(b.Content.Raw())
		case llm.Text:
			s = h.words(b.Content.Raw())
		default:
			s = b.Kind.String()
		}
		if i < len(ans.Causes) && ans.Causes[i] != "" {
			s += " (" + ans.Causes[i] + ")"
		}
		parts = append(parts, s)
	}
	fmt.Fprintf(&h.log, "%s %d: %s\n", a.lineage, a.calls, strings.Join(parts, " · "))
}

// words are the marks of a text, or its first words.
func (h *house) words(s string) string {
	var marks []string
	h.marks.Scan(s, func(m mark.Mark) {
		w := string(m.Verb)
		for i, arg := range m.Args {
			if arg != "" && !(m.Verb == mark.On && i == 1) {
				w += " " + arg
			}
		}
		marks = append(marks, w)
	})
	out := "words"
	if len(marks) > 0 {
		out = "[" + strings.Join(marks, "; ") + "]"
	} else if strings.Contains(s, "still at work") || strings.Contains(s, "items of work are") {
		out = `"` + s[:strings.IndexAny(s, ".;")] + `"`
	}
	if strings.HasPrefix(s, "Scope:") {
		out = "Scope: " + out
	}
	if i := strings.Index(s, "Left out"); i >= 0 {
		out += " " + strings.SplitN(s[i:], "\n", 2)[0]
	}
	return out
}

// target is what a tool use is about.
func target(in string) string {
	field := func(name string) string {
		_, rest, ok := strings.Cut(in, `"`+name+`":`)
		if !ok {
			return ""
		}
		if strings.HasPrefix(rest, `"`) {
			return strings.ReplaceAll(unquote(rest[1:]), "\n", " ")
		}
		return rest[:strings.IndexAny(rest, ",}")]
	}
	switch {
	case field("file_path") != "" && field("old_string") != "":
		return strings.TrimPrefix(field("file_path"), root+"/") + " at " + fmt.Sprintf("%.24q", strings.TrimSpace(field("old_string")))
	case field("file_path") != "":
		s := strings.TrimPrefix(field("file_path"), root+"/")
		if o := field("offset"); o != "" || field("limit") != "" {
			s += ":" + o + "+" + field("limit")
		}
		return s
	case field("command") != "":
		return "{" + field("command") + "}"
	case field("pattern") != "":
		return field("pattern")
	case field("to") != "":
		return "to " + field("to")
	}
	extra := ""
	if field("subagent_type") != "" {
		extra = " as " + field("subagent_type")
	}
	if field("run_in_background") == "true" {
		extra += " in background"
	}
	return `"` + field("description") + `"` + extra
}

// render is an answer as text, whole.
func render(a *mockllm.Answer) string {
	var b strings.Builder
	for i := range a.Blocks {
		k := &a.Blocks[i]
		fmt.Fprintf(&b, "%s %s %s %s\n", k.Kind, k.ID, k.Name, k.Content.Raw())
	}
	fmt.Fprintf(&b, "%v %v %d", a.Causes, a.Stop, a.Output)
	return b.String()
}
