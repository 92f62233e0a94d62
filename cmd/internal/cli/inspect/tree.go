package inspect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// branch is an agent in the tree.
type branch struct {
	treeLine
	ended      string // how each activation ended
	kept       bool   // its calls are recorded
	injections []sqlite.Injection
}

// tree says which agents a run had, who spawned whom, and what each came to.
func tree(d *report.Document, db *sqlite.DB, info sqlite.RunInfo) error {
	agents, err := db.Tree(info.ID)
	if err != nil {
		return err
	}
	priced, err := db.Priced(info.ID)
	if err != nil {
		return err
	}
	billed, err := rundb.BilledCalls(db, info)
	if err != nil {
		return err
	}
	lives, err := db.Activations(info.ID)
	if err != nil {
		return err
	}
	injections, err := db.Injections(info.ID)
	if err != nil {
		return err
	}
	ends := endsOf(lives)
	var rows []branch
	for _, line := range treeLines(agents) {
		b := branch{treeLine: line, ended: ended(line.agent, ends[line.agent.Agent]), kept: info.Keeps(line.agent)}
		for _, x := range injections {
			if x.Lineage == line.agent.Lineage {
				b.injections = append(b.injections, x)
			}
		}
		rows = append(rows, b)
	}
	d.Table(report.TableOf("agents", rows, agentColumns(rows, priced, billed > 0 || info.Calls == 0)...))
	if len(injections) > 0 {
		d.Say("")
		d.Table(handOffTable(injections))
	}
	findings, err := sqlite.Findings(db, info.ID)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		d.Say("")
	}
	d.Table(findingTable(findings))
	of, err := phaseFigures(db, info.ID)
	if err != nil {
		return err
	}
	if of != nil {
		d.Say("")
		phaseTable(d, of)
	}
	return nil
}

// agentColumns are what is said of each agent. What nobody recorded is not known:
// priced is whether prices are, read whether what was read is.
func agentColumns(rows []branch, priced, read bool) []report.Column[branch] {
	type col = report.Column[branch]
	failed := ""
	if slices.ContainsFunc(rows, func(b branch) bool { return b.agent.Failed > 0 }) {
		failed = " FAILED"
	}
	columns := []col{
		{Name: "agent", Of: func(b branch) report.Value { return report.Count(b.agent.Agent) }},
		{Name: "parent", Of: func(b branch) report.Value { return report.Count(b.agent.Parent) }},
		{Name: "lineage", Head: "AGENT", Of: func(b branch) report.Value { return report.Text(b.agent.Lineage).As(b.indent + b.agent.Lineage) }},
		{Name: "id", Of: func(b branch) report.Value { return report.Text(b.agent.ID) }},
		{Name: "type", Head: "TYPE", Drop: 1, Of: func(b branch) report.Value { return report.Text(b.agent.Type) }},
		{Name: "structure", Of: func(b branch) report.Value { return report.Text(b.agent.Structure) }},
		{Name: "model", Of: func(b branch) report.Value { return report.Text(b.agent.Model) }},
		{Name: "async", Of: func(b branch) report.Value { return report.Bool(b.agent.Async) }},
		{Name: "tools", Of: func(b branch) report.Value { return report.Text(b.agent.Tools) }},
		{Name: "context", Of: func(b branch) report.Value { return report.Text(b.agent.Context) }},
		{Name: "activations", Of: func(b branch) report.Value { return report.Count(b.agent.Activations) }},
		{Name: "started_at", Head: " FROM", Drop: 6, Unit: report.Seconds, Of: func(b branch) report.Value { return report.At(b.agent.StartedAt) }},
		{Name: "ended_at", Head: " TO", Drop: 4, Unit: report.Seconds, Of: func(b branch) report.Value { return report.At(b.agent.EndedAt) }},
		{Name: "calls", Head: " CALLS", Of: func(b branch) report.Value { return report.Count(b.agent.Calls).If(b.kept) }},
		{Name: "failed", Head: failed, Drop: 3, Of: func(b branch) report.Value { return report.Count(b.agent.Failed).If(b.kept) }},
		{Head: " PROMPT", Drop: 7, Of: func(b branch) report.Value { return report.Tokens(b.agent.Usage.Prompt()) }},
		{Head: " CACHE READ", Of: func(b branch) report.Value { return report.Tokens(b.agent.Usage.Read).If(read) }},
		{Head: " CACHE WRITE", Of: func(b branch) report.Value { return report.Tokens(b.agent.Usage.Written()).If(read) }},
		{Head: " OUTPUT", Drop: 5, Of: func(b branch) report.Value { return report.Tokens(b.agent.Usage.Output) }},
		{Name: "hit_ratio", Head: " HIT RATE", Drop: 2, Of: func(b branch) report.Value {
			return report.Share(b.agent.Usage.Read, b.agent.Usage.Prompt()).If(read && b.agent.Usage.Prompt() > 0)
		}},
		{Name: "cost", Head: " COST", Unit: report.USD, Of: func(b branch) report.Value { return dollars(b.agent.Cost).If(b.kept && priced) }},
		{Name: "cost_uncached", Unit: report.USD, Of: func(b branch) report.Value { return dollars(b.agent.Uncached).If(b.kept && priced) }},
		{Head: "ENDED", Of: func(b branch) report.Value { return report.Text(b.ended) }},
		{Name: "status", Of: func(b branch) report.Value { return report.Text(b.agent.Status) }},
		{Name: "why", Of: func(b branch) report.Value { return report.Text(b.agent.Why).If(b.agent.Why != "") }},
		{Name: "turns", Of: func(b branch) report.Value { return report.Count(b.agent.Turns) }},
		{Name: "tool_uses", Of: func(b branch) report.Value { return report.Count(b.agent.ToolUses) }},
		{Name: "injections", Of: func(b branch) report.Value { return report.Objects(handOffTable(b.injections)) }},
	}
	return append(columns, usage(func(b branch) llm.Usage { return b.agent.Usage })...)
}

