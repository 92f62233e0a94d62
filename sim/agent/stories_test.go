package agent_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

// TestStories runs the text stories in testdata. Each file is one world.
//
//	world [interactive=false] [policy=random] [seed=N] [hold=5s] [over=N preview=N]
//	      [rerender] [fresh] [depth=N] [turns=N] [bytes=N] [retries=N] [mode=…] [children=acceptEdits] [typed] [tools=(…)] [window=N tokens] [evict=30m] [isolation] [repository=none|empty]
//	      [NAME=value for a gate]…
//	file PATH, the content below
//	script LINEAGE, one turn a line: `think …; text …; use Tool {json}; …`;
//	      `fail 529; fail 429 2s; text …` fails as many attempts first; `take 3s; …`
//	      sets how long the call takes (1s); `cling 9s; …` hears an abort so much later;
//	      `stop refusal`, `size 900` (of the prompt), `again` and `copy` are the answer's too;
//	      $TASK1 is the first launched task's id
//	root [name=main] [plan=agent|last|automatic|none|explicit at=(…)] [fourth] [thinking] [start=1s] [turns=N],
//	      the user's first message, - for none, and then a step a line: `at 3s message …`,
//	      `at 3s interrupt [message …]`, `at 3s kill`, `at 3s background`, `at 3s show LINEAGE|none`, `idle message …`,
//	      `idle effort high …`; with `on KIND [agent=…] [tool=…] [nth=N]` in place of the instant
//	rules, each line `deny|ask|allow|cli RULE`, or `allowed TYPE RULE`
//	answers, each line `[agent=GLOB] [nth=N] [RULE] allow|always|deny|edit|never [AFTER] [feedback or input]`
//	crash at=2s agent=LINEAGE
//	flip at=2s gate=NAME value=true
//	threshold at=2s over=N preview=N: of content replacement
//	definition TYPE [tools=(…)] [deny=(…)] [model=…] [turns=N] [mode=…] [background] [policy] [isolation=worktree], its prompt below
//	builtin TYPE: a built-in definition that is not listed where nothing is said
//	run show=(kind, …) [end]: the lines of those kinds of events, and the run's end
//	request LINEAGE CALL [from=N]: the blocks it sent and its markers
//	notices LINEAGE CALL: the notifications in it
//	same LINEAGE CALL LINEAGE CALL: how far two requests are the same bytes
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			s := newStory(t)
			datadriven.RunTest(t, f, s.command)
		})
	}
}

func (s *story) command(t *testing.T, d *datadriven.TestData) string {
	s.t = t
	switch d.Cmd {
	case "world":
		s.setWorld(d)
	case "file":
		s.files[d.CmdArgs[0].Key] = d.Input + "\n"
	case "script":
		s.model.scripts[d.CmdArgs[0].Key] = strings.Split(d.Input, "\n")
	case "root":
		s.addRoot(d)
	case "flip":
		gate, value := arg(d, "gate"), arg(d, "value")
		s.at(s.duration(arg(d, "at")), func(w *agent.World) error { return w.FlipGate(gate, value) })
	case "threshold":
		over, preview := s.number(arg(d, "over")), s.number(arg(d, "preview"))
		s.at(s.duration(arg(d, "at")), func(w *agent.World) error { w.SetReplacement(over, preview); return nil })
	case "crash":
		lineage := arg(d, "agent")
		s.at(s.duration(arg(d, "at")), func(w *agent.World) error { return w.Crash(lineage) })
	case "rules":
		s.rules(strings.Split(d.Input, "\n"))
	case "answers":
		s.answers(strings.Split(d.Input, "\n"))
	case "definition":
		s.define(d)
	case "builtin":
		gates := gate.Default()
		for _, def := range agent.EveryBuiltIn(&gates) {
			if def.Type == d.CmdArgs[0].Key {
				s.cfg.Definitions = append(s.cfg.Definitions, def)
			}
		}
	case "run":
		s.run()
		var kinds []string
		for _, a := range d.CmdArgs {
			kinds = append(kinds, a.Vals...)
		}
		for _, wrong := range s.check() {
			t.Error(wrong)
		}
		if d.HasArg("end") {
			s.outcome += " at " + s.end.String()
		}
		return s.lines(kinds) + s.outcome
	case "request":
		return s.request(d.CmdArgs[0].Key+" "+d.CmdArgs[1].Key, s.number(arg(d, "from")))
	case "notices":
		return s.notices(d.CmdArgs[0].Key + " " + d.CmdArgs[1].Key)
	case "same":
		k := func(i int) string { return d.CmdArgs[i].Key }
		return s.same(k(0)+" "+k(1), k(2)+" "+k(3))
	default:
		t.Fatalf("unknown command %s", d.Cmd)
	}
	return ""
}

