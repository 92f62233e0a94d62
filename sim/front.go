package sim

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/fork"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/transcript"
)

// partNames are the names under which kinds of parts stand in requests.
var partNames = map[client.Kind]string{
	client.Environment: agent.PartEnvironment, client.Git: agent.PartGitStatus, client.Memory: agent.PartClaudeMd,
	client.AutoMemory: "autoMemory", client.Types: agent.PartTypes, client.Skills: "skills",
	client.Deferred: agent.PartDeferred, client.ServerText: "mcpInstructions",
}

// Fronts are what stands in front of the agents of a run's first root and of each type
// that it may start. Their parts are named by kinds.
func (s *Spec) Fronts() ([]agent.Front, error) {
	r, err := assemble(s, nil, transcript.Tee())
	if err != nil {
		return nil, err
	}
	main := &scenarios.Root{}
	if roots := Roots(s.Scenario); len(roots) > 0 {
		main = &roots[0]
	}
	root, err := r.root(main)
	if err != nil {
		return nil, err
	}
	fronts, err := r.world.Fronts(root)
	for i := range fronts {
		var kinds []string
		for _, kind := range client.Kinds {
			if slices.Contains(fronts[i].Parts, partNames[kind]) {
				kinds = append(kinds, string(kind))
			}
		}
		fronts[i].Parts = kinds
	}
	return fronts, err
}

// fronts is what stands in front of agents, by its place.
type fronts struct{ user, system, opening, attached []agent.Part }

// Layout is the layout of a run's requests.
func (s *Spec) Layout() *client.Layout { return layoutOf(s.Scenario) }

func layoutOf(sc *scenarios.Scenario) *client.Layout {
	return client.Find(cmp.Or(sc.Project.Client, client.Seeds))
}

// Unchecked says what of a run's requests its auditor does not look at, "" for nothing.
func (s *Spec) Unchecked() string {
	if laid(s.Scenario) && s.Scenario.Stack != scenarios.MinimalStack {
		return "system prompts and first messages are not checked on a client's layout"
	}
	return ""
}

// laid reports whether requests have the layout of a client of today.
func laid(sc *scenarios.Scenario) bool {
	return sc.Project.Client != "" || slices.ContainsFunc(sc.Project.Parts, func(x scenarios.FrontPart) bool { return client.Kind(x.Kind) != client.MCPTool })
}

// front lays out what stands in front of agents as the client does.
func (r *run) front() (f fronts) {
	layout := r.spec.Layout()
	for _, kind := range client.Kinds {
		row := layout.Row(kind)
		p := agent.Part{Name: partNames[kind], Needs: row.Needs, RootsOnly: row.Sub == client.Nowhere || row.Sub != row.Main}
		if kind == client.Deferred && row.Main == client.Nowhere { // tool_search asks for it
			row.Main, row.Sub, row.Lean, p.RootsOnly = client.UserContext, client.UserContext, client.UserContext, false
		}
		own := kind == client.Environment || kind == client.Types || kind == client.Deferred && r.spec.Scenario.Project.HasServers()
		if p.Text = r.partText(kind); p.Text == "" && !own {
			continue
		}
		switch row.Main {
		case client.UserContext:
			f.user = append(f.user, p)
		case client.System:
			if !own { // the agents' own prompts say it
				f.system = append(f.system, p)
			}
		case client.Opening:
			f.opening = append(f.opening, p)
		case client.Attachment:
			f.attached = append(f.attached, p)
		}
	}
	f.user = append(f.user, agent.Part{Name: "currentDate", Text: r.spec.Scenario.Project.Date})
	return f
}

// hasKind reports whether the client puts what a session has of a kind in front of its
// sub-agents.
func hasKind(sc *scenarios.Scenario, kind client.Kind, own *scenarios.Content) bool {
	return layoutOf(sc).Row(kind).Sub != client.Nowhere && (own != nil || len(headParts(sc, kind)) > 0)
}

// partText is the text of all parts of a kind: the scenario's own literal, else what
// the project has.
func (r *run) partText(kind client.Kind) string {
	p := &r.spec.Scenario.Project
	switch {
	case kind == client.Memory && p.ClaudeMd != nil:
		return r.text(*p.ClaudeMd, "claude_md")
	case kind == client.Git && p.GitStatus != nil:
		return r.text(*p.GitStatus, "git_status")
	case kind == client.MCPTool, kind == client.Tool, kind == client.Prompt, kind == client.Deferred:
		return "" // theirs is a place of their own, or what servers list fills it in
	}
	var said []FrontText
	for i := range p.Parts {
		if x := &p.Parts[i]; client.Kind(x.Kind) == kind {
			said = append(said, FrontText{cmp.Or(x.From, x.Name), r.text(x.Text, "parts/"+x.From+"/"+x.Name)})
		}
	}
	return joinFront(kind, said)
}

// FrontText is what one part says, and the file that it comes from; "" where requests do
// not name it.
type FrontText struct{ From, Text string }

// joinFront is the text of all parts of a kind as it stands in requests.
func joinFront(kind client.Kind, said []FrontText) string {
	var texts []string
	for _, x := range said {
		text := task.Defuse(strings.TrimRight(x.Text, "\n"))
		text = strings.ReplaceAll(text, fork.Tag, "&lt;"+fork.Tag[1:]) // a file that names the tag makes no fork
		if x.From != "" && (kind == client.Memory || kind == client.AutoMemory || kind == client.ServerText) {
			text = "Contents of " + x.From + ":\n\n" + text + "\n"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// FrontMeasure is what parts of a kind that stand at a place of a message take up there,
// with what the client puts around them; the zero Measure elsewhere.
func FrontMeasure(at client.Place, kind client.Kind, said []FrontText) llm.Measure {
	text := joinFront(kind, said)
	if text == "" {
		return llm.Measure{}
	}
	switch at {
	case client.UserContext:
		return llm.NewText(llm.Prose, "# "+partNames[kind]+"\n"+strings.TrimRight(text, "\n")+"\n").Measure()
	case client.System:
		return llm.NewText(llm.Prose, "\n"+partNames[kind]+":\n"+strings.TrimRight(text, "\n")+"\n").Measure()
	case client.Opening, client.Attachment:
		block := llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, agent.Reminder(partNames[kind], text))}
		return block.Measure()
	}
	return llm.Measure{}
}