// handOffTable lists who obeyed an injected instruction and what the classifier said
// of the agents of a run.
func handOffTable(list []sqlite.Injection) *report.Sheet {
	type col = report.Column[sqlite.Injection]
	return report.TableOf("", list,
		col{Head: "AGENT", Of: func(x sqlite.Injection) report.Value { return report.Text(x.Lineage) }},
		col{Name: "what", Head: "HAND-OFF", Of: func(x sqlite.Injection) report.Value { return report.Text(x.What) }},
		col{Name: "taint", Head: "TAINT", Of: func(x sqlite.Injection) report.Value { return report.Text(x.Taint).If(x.Taint != "") }},
		col{Name: "detail", Head: "DETAIL", Of: func(x sqlite.Injection) report.Value { return report.Text(x.Detail) }})
}

// findingTable lists what was ignored or went wrong without an error.
func findingTable(list []sqlite.Finding) *report.Sheet {
	type col = report.Column[sqlite.Finding]
	return report.TableOf("findings", list,
		col{Name: "agent", Head: "AGENT", Of: func(x sqlite.Finding) report.Value {
			return report.Text(x.Lineage).As(cmp.Or(x.Lineage, "(the run)"))
		}},
		col{Name: "rule", Of: func(x sqlite.Finding) report.Value { return report.Text(x.Rule) }},
		col{Name: "words", Head: "FINDING", Of: func(x sqlite.Finding) report.Value { return report.Text(x.About().Words) }},
		col{Name: "detail", Head: "DETAIL", Of: func(x sqlite.Finding) report.Value { return report.Text(x.Detail) }})
}

// endsOf is how the activations of each agent ended, in order; "" stands for one
// that has not.
func endsOf(lives []sqlite.Activation) map[int32][]string {
	ends := map[int32][]string{}
	for _, l := range lives {
		ends[l.Agent] = append(ends[l.Agent], l.Status)
	}
	return ends
}

// ended is an agent's status with its reason, and in front how its former
// activations ended: killed × 2, completed.
func ended(a *sqlite.AgentInfo, ends []string) string {
	var b strings.Builder
	for i := 0; i < len(ends); {
		n := 1
		for i+n < len(ends) && ends[i+n] == ends[i] {
			n++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cmp.Or(ends[i], "(not yet)"))
		if n > 1 {
			b.WriteString(" × " + strconv.Itoa(n))
		}
		i += n
	}
	if a.Why != "" {
		b.WriteString(": " + a.Why)
	}
	return b.String()
}

// treeLine is an agent and how far it is indented.
type treeLine struct {
	agent  *sqlite.AgentInfo
	indent string
}

// treeLines puts children below their parents, in the order of the record.
func treeLines(agents []sqlite.AgentInfo) (out []treeLine) {
	children := map[int32][]*sqlite.AgentInfo{}
	for i := range agents {
		children[agents[i].Parent] = append(children[agents[i].Parent], &agents[i])
	}
	var add func(parent int32, indent string)
	add = func(parent int32, indent string) {
		for _, a := range children[parent] {
			out = append(out, treeLine{a, indent})
			add(a.Agent, indent+"  ")
		}
	}
	add(-1, "")
	return out
}