func arg(d *datadriven.TestData, key string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return ""
}

func (s *story) duration(v string) vtime.Duration {
	d, err := vtime.ParseDuration(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *story) setWorld(d *datadriven.TestData) {
	for _, a := range d.CmdArgs {
		v := ""
		if len(a.Vals) > 0 {
			v = a.Vals[0]
		}
		switch a.Key {
		case "interactive":
			s.cfg.Interactive = v == "true"
		case "policy":
			s.policy = v
		case "seed":
			fmt.Sscan(v, &s.seed)
		case "hold":
			s.cfg.FanOut = agent.FanOut{HoldUntilFirst: true, Cap: s.duration(v)}
		case "over":
			fmt.Sscan(v, &s.cfg.Over)
		case "preview":
			fmt.Sscan(v, &s.cfg.Preview)
		case "rerender":
			s.cfg.Forks.Rerender = true
		case "typed":
			s.cfg.Forks.TypedChildren = true
		case "children":
			s.cfg.Permissions.Children = permission.Mode(v)
		case "dir":
			s.cfg.Forks.Directory = v
		case "fresh":
			s.cfg.Forks.FreshRepl = true
		case "window":
			n := int64(s.number(v))
			s.cfg.Compaction = agent.Compaction{Share: 80, Window: func(string) int64 { return n }}
		case "depth":
			fmt.Sscan(v, &s.cfg.Limits.Depth)
		case "bytes":
			fmt.Sscan(v, &s.cfg.Limits.Bytes)
		case "mode":
			s.cfg.Mode = permission.Mode(v)
		case "tools":
			s.offered = a.Vals
		case "evict":
			s.cfg.EvictAfter = s.duration(v)
		case "turns":
			fmt.Sscan(v, &s.cfg.Limits.Turns)
		case "repository":
			s.cfg.Repository.None, s.cfg.Repository.Empty = v == "none", v == "empty"
		case "retries":
			fmt.Sscan(v, &s.cfg.Retry.Max)
		default:
			s.gates[a.Key] = v
		}
	}
}

func (s *story) addRoot(d *datadriven.TestData) {
	r := root{RootSpec: agent.RootSpec{Lineage: "main", Model: "claude-sonnet-4-6", Plan: &agent.Plan{Name: agent.PlanAgent}}}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "name":
			r.Lineage = a.Vals[0]
		case "plan":
			r.Plan.Name = agent.PlanName(a.Vals[0])
		case "at":
			var at []int
			for _, v := range a.Vals {
				at = append(at, s.number(v))
			}
			r.Plan.Explicit = []llm.Marks{{At: at}}
		case "fourth":
			r.Plan.Fourth = true
		case "thinking":
			r.Settings.Thinking, r.Settings.ThinkingBudget = llm.ThinkingEnabled, 4000
		case "start":
			r.Start = s.duration(a.Vals[0])
		case "turns":
			r.MaxTurns = s.number(a.Vals[0])
		case "bare":
			r.Bare = true
		}
	}
	lines := strings.Split(d.Input, "\n")
	if lines[0] != "-" {
		r.First = text(lines[0])
	}
	for _, line := range lines[1:] {
		r.Steps = append(r.Steps, s.step(line))
	}
	s.roots = append(s.roots, r)
}

