package heads

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/client"
	"agentsim/sim/kernel"
	"agentsim/sim/project"
	"agentsim/sim/workspace"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	t.Run("REPO-05 a head grows over the threshold where its own changes do, exactly, and what the client puts there does not count", threshold)
	t.Run("REPO-05 a baseline that is read again compares as equal, and holds no text", written)
	t.Run("REPO-05 lines that are new, and lines that changed places, are named by their lines of the file", numbers)
	t.Run("REPO-05 of lines that are once in both texts, those that were only moved about are reordered, and an insertion or a removal reorders none", orders)
	t.Run("REPO-06 a head is reordered where its lines are, in whatever file they are now, and lines without a word are in no order", across)
	t.Run("REPO-06 an agent's head grows by what its definition lets in, though no text grew", letIn)
	t.Run("REPO-05 tools that a definition lists, denies or needs are the repository's choice, at its line, and a head grows by them", chosen)
	t.Run("REPO-05 what an agent is given of what others have is at the field of its definition that says so", letInFields)
	t.Run("REPO-05 tools that another client has, that come with skills, or that settings take away, are nobody's definition's choice", notChosen)
	t.Run("REPO-05 a part costs all that have it, each at its own model and turns, and a fork reads what its lead wrote", summed)
	t.Run("REPO-05 another model of an agent is a change with its money, and one that is dearer by over the threshold fails", remodelled)
	t.Run("REPO-05 what is assumed of a server is told apart where a head grew by it alone", guessed)
	t.Run("REPO-05 what no longer matches the cache is counted from the first line that is not the baseline's, whatever became of it", from)
	t.Run("REPO-05 agents have the parts that their client gives them: no memory for Explore and Plan, no servers' tools where a definition lists its own", whose)
	t.Run("REPO-03 REPO-05 a tool has the text of a request where that has it, and is assumed where its server was not asked", defined)
	t.Run("REPO-05 an agent has the lifetime of its own definition, and the main agent's model where nothing is known of its own", defaulted)
	t.Run("REPO-05 a part under another name is the same bytes, but for those whose name stands in front of them", renamed)
}

// of makes heads of what was found, of definitions with their files, and of built-in types.
func of(files map[string]string, builtIns []string, parts ...project.Part) *Heads {
	sc := scenarios.Defaults()
	sc.Provider.Model, sc.Provider.Aliases = "claude-sonnet-5-5", map[string]string{"haiku": "claude-haiku-5-5"}
	sc.Project.Client, sc.Project.Agents.BuiltIns = client.Default, builtIns
	for _, p := range parts {
		sc.Project.Parts = append(sc.Project.Parts, scenarios.FrontPart{Kind: string(p.Kind), Name: p.Name, From: p.From, Text: scenarios.Content{Text: p.Text}})
	}
	defined, err := workspace.NewSnapshot(files)
	if err != nil {
		panic(err)
	}
	fronts, err := (&sim.Spec{Scenario: sc, Policy: kernel.FIFO().Name(), Project: defined}).Fronts()
	if err != nil {
		panic(err)
	}
	h := Of(Input{Found: &project.Found{Layout: client.Find(client.Default), Parts: parts}, Fronts: fronts, Price: cachemodel.Lookup, Semantics: 3})
	h.Note(nil)
	return h
}

// own is a file that defines agents of type own.
func own(tools string) map[string]string {
	return map[string]string{".claude/agents/own.md": "---\nname: own\ndescription: d\ntools: " + tools + "\n---\nYou.\n"}
}

// repository is what was found of a repository with one memory file and one server.
func repository(memory string) *Heads {
	return of(own("Read"), []string{"Plan"}, project.Part{Kind: client.Git, From: "git", Text: "Branch: main"},
		project.Part{Kind: client.Memory, From: "CLAUDE.md:1", Text: memory},
		project.Part{Kind: client.Deferred, Name: "mcp__a__b", From: ".agentsim/mcp/a.json:1", Text: "mcp__a__b"})
}

func share(text string) metrics.Value {
	v, err := metrics.ParseValue(text)
	if err != nil {
		panic(err)
	}
	return v
}

func compare(base, now *Heads, limit, text string) *Report {
	return Compare(base, now, DefaultDay, share(limit), nil, func(string) string { return text })
}

