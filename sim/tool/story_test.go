package tool

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/shell"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// TestConformance tells the stories of testdata. Commands:
//
//	file PATH             put a file into the project
//	lines PATH N [width=W]   put a file of N lines into the project
//	plant PATH LINE       append a fact's mark to a line; the input is its name
//	read|grep|glob|edit|write|notebook|bash|todo [by=A] [tail=N] [took]   call the tool
//	                      with the input as its JSON, as agent A
//	show PATH             print a file as it is now
//	todos A               print an agent's list of steps
//	clone A as=B          B starts with a clone of A's read cache
//	cache A               print what A has read
//	log                   print the write log
//	pool [builtin] [async] [fork] [main] [mode=M] [tools=(…)] [deny=(…)]   filter the catalogue
//	agent [background] [fork] [names] [teams] [internal]   parse the input as a call of Agent
//	schema [background] [fork] [names] [teams] [internal]  print the Agent tool's schema
//	types A B …           print the types that the Agent tool's description lists
//	stop                  parse the input as a call of TaskStop
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			w := &world{files: map[string]string{}, caches: map[string]*Cache{}, kept: map[string]*Session{}}
			datadriven.RunTest(t, file, w.command)
		})
	}
}

// world is a project with agents that read and edit it. It opens at the first
// call, after which no file is added.
type world struct {
	files  map[string]string
	fs     *workspace.FS
	caches map[string]*Cache
	kept   map[string]*Session
	repo   shell.Repo
	now    vtime.Instant
}

var storyMarks = mark.NewKey(1)

func (w *world) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "file":
		w.files[d.CmdArgs[0].Key] = d.Input + "\n"
		return ""
	case "lines":
		w.lines(t, d)
		return ""
	case "plant":
		return w.plant(t, d)
	case "read", "grep", "glob", "edit", "write", "notebook", "bash", "todo", "subscribe":
		return w.call(t, d)
	case "show":
		w.open(t)
		text, _ := w.fs.Content(d.CmdArgs[0].Key)
		return text
	case "todos":
		return fmt.Sprintf("%+v", w.session(d.CmdArgs[0].Key).Todos)
	case "clone":
		var as string
		d.ScanArgs(t, "as", &as)
		w.caches[as] = w.cache(d.CmdArgs[0].Key).Clone()
		return ""
	case "cache":
		return w.remembered(d.CmdArgs[0].Key)
	case "log":
		return fmt.Sprintln(w.fs.Log())
	case "pool":
		return filtered(t, d)
	case "agent":
		return parsed(d)
	case "schema":
		_, schema := AgentSchema(AgentOptions{AgentGates: gates(d)})
		return schema
	case "types":
		return listedTypes(d)
	case "stop":
		id, err := ParseStopInput(llm.NewJSON(d.Input))
		return fmt.Sprintf("id=%q error=%v", id, err)
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

func (w *world) lines(t *testing.T, d *datadriven.TestData) {
	n, width := 0, 0
	if _, err := fmt.Sscan(d.CmdArgs[1].Key, &n); err != nil {
		d.Fatalf(t, "%v", err)
	}
	d.MaybeScanArgs(t, "width", &width)
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d%s\n", i, strings.Repeat(".", width))
	}
	w.files[d.CmdArgs[0].Key] = b.String()
}

func (w *world) open(t *testing.T) {
	if w.fs != nil {
		return
	}
	snap, err := workspace.NewSnapshot(w.files)
	if err != nil {
		t.Fatal(err)
	}
	w.fs = snap.Open()
}

func (w *world) plant(t *testing.T, d *datadriven.TestData) string {
	w.open(t)
	line := 0
	if _, err := fmt.Sscan(d.CmdArgs[1].Key, &line); err != nil {
		d.Fatalf(t, "%v", err)
	}
	if err := w.fs.Plant(d.CmdArgs[0].Key, line, storyMarks.Text(mark.Fact, d.Input)); err != nil {
		return err.Error()
	}
	return ""
}

func (w *world) cache(agent string) *Cache {
	if w.caches[agent] == nil {
		w.caches[agent] = &Cache{}
	}
	return w.caches[agent]
}

func (w *world) session(agent string) *Session {
	if w.kept[agent] == nil {
		w.kept[agent] = &Session{}
	}
	return w.kept[agent]
}