// step parses one of the user's steps.
func (s *story) step(line string) user.Step {
	var st user.Step
	f := strings.Fields(line)
	if f[0] == "at" {
		st.Timed, st.At = true, s.duration(f[1])
		f = f[1:]
	}
	if f[0] == "on" {
		st.On = &user.Trigger{Kind: f[1]}
		for f = f[1:]; len(f) > 1 && strings.Contains(f[1], "="); f = f[1:] {
			switch key, v, _ := strings.Cut(f[1], "="); key {
			case "agent":
				st.On.Agent = v
			case "tool":
				st.On.Tool = v
			case "nth":
				st.On.Nth = s.number(v)
			}
		}
	}
	f = f[1:]
	if f[0] == "effort" {
		st.Settings = &llm.Settings{Effort: f[1]}
		if f = f[2:]; len(f) == 0 {
			return st
		}
	}
	switch f[0] {
	case "interrupt":
		st.Interrupt = true
		if len(f) > 1 {
			st.Message = text(strings.Join(f[2:], " "))
		}
	case "kill":
		st.KillAgents = true
	case "background":
		st.Background = true
	case "show":
		st.Show = f[1]
	case "message":
		st.Message = text(strings.Join(f[1:], " "))
	}
	return st
}

func (s *story) number(v string) (n int) {
	if v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			s.t.Fatal(err)
		}
	}
	return n
}

// define adds a custom definition.
func (s *story) define(d *datadriven.TestData) {
	def := &agent.Definition{Type: d.CmdArgs[0].Key, Description: "A kind of agent.", Prompt: func(*gate.Set) string { return d.Input }}
	for _, a := range d.CmdArgs[1:] {
		switch a.Key {
		case "tools":
			def.Tools = a.Vals
		case "deny":
			def.Disallowed = a.Vals
		case "model":
			def.Model = a.Vals[0]
		case "turns":
			def.MaxTurns = s.number(a.Vals[0])
		case "background":
			def.Background = true
		case "policy":
			def.Source = agent.FromPolicy
		case "mode":
			def.Mode = permission.Mode(a.Vals[0])
		case "isolation":
			def.Isolation = a.Vals[0]
		}
	}
	s.cfg.Definitions = append(s.cfg.Definitions, def)
}

func text(s string) []llm.Block {
	return []llm.Block{{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)}}
}

// request prints a request block by block.
func (s *story) request(name string, from int) string {
	head := s.model.heads[name]
	if head == nil {
		return "never sent"
	}
	var lines []string
	for n := head; n != nil; n = n.Parent {
		if n.IsBorder() || int(n.Pos) < from {
			continue
		}
		who := n.Level.String()
		if n.Role != llm.NoRole {
			who = n.Role.String()
		}
		body := strings.ReplaceAll(n.Block.Content.Raw(), "\n", "⏎")
		if n.Block.Kind == llm.ToolDef {
			body = n.Block.Name
		}
		if r := []rune(body); len(r) > 100 {
			body = string(r[:60]) + " … " + string(r[len(r)-30:])
		}
		lines = append([]string{fmt.Sprintf("%2d %-9s %-11s %s", n.Pos, who, n.Block.Kind, body)}, lines...)
	}
	st := s.model.settings[name]
	tail := fmt.Sprintf("marks %v · model %s · thinking %s", s.model.marks[name], s.model.models[name], st.Thinking)
	if st.Effort != "" {
		tail += " · effort " + st.Effort
	}
	return strings.Join(append(lines, tail), "\n")
}

// notices prints the notifications in a request, in order and whole.
func (s *story) notices(name string) string {
	head := s.model.heads[name]
	if head == nil {
		return "never sent"
	}
	var all []string
	for n := head; n != nil; n = n.Parent {
		if !n.IsBorder() && strings.HasPrefix(n.Block.Content.Raw(), "<task-notification>") {
			all = append([]string{n.Block.Content.Raw()}, all...)
		}
	}
	return strings.Join(all, "\n")
}

// same compares two requests byte for byte and block for block.
func (s *story) same(a, b string) string {
	x, y := s.model.sent(a), s.model.sent(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	common := llm.Common(s.model.heads[a], s.model.heads[b])
	pos := int32(0)
	if common != nil {
		pos = common.Pos
	}
	return fmt.Sprintf("%d bytes and %d blocks are the same; they have %d and %d blocks", n, pos, s.model.heads[a].Pos, s.model.heads[b].Pos)
}