func threshold(t *testing.T) {
	base := repository(strings.Repeat("one line of it\n", 200))
	_, was := base.Tokens(base.Agents[0])
	now := repository(strings.Repeat("one line of it\n", 204))
	_, is := now.Tokens(now.Agents[0])
	exactly := fmt.Sprintf("%d", is-was)
	for limit, fails := range map[metrics.Value]bool{{Num: is - was, Den: was}: false, {Num: is - was - 1, Den: was}: true} { // order: each is a case of its own
		if got := Compare(base, now, DefaultDay, limit, nil, func(string) string { return "" }).Agents[0].Missed; got != fails {
			t.Errorf("%s more of %d with a limit of %d/%d: fails %v", exactly, was, limit.Num, limit.Den, got)
		}
	}
	now = repository(strings.Repeat("one line of it\n", 200))
	for _, p := range now.Parts {
		if p.Assumed || p.Varies {
			p.Bytes, p.Tokens = p.Bytes*2, p.Tokens*2
		}
	}
	r := compare(base, now, "0%", "")
	if r.Fails() || len(r.Changes) == 0 || !slices.ContainsFunc(r.Changes, func(x Change) bool { return x.Theirs }) || slices.ContainsFunc(r.Changes, func(x Change) bool { return !x.Theirs }) {
		t.Errorf("the client's own parts are twice as large: %+v", r)
	}
}