var runners = map[string]string{"read": "Read", "grep": "Grep", "glob": "Glob", "edit": "Edit",
	"write": "Write", "notebook": "NotebookEdit", "bash": "Bash", "todo": "TodoWrite", "subscribe": SubscribeName}

func (w *world) call(t *testing.T, d *datadriven.TestData) string {
	w.open(t)
	by, tail := "main", 0
	d.MaybeScanArgs(t, "by", &by)
	d.MaybeScanArgs(t, "tail", &tail)
	w.now = w.now.Add(vtime.Second)
	env := &Env{FS: w.fs, Cache: w.cache(by), Marks: storyMarks, Now: w.now, Root: "/repo", Agent: int32(len(by)),
		Session: w.session(by), Repo: &w.repo}
	r := Find(Catalogue(), runners[d.Cmd]).Run(env, llm.NewJSON(d.Input))
	text := r.Content.Raw()
	if all := strings.Split(text, "\n"); tail > 0 && len(all) > tail {
		text = "…\n" + strings.Join(all[len(all)-tail:], "\n")
	}
	if r.IsError {
		text = "error: " + text
	}
	if r.Shell != nil {
		text += fmt.Sprintf("\nshell: background=%v about=%q wrote=%v temp=%v unknown=%v", r.Shell.Background, r.Shell.About, r.Shell.Wrote, r.Shell.Temp, r.Shell.Unknown)
	}
	if d.HasArg("took") {
		text += "\ntook " + r.Took.String()
	}
	return strings.ReplaceAll(text, "\t", "→")
}

func (w *world) remembered(agent string) string {
	var b strings.Builder
	c := w.cache(agent)
	fmt.Fprintf(&b, "%d files\n", c.Len())
	for _, p := range w.fs.Paths() {
		if e, ok := c.Get(p); ok {
			fmt.Fprintf(&b, "%s %s lines %d-%d at %v\n", p, e.Hash, e.From, e.To, e.ReadAt)
		}
	}
	return b.String()
}

func filtered(t *testing.T, d *datadriven.TestData) string {
	who := Subject{BuiltIn: d.HasArg("builtin"), Async: d.HasArg("async"), Fork: d.HasArg("fork"), Main: d.HasArg("main")}
	var allow, deny []string
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "mode":
			who.RunMode = permission.Mode(a.Vals[0])
		case "tools":
			allow = append([]string{}, a.Vals...)
		case "deny":
			deny = append([]string{}, a.Vals...)
		}
	}
	all := append(Catalogue(), &Tool{Name: "mcp__tracker__search", MCP: true})
	return describe(all, Filter(all, who, allow, deny))
}

// describe lists what a pool holds and what each layer took.
func describe(all []*Tool, p *Pool) string {
	taken := map[Layer][]string{}
	for _, t := range all {
		if l := p.RemovedBy(t.Name); l != "" {
			taken[l] = append(taken[l], t.Name)
		}
	}
	text := "holds: " + strings.Join(Names(p.Tools), " ")
	for _, l := range []Layer{LayerAll, LayerCustom, LayerAsync, LayerDefinition} {
		if len(taken[l]) > 0 {
			text += "\n" + string(l) + ": " + strings.Join(taken[l], " ")
		}
	}
	return text
}

func gates(d *datadriven.TestData) AgentGates {
	return AgentGates{Background: d.HasArg("background"), Fork: d.HasArg("fork"), Names: d.HasArg("names"), Teams: d.HasArg("teams"), Internal: d.HasArg("internal"),
		Coordinator: d.HasArg("coordinator")}
}

func parsed(d *datadriven.TestData) string {
	in, ignored, err := (*Inputs)(nil).Agent(llm.NewJSON(d.Input), gates(d))
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%+v\nignored: %v", in, ignored)
}

func listedTypes(d *datadriven.TestData) string {
	var o AgentOptions
	for _, a := range d.CmdArgs {
		o.Types = append(o.Types, AgentType{Name: a.Key, WhenFor: "for " + a.Key + " work.", Tools: "all tools"})
	}
	text, _ := AgentSchema(o)
	_, list, _ := strings.Cut(text, "Types of agents:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	return list
}
