package lint

import (
	"slices"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/lint"
	"agentsim/sim/mark"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// read reads a run for the lint, and the limit of silence that its scenario
// names; 0 for none.
func read(db *sqlite.DB, info sqlite.RunInfo) (*lint.Run, vtime.Duration, error) {
	if info.Level != sqlite.Full {
		return nil, 0, ui.Failf(ui.Operating, "run %s is recorded at level %s, which leaves out what was said; record it in full: agentsim run … --record full", ui.Short(info.ID), info.Level)
	}
	run := &lint.Run{End: info.EndedAt}
	if err := readAgents(db, info, run); err != nil {
		return nil, 0, err
	}
	turns, err := readTurns(db, info.ID)
	if err != nil {
		return nil, 0, err
	}
	nodes, err := readNodes(db, info)
	if err != nil {
		return nil, 0, err
	}
	run.Calls = lint.Assemble(nodes, turns, run.Agents)
	if info.Recorded() {
		return run, 0, nil
	}
	stored, err := db.Spec(info.ID)
	if err != nil {
		return nil, 0, err
	}
	spec, err := rundb.Rebuild(&stored)
	if err != nil && rundb.ChangedSince(&stored) != "" {
		return run, 0, nil // what its work was is not known any more
	}
	if err != nil {
		return nil, 0, err
	}
	run.Work = workOf(spec.Scenario, info.Seed)
	return run, spec.Scenario.Coordinator.Silence, nil
}

// readAgents reads the agents. Those of a recording are called by what their
// client called them.
func readAgents(db *sqlite.DB, info sqlite.RunInfo, run *lint.Run) error {
	agents, err := db.Tree(info.ID)
	if err != nil {
		return err
	}
	apart, err := sqlite.Apart(db, info.ID)
	if err != nil {
		return err
	}
	for i, a := range agents {
		one := lint.Agent{Lineage: a.Lineage, ID: a.ID, Type: a.Type, Structure: a.Structure, Parent: a.Parent}
		if a.Tools != "" {
			one.Tools = strings.Split(a.Tools, ",")
		}
		switch {
		case slices.Contains(apart, a.Agent):
			one.Place = int32(i)
		case a.Parent >= 0:
			one.Place = run.Agents[a.Parent].Place
		}
		run.Agents = append(run.Agents, one)
	}
	if info.Recorded() {
		head, _, err := db.RecordedHead(info.ID)
		if err != nil {
			return err
		}
		for i := range head.Threads {
			if i < len(run.Agents) {
				run.Agents[i].ID = head.Threads[i].Name
			}
		}
	}
	spans, err := db.Activations(info.ID)
	if err != nil {
		return err
	}
	for _, s := range spans {
		a := &run.Agents[s.Agent]
		a.Spans = append(a.Spans, lint.Activation{Span: lint.Span{From: s.From, To: s.To}, ToolUse: s.ToolUse})
	}
	return nil
}

// readTurns reads the requests that were answered, with their tool uses.
func readTurns(db *sqlite.DB, run string) (out []lint.Turn, err error) {
	turns, err := db.Turns(run)
	if err != nil {
		return nil, err
	}
	spans, err := db.ToolSpans(run)
	if err != nil {
		return nil, err
	}
	type key struct {
		agent int32
		call  int
	}
	uses := map[key][]lint.ToolUse{}
	for _, t := range spans {
		k := key{t.Agent, t.Call}
		uses[k] = append(uses[k], lint.ToolUse{ID: t.ID, Name: t.Name, Span: lint.Span{From: t.At, To: t.Ended}, Done: t.Done, IsError: t.Fail})
	}
	for _, t := range turns {
		if !t.Answered {
			continue
		}
		out = append(out, lint.Turn{Head: t.Head, Answer: t.Answer, Call: lint.Call{N: t.N, Agent: t.Agent, Call: t.Call,
			Span: lint.Span{From: t.At, To: t.EndedAt}, Tools: uses[key{t.Agent, t.Call}], User: t.UserTurn}})
	}
	return out, nil
}

func readNodes(db *sqlite.DB, info sqlite.RunInfo) (out []lint.Node, err error) {
	said, err := db.Messages(info.ID)
	for i := range said { // a simulated run holds all that was said
		b := &said[i]
		out = append(out, lint.Node{Hash: b.Hash, Parent: b.Parent, Block: lint.Block{Pos: b.Pos, Role: b.Role, Kind: b.Kind, Name: b.Name,
			ToolUse: b.ToolUse, Text: b.Content, IsError: b.IsError, Unknown: info.Recorded() && toevents.Opaque(b.Content)}})
	}
	return out, err
}

// followed is the implementations that an item comes after, directly or not.
func followed(sc *scenarios.Scenario, it *scenarios.Item, seen map[string]bool) (ids []string) {
	for i := range sc.Work {
		if x := &sc.Work[i]; slices.Contains(it.After, x.ID) && !seen[x.ID] {
			seen[x.ID] = true
			if x.Kind == "implement" {
				ids = append(ids, x.ID)
			}
			ids = append(ids, followed(sc, x, seen)...)
		}
	}
	return ids
}

// needsOf is what an item is not done without, by the names that marks have.
func needsOf(it *scenarios.Item) (out []string) {
	for _, name := range it.Knows {
		if name != scenarios.Summaries {
			out = append(out, strings.Replace(name, scenarios.SummaryOf, "gist:", 1))
		}
	}
	for _, s := range it.Reads {
		if s.Path != "" {
			out = append(out, "file:"+s.Path)
		}
	}
	return out
}

// workOf is what a scenario says of its work, as far as the lint asks.
func workOf(sc *scenarios.Scenario, seed uint64) *lint.Work {
	w := &lint.Work{Marks: mark.NewKey(seed)}
	edits := map[string][]string{} // named files of implementations
	for i := range sc.Work {
		it := &sc.Work[i]
		for _, e := range it.Edits {
			if e.File.Path != "" {
				edits[it.ID] = append(edits[it.ID], e.File.Path)
			}
		}
	}
	for i := range sc.Work {
		it := &sc.Work[i]
		item := lint.Item{ID: it.ID, Kind: it.Kind, Needs: needsOf(it), Files: edits[it.ID]}
		switch it.Kind {
		case "research":
			item.After = followed(sc, it, map[string]bool{})
		case "verify":
			item.After = it.After
			for _, id := range it.After {
				item.Files = append(item.Files, edits[id]...)
			}
		}
		w.Items = append(w.Items, item)
	}
	for _, f := range sc.Project.Facts {
		w.Facts = append(w.Facts, lint.Fact{Name: f.Name, File: f.File})
	}
	for _, t := range sc.Project.Tests {
		w.Tests = append(w.Tests, t.Command)
	}
	return w
}