func written(t *testing.T) {
	h := repository("secret words\nof a file")
	var b strings.Builder
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	base, err := Read("x", b.String())
	if err != nil || strings.Contains(b.String(), "secret") {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if r := compare(base, h, "0%", ""); len(r.Changes) > 0 || r.Fails() || r.Tool != nil || r.Prices != nil {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"", "{", `{"agentsim_check":9}`, `{"agentsim_check":1,"agents":[{"agent":"main","parts":[7]}]}`, `{"agentsim_check":1,"agents":[null]}`} {
		if _, err := Read("x", bad); err == nil || !strings.HasPrefix(err.Error(), "x:") || !strings.Contains(err.Error(), "agentsim check --update") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func numbers(t *testing.T) {
	const file = "<!-- of nobody -->\na\nb\nc\nd\n"
	for _, c := range []struct{ was, is, file, want string }{
		{"a\nb\nc\nd", "a\nb\nnew\nnewer\nc\nd", "<!-- of nobody -->\na\nb\nnew\nnewer\nc\nd\n", "grew 4-5"},
		{"a\nb\nc\nd", "b\na\nc\nd", "<!-- of nobody -->\nb\na\nc\nd\n", "reordered 2-2"},
		{"a\nb\nc\nd\ne", "a\nc\nd", "a\nc\nd\n", "shrank 2-3"},
		{"a\nb\nnew\nc\nd", "a\nb\nc\nd", file, "shrank 4-4"},
		{"a\nb\nc\nd", "a\nb\nc\nd", file, ""},
		{"a\nb\nc", "x\na\nb\nc\ny", "<!-- of nobody -->\nx\na\nb\nc\ny\n", "grew 2-2 6-6"},
	} {
		var got []string
		for _, x := range compare(repository(c.was), repository(c.is), "0%", c.file).Changes {
			text := x.What
			for _, l := range x.Lines {
				text += fmt.Sprintf(" %d-%d", l.First, l.Last)
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q → %q: %s, want %s", c.was, c.is, strings.Join(got, ", "), c.want)
		}
	}
}

func orders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3}`), 2, 30, rapid.ID).Draw(t, "lines")
		at := rapid.IntRange(0, len(was)).Draw(t, "at")
		more := rapid.SliceOfN(rapid.StringMatching(`[A-Z]{2}`), 0, 10).Draw(t, "more")
		longer := slices.Insert(slices.Clone(was), at, more...)
		if turned(was, longer) != nil || turned(longer, was) != nil {
			t.Fatalf("%v in %v at %d: reordered", more, was, at)
		}
		i, j := rapid.IntRange(0, len(was)-1).Draw(t, "i"), rapid.IntRange(0, len(was)-1).Draw(t, "j")
		swapped := slices.Clone(was)
		swapped[i], swapped[j] = swapped[j], swapped[i]
		if got := turned(was, swapped); (i != j) != (got != nil) || i != j && (got[0] < min(i, j) || got[len(got)-1] > max(i, j) || len(got) > 2) {
			t.Fatalf("%v → %v: %v", was, swapped, got)
		}
	})
}

func whose(t *testing.T) {
	h := repository("memory")
	for kind, want := range map[client.Kind]string{
		client.Memory: "main fork general-purpose own", client.Git: "main fork general-purpose own", client.Deferred: "main fork general-purpose Explore Plan",
	} { // order: each is a case of its own
		i := slices.IndexFunc(h.Parts, func(p *Part) bool { return p.Kind == kind })
		if got := strings.Join(h.Who(i), " "); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	for _, a := range h.Agents {
		if !slices.IsSortedFunc(a.Parts, func(x, y int) int { return order(h.Parts[x].Place) - order(h.Parts[y].Place) }) {
			t.Errorf("%s: not in the order of the prefix", a.Name)
		}
	}
}

// across splits a memory file in two and puts it together otherwise.
func across(t *testing.T) {
	h := func(texts ...string) *Heads {
		var parts []project.Part
		for i, text := range texts {
			parts = append(parts, project.Part{Kind: client.Memory, From: fmt.Sprintf("%d.md:1", i), Text: text})
		}
		return of(nil, nil, parts...)
	}
	for _, c := range []struct {
		was, is *Heads
		want    bool
	}{
		{h("a\nb\nc"), h("a\nb", "c"), false},
		{h("a\nb\nc"), h("a\nc", "b"), true},
		{h("a", "b\nc"), h("b\nc", "a"), true},
		{h("a\n---\nb\n```\nc"), h("a\n```\nb\n---\nc"), false},
		{h("a\nb\na"), h("a\na\nb"), false}, // which of them moved, nobody can tell
	} {
		r := compare(c.was, c.is, "1000%", "")
		noted := slices.ContainsFunc(r.Changes, func(x Change) bool { return x.What == Reordered })
		if r.Agents[0].Reordered != c.want || noted != c.want {
			t.Errorf("%v → %v: reordered %v, noted %v", c.was.Parts[0].text, c.is.Parts[0].text, r.Agents[0].Reordered, noted)
		}
	}
}

func letIn(t *testing.T) {
	h := func(tools string) *Heads {
		return of(own(tools), nil, project.Part{Kind: client.Memory, From: "CLAUDE.md:1", Text: "a"}, project.Part{Kind: client.Skills, Name: "ship", From: "s.md:2", Text: "- ship: sends it out"})
	}
	for _, c := range []struct {
		was, is *Heads
		what    string
		fails   bool
	}{{h("Read"), h("Read, Skill"), Grew, true}, {h("Read, Skill"), h("Read"), Shrank, false}} {
		r := compare(c.was, c.is, "2%", "")
		own, sum := r.Agents[len(r.Agents)-1], int64(0)
		for _, x := range r.Changes {
			if x.Now.Word == "Given to" && (x.What != c.what || x.Now.From() != ".claude/agents/own.md:4") || x.Theirs {
				t.Errorf("%+v", x)
			}
			if slices.Contains(x.Who, "own") && x.Now.Kind != kindChosen {
				sum += x.Tokens
			}
		}
		if own.Missed != c.fails || sum != own.Is-own.Was || sum == 0 {
			t.Errorf("%s: %+v, %+v", c.what, r.Changes, own)
		}
	}
}

// fielded is a file that defines agents of type own with some fields more, and one of
// agents that have all tools which these may choose.
func fielded(fields string) map[string]string {
	return map[string]string{".claude/agents/own.md": "---\nname: own\ndescription: d\n" + fields + "---\nYou.\n",
		".claude/agents/all.md": "---\nname: all\ndescription: d\ntools: Agent, Read, Grep, Glob, Edit, Write, Bash\n---\nYou.\n"}
}

// chosen has the definition of the own agent choose other tools of the client's, beside
// a baseline of this tool and of one before, in which tools were twice as long.
func chosen(t *testing.T) {
	for _, c := range []struct {
		was, is, name, what string
		fails               bool
	}{
		{"tools: Read, Grep, Glob\n", "tools: Read, Grep, Glob, Bash, Edit, Write\n", "+Edit +Write +Bash", Grew, true},
		{"tools: Read, Grep, Glob, Bash\n", "tools: Read, Grep\n", "-Glob -Bash", Shrank, false},
		{"tools: Read, Grep, Glob\ndisallowedTools: Glob\n", "tools: Read, Grep, Glob\ndisallowedTools: Read\n", "+Glob -Read", "", false},
		{"tools: Read\n", "tools: Read\nmemory: project\n", "+Edit +Write", Grew, true},
		{"tools: Read, Write\n", "", "+Agent +Grep +Glob +Edit -Write", Grew, true},
		{"", "disallowedTools: Agent, Edit\n", "-Agent -Edit", Shrank, false},
		{"", "background: true\n", "-Agent", Shrank, false},
	} {
		for before := range int64(2) {
			base, now := of(fielded(c.was), nil), of(fielded(c.is), nil)
			base.Semantics -= int(before)
			for _, p := range base.Parts {
				if p.Kind == kindTool {
					p.Tokens *= 1 + before
				}
			}
			r := compare(base, now, "2%", "")
			i := slices.IndexFunc(r.Changes, func(x Change) bool { return x.Now.Kind == kindChosen })
			if i < 0 {
				t.Fatalf("%s → %s: %+v", c.was, c.is, r.Changes)
			}
			x, tools, at := r.Changes[i], int64(0), ".claude/agents/own.md:4"
			for _, p := range now.tools(now.agent("own")) {
				tools += p.Tokens
			}
			for _, p := range base.tools(base.agent("own")) {
				tools -= p.Tokens / (1 + before)
			}
			if c.is == "" {
				at = ".claude/agents/own.md:2"
			}
			g := r.Agents[slices.IndexFunc(r.Agents, func(g Growth) bool { return g.Agent == "own" })]
			if x.Theirs || x.Now.Name != c.name || x.Now.From() != at || x.Tokens != tools || c.what != "" && (x.What != c.what || g.Missed != c.fails) {
				t.Errorf("%d before: %q → %q: %+v %+v, want %s of %d at %s", before, c.was, c.is, x, x.Now, c.name, tools, at)
			}
		}
	}
	// They count beside those that the agent had.
	base, now := of(fielded("tools: Read, Grep, Glob, Edit\n"), nil), of(fielded("tools: Read, Grep, Glob, Edit, Write\n"), nil)
	for limit, fails := range map[string]bool{"10%": true, "20%": false} { // order: each is a case of its own
		if r := compare(base, now, limit, ""); r.Fails() != fails {
			t.Errorf("one tool beside four with a limit of %s: %+v", limit, r.Agents)
		}
	}
	// An agent that is new has a tool that nobody had: it is told, beside the other's.
	now = of(map[string]string{".claude/agents/own.md": own("Read, Bash")[".claude/agents/own.md"], ".claude/agents/new.md": "---\nname: new\ndescription: d\ntools: Bash\n---\nYou.\n"}, nil)
	if r := compare(of(own("Read"), nil), now, "2%", ""); !slices.ContainsFunc(r.Changes, func(x Change) bool { return x.What == Added && x.Now.Name == "Bash" }) {
		t.Errorf("a tool of a new agent: %+v", r.Changes)
	}
	was := of(own("Read"), nil)
	was.Semantics--
	if r := compare(was, of(own("Read, Edit, Bash"), nil), "2%", ""); !slices.ContainsFunc(r.Changes, func(x Change) bool { return x.What == Added && x.Now.Name == "Bash" }) {
		t.Errorf("a tool that this tool may have brought, beside one that is chosen: %+v", r.Changes)
	}
	if r := compare(of(own("Read"), nil), of(own("Read, Bash"), nil), "2%", ""); slices.ContainsFunc(r.Changes, func(x Change) bool { return x.Now.Name == "Bash" }) {
		t.Errorf("a tool that is told as chosen: %+v", r.Changes)
	}
}

// notChosen has agents with other tools since the client or the settings say so.
func notChosen(t *testing.T) {
	for name, other := range map[string]func(h *Heads){
		"semantics": func(h *Heads) { h.Semantics-- }, "client": func(h *Heads) { h.Client = "other@1" },
		"day": func(h *Heads) { h.Known = "2026-01-01" }, "a baseline of before": func(h *Heads) { h.Unloaded = nil },
	} { // order: each is a case of its own
		base, now := of(own("Read, Grep"), nil), of(own("Read, Grep"), nil)
		gone := base.agent("own")
		gone.Parts = slices.DeleteFunc(slices.Clone(gone.Parts), func(i int) bool { return base.Parts[i].Name == "Grep" })
		other(base)
		for _, p := range base.Parts {
			if p.Name == "Grep" {
				p.Name = "OldGrep"
			}
		}
		if r := compare(base, now, "2%", ""); r.Fails() || slices.ContainsFunc(r.Changes, func(x Change) bool { return !x.Theirs }) {
			t.Errorf("another %s: %+v", name, r.Changes)
		}
	}
	// All agents have Skill since there are skills, which is not theirs to choose.
	skill := project.Part{Kind: client.Skills, Name: "ship", From: "s.md:2", Text: "- ship: sends it out"}
	if r := compare(of(fielded(""), nil), of(fielded(""), nil, skill), "2%", ""); slices.ContainsFunc(r.Changes, func(x Change) bool { return x.Now.Kind == kindChosen }) {
		t.Errorf("skills that are new: %+v", r.Changes)
	}
	// Settings take a tool from all.
	base, now := of(fielded(""), nil), of(fielded(""), nil)
	now.Settings = []string{settingsFile}
	for _, a := range now.Agents {
		a.Parts = slices.DeleteFunc(slices.Clone(a.Parts), func(i int) bool { return now.Parts[i].Name == "Grep" })
	}
	r := compare(base, now, "2%", "")
	i := slices.IndexFunc(r.Changes, func(x Change) bool { return slices.Contains(x.Who, "own") && x.Now.Kind == kindChosen })
	if i < 0 || r.Changes[i].Now.Name != "-Grep" || r.Changes[i].Now.File != settingsFile {
		t.Errorf("a tool that settings take away: %+v", r.Changes)
	}
}

// letInFields has a definition let in, or shut out, what others have.
func letInFields(t *testing.T) {
	h := func(fields string) *Heads {
		files := fielded(fields)
		files[".claude/skills/ship/SKILL.md"] = "---\nname: ship\ndescription: d\n---\nShip it.\n"
		files[".claude/agents/all.md"] = "---\nname: all\ndescription: d\nskills: ship\n---\nYou.\n"
		return of(files, nil, project.Part{Kind: client.Memory, From: "CLAUDE.md:1", Text: "a\nb"},
			project.Part{Kind: client.MCPTool, Name: "mcp__a__b", From: ".agentsim/mcp/a.json:1", Text: `{"name": "b", "description": "d", "input_schema": {"type": "object"}}`},
			project.Part{Kind: client.Deferred, Name: "mcp__s__t", From: ".agentsim/mcp/s.json:1", Text: "mcp__s__t"})
	}
	for _, c := range []struct{ was, is, name, from, what string }{
		{"", "omitClaudeMd: true\n", "own: Memory files", ".claude/agents/own.md:4", Shrank},
		{"omitClaudeMd: true\n", "", "own: Memory files", ".claude/agents/own.md:2", Grew},
		{"", "skills: ship\n", "own: Skills", ".claude/agents/own.md:4", Grew},
		{"", "disallowedTools: mcp__s__t\n", "own: MCP tools (deferred)", ".claude/agents/own.md:4", Shrank},
		{"tools: Read\n", "tools: Read, mcp__a__b\n", "own: MCP tools", ".claude/agents/own.md:4", Grew},
	} {
		r := compare(h(c.was), h(c.is), "1000%", "")
		i := slices.IndexFunc(r.Changes, func(x Change) bool { return x.Now.Word == "Given to" })
		if i < 0 || r.Changes[i].Now.Name != c.name || r.Changes[i].Now.From() != c.from || r.Changes[i].What != c.what {
			t.Errorf("%q → %q: %+v", c.was, c.is, r.Changes)
			if i >= 0 {
				t.Errorf("%+v", r.Changes[i].Now)
			}
		}
	}
}

func summed(t *testing.T) {
	h := repository("memory")
	i := slices.IndexFunc(h.Parts, func(p *Part) bool { return p.Kind == client.Memory })
	day, want := Day{Sessions: 7, Turns: 11, SubTurns: 3, Starts: 500}, Cost{}
	for _, a := range h.Agents {
		c := a.Cost(h.Prices, h.Parts[i].Tokens, day)
		switch a.Name {
		case Main, "general-purpose", "own":
			if c.Begin != 25*c.Turn {
				t.Errorf("%s: to begin %d, a turn %d: want a write", a.Name, c.Begin, c.Turn)
			}
			want = want.Plus(c)
		case Fork:
			if c.Begin != c.Turn || 2*c.Day != 7*3*c.Turn {
				t.Errorf("a fork: %+v, want three reads in every other of seven sessions", c)
			}
			want = want.Plus(c)
		}
	}
	if got := h.Cost(i, day); got != want {
		t.Errorf("%+v, want the sum %+v", got, want)
	}
}

// remodelled has the own agent of a repository on another model.
func remodelled(t *testing.T) {
	on := func(model string) *Heads {
		h := repository("memory")
		own := h.agent("own")
		own.Model = model
		price, err := cachemodel.Lookup(model)
		if err != nil {
			t.Fatal(err)
		}
		h.Prices = append(h.Prices, baseline.Price{Model: model, Rates: price.Words()})
		return h
	}
	for _, c := range []struct {
		was, is string
		dearer  bool
	}{{"claude-haiku-5-5", "claude-opus-5-5", true}, {"claude-opus-5-5", "claude-haiku-5-5", false}} {
		base, now := on(c.was), on(c.is)
		r := compare(base, now, "2%", "")
		g := r.Agents[len(r.Agents)-1]
		all, _ := now.Tokens(now.agent("own"))
		want := now.agent("own").Cost(now.Prices, all, DefaultDay).Day - base.agent("own").Cost(base.Prices, all, DefaultDay).Day
		if len(r.Changes) != 1 || r.Changes[0].What != Model || r.Changes[0].Now.From() != ".claude/agents/own.md:2" || r.Cost(&r.Changes[0], "").Day != want {
			t.Fatalf("%+v, want %d a day", r.Changes, want)
		}
		if g.Dearer != c.dearer || r.Fails() != c.dearer || g.Again != all || r.Agents[0].Again != 0 {
			t.Errorf("%s → %s: %+v", c.was, c.is, g)
		}
	}
}

func guessed(t *testing.T) {
	h := func(parts ...project.Part) *Heads {
		return of(nil, nil, append(parts, project.Part{Kind: client.Memory, From: "CLAUDE.md:1", Text: "a\nb"})...)
	}
	tool := func(file string) project.Part {
		return project.Part{Kind: client.Deferred, Name: "mcp__a__b", From: file, Text: "mcp__a__b"}
	}
	for file, assumed := range map[string]bool{".mcp.json:3": true, ".agentsim/mcp/a.json:3": false} { // order: each is a case of its own
		if g := compare(h(), h(tool(file)), "2%", "").Agents[0]; !g.Missed || g.Assumed != assumed {
			t.Errorf("%s: %+v", file, g)
		}
	}
	// Tools that a definition chooses are known.
	server := tool(".mcp.json:3")
	for fields, assumed := range map[string]bool{"": true, "disallowedTools: Edit\n": false} { // order: each is a case of its own
		r := compare(of(fielded(fields), nil), of(fielded(""), nil, server), "2%", "")
		if g := r.Agents[slices.IndexFunc(r.Agents, func(g Growth) bool { return g.Agent == "own" })]; !g.Missed || g.Assumed != assumed {
			t.Errorf("%q: %+v", fields, g)
		}
	}
}

func from(t *testing.T) {
	lines := func(n int, more ...string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d of a file that says something in each of them\n", i)
		}
		return b.String() + strings.Join(more, "\n")
	}
	for _, c := range []struct{ was, is, what string }{
		{lines(50), lines(50, "more of it"), Grew}, {lines(50, "x", lines(9)), lines(50, lines(9)), Shrank}, {lines(50, "one"), lines(50, "two"), Changed},
	} {
		base, now := repository(c.was), repository(c.is)
		r := compare(base, now, "1000%", c.is)
		g, behind := r.Agents[0], int64(0)
		for _, i := range now.Agents[0].Parts {
			if p := now.Parts[i]; p.Place == client.Attachment {
				behind += p.Tokens
			}
		}
		want := behind + now.count(strings.TrimPrefix(c.is, lines(50)))
		if len(r.Changes) != 1 || r.Changes[0].What != c.what || g.From != "CLAUDE.md:51" || g.Again != want {
			t.Errorf("%s: %+v from %s on %d tokens, want %d", c.what, r.Changes, g.From, g.Again, want)
		}
	}
}
