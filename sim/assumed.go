package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
)

// rootsAssumed says that several roots do the work, where they do.
func rootsAssumed(r *run) []string {
	working := 0
	for _, root := range Roots(r.spec.Scenario) {
		if !r.book.Plays(RootLineage(&root)) {
			working++
		}
	}
	if working < 2 {
		return nil
	}
	return []string{fmt.Sprintf("each of %d roots does all of the work", working)}
}

// assumed names what a reader of a comparison must know: how the mock model
// behaves, how requests are marked and counted, and whose prices these are.
// `prompting` and reads per turn stand first, since they decide the ranking
// more than anything else does (CON-13).
func (r *run) assumed() []string {
	sc := r.spec.Scenario
	if r.session != nil {
		return append(r.session.assumed(), r.modelsAssumed(r.model(sc.Provider.Model))...)
	}
	out := profileAssumed(sc)
	if len(sc.Work) > 0 {
		out = append(out, workAssumed(&sc.Model)...)
		out = append(out, spawnsAssumed(sc)...)
		out = append(out, synthesisAssumed(sc)...)
		out = append(out, workersAssumed(sc, r.world.Agents())...)
		out = append(out, rootsAssumed(r)...)
	}
	if h := sc.Head("", false); h != nil && h.Shared > 0 && !sc.Profile.GivesHeads() && sc.Stack != scenarios.MinimalStack && headParts(sc, client.Tool) == nil {
		out = append(out, "definitions of tools are as large as heads of sub-agents have them, for main agents too")
	}
	out = append(out, r.observer.models...)
	out = append(out, agentsAssumed(sc)...)
	out = append(out, hiddenAssumed(&sc.Hidden)...)
	out = append(out, asidesAssumed(sc)...)
	out = append(out, serversAssumed(sc, r.defined)...)
	out = append(out, r.ownModels()...)
	out = append(out, timesAssumed(sc, r.spec.Project.Paths())...)
	out = append(out, r.observer.limits.strays()...)
	out = append(out, r.observer.limits.triesAssumed(sc)...)
	if len(r.stands) > 0 {
		out = append(out, standsText(r.stands))
		if r.within != "" {
			out = append(out, "all of the work is in "+r.within+", which the user names")
		}
	}
	if v, ok := r.spec.Project.Stat(claudeMd); ok && r.partText(client.Memory) == "" {
		out = append(out, fmt.Sprintf("%s of the project (%s) is in no prompt: give its text under project.claude_md", claudeMd, fileSize(v.Bytes)))
	}
	out = append(out, ownUnread(r.spec)...)
	if layout := r.spec.Layout(); sc.Project.Client != "" {
		out = append(out, "client "+layout.Name+", known on "+layout.Date)
	}
	for _, line := range r.spec.Head() {
		out = append(out, "head: "+line)
	}
	out = append(out, "breakpoints "+r.plansText()+", TTL "+sc.Provider.TTL.String()+r.childTTL()+r.limitAssumed())
	out = append(out, r.ownLifetimes()...)
	id := r.model(sc.Provider.Model)
	out = append(out, countersAssumed(r, id)...)
	out = append(out, r.modelsAssumed(id)...)
	if sc.Stack == scenarios.MinimalStack {
		out = append(out, orderAssumed(&sc.Minimal))
	}
	if r.observer.edits {
		out = append(out, editsAssumed(&sc.Permissions))
	}
	if agent.AllowsUnasked(r.world) {
		out = append(out, "prompts for which permissions give no answer, plans too, allowed at once")
	}
	if sc.Compaction != nil || r.observer.compacted {
		out = append(out, compactionAssumed(sc))
	}
	return append(out, providerAssumed(&sc.Provider)...)
}

// countersAssumed says by what tokens are counted, and those of models that have another
// tokenizer than the root's.
func countersAssumed(r *run, root string) []string {
	first := tokens.Approx(root).Name()
	out := []string{"tokens counted by " + first}
	if r.spec.Scenario.Provider.Counter == "recorded" {
		out[0] = "tokens counted by recorded, " + first + " elsewhere"
	}
	for _, id := range r.models(root) {
		if name := tokens.Approx(id).Name(); name != first {
			out = append(out, "tokens of "+id+" counted by "+name)
		}
	}
	return out
}

// hiddenAssumed says what the client sends on its own: of that only that there are
// such requests is known from recordings.
func hiddenAssumed(h *scenarios.HiddenSpec) []string {
	var what []string
	if h.Title {
		what = append(what, "a title after the first answer that ends a turn")
	}
	if h.Suggestion > 0 {
		what = append(what, fmt.Sprintf("a suggestion after %d %% of them, drawn", h.Suggestion))
	}
	if h.Away > 0 {
		what = append(what, "a summary after "+h.Away.String()+" away")
	}
	if what == nil {
		return nil
	}
	return []string{"hidden requests: " + strings.Join(what, ", ") + ", with asks and answers of some tokens"}
}

// asidesAssumed says how long the answers to side questions are that no script gives.
func asidesAssumed(sc *scenarios.Scenario) []string {
	roots := Roots(sc)
	for i := range roots {
		n := 0
		for _, t := range roots[i].Then {
			if t.Aside == nil {
				continue
			}
			n++
			name := RootLineage(&roots[i]) + llm.AsideSuffix + strconv.Itoa(n)
			if !slices.ContainsFunc(sc.Scripts, func(s scenarios.Script) bool { return scenarios.NamesAgent(s.Agent, name) }) {
				return []string{fmt.Sprintf("answers to side questions that no script gives: %d tok", script.AsideTokens)}
			}
		}
	}
	return nil
}

// modelsAssumed names what each model of the run costs, the root's first, and
// which of its figures are another model's.
func (r *run) modelsAssumed(root string) (out []string) {
	prov := &r.spec.Scenario.Provider
	for _, id := range r.models(root) {
		p, err := prov.Priced(id)
		if err != nil {
			continue
		}
		listed, _ := prov.Listed(id) // it is priced
		day := listed.Day
		if listed.Own {
			day = prov.PricedOn()
		}
		text := fmt.Sprintf("%s at %s: %s", p.Pinned(), listed, p.Rates)
		if p.LongPrompt > 0 {
			text += fmt.Sprintf(", of a prompt over %d tok %s", p.LongPrompt, p.Above)
		}
		text += tariffText(prov.Tariff(), p)
		if gone := p.Retirement(day); gone != "" {
			text += ", " + gone
		}
		out = append(out, text)
		_, taken := p.Assume(prov.CountsHidden())
		out = append(out, taken...)
	}
	if prov.Prices != nil && prov.Prices.Plan != nil {
		out = append(out, prov.Prices.Plan.String())
	}
	return out
}

// models are the ids of the models of the run, the root's first.
func (r *run) models(root string) []string {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(r.profiles)), func(id string) bool { return id == root })
	return append([]string{root}, ids...)
}

// ownLifetimes names the types of agents whose definition sets another lifetime than
// that of the session's sub-agents.
func (r *run) ownLifetimes() (out []string) {
	if r.defined == nil {
		return nil
	}
	for _, d := range r.defined.Definitions {
		if d.CacheTTL != nil && *d.CacheTTL != r.spec.Scenario.Provider.SubagentTTL {
			out = append(out, "TTL of "+d.Type+" "+d.CacheTTL.String()+", by its definition")
		}
	}
	return out
}

// tariffText says what stands over the list prices, and whether somebody else's
// word is all there is for it.
func tariffText(t cachemodel.Tariff, p *cachemodel.Profile) string {
	s := t.String()
	if s == "" {
		return ""
	}
	if t.Fast && p.Source == p.FastSource {
		s += ", by " + p.Source
	}
	return ", " + s
}

// limitAssumed says what became of the plan's limit.
func (r *run) limitAssumed() string {
	at := r.spec.Scenario.Provider.PlanLimitAt
	switch {
	case at == 0 || r.spec.Scenario.Provider.TTL != llm.TTL1h:
		return ""
	case r.world.OverLimit():
		return ", 5m from " + at.String() + " on, over the plan's limit"
	}
	return "; no request of roots or forks was marked after the plan's limit at " + at.String()
}

// providerAssumed names what a scenario says of its provider beyond the defaults.
func providerAssumed(p *scenarios.Provider) []string {
	var out []string
	if p.Platform != "" {
		out = append(out, "platform "+p.Platform)
	}
	l := p.Limits()
	for _, r := range []struct {
		what string
		rate *mockllm.Rate
	}{{"requests limited to %d at once, one more each %s", l.Requests}, {"input limited to %d tok at once, one more each %s", l.Input},
		{"output limited to %d tok at once, one more each %s", l.Output}} {
		if r.rate != nil {
			out = append(out, fmt.Sprintf(r.what, r.rate.Most, r.rate.Refill))
		}
	}
	return out
}

// orderAssumed says whether the minimal stack's sub-agents wait for each other.
func orderAssumed(m *scenarios.MinimalSpec) string {
	if m.SideBySide {
		return "sub-agents side by side"
	}
	return "sub-agents one after the other"
}

// synthesisAssumed says what a coordinator's implementations wait for, where
// there is research for them to wait for.
func synthesisAssumed(sc *scenarios.Scenario) []string {
	is := func(kind string) bool {
		return slices.ContainsFunc(sc.Work, func(it scenarios.Item) bool { return it.Kind == kind })
	}
	switch {
	case sc.Structure.Base() != scenarios.Coordinated || !is("research") || !is("implement"):
		return nil
	case sc.Coordinator.Synthesis == "strict":
		return []string{"implementations wait for all research"}
	}
	return []string{"implementations wait for the research that they need"}
}

// workersAssumed says how many workers a coordinator had, and what may have fewer.
func workersAssumed(sc *scenarios.Scenario, all []*agent.Agent) []string {
	workers := 0
	for _, a := range all {
		if !a.IsRoot() {
			workers++
		}
	}
	if sc.Structure.Base() != scenarios.Coordinated || workers < 2 {
		return nil
	}
	fewer := map[string]string{"table": " (continue may have fewer)", "spawn": " (table and continue may have fewer)"}[sc.Coordinator.Workers]
	return []string{fmt.Sprintf("%d workers for %d items by workers: %s%s", workers, len(sc.Work), sc.Coordinator.Workers, fewer)}
}

// editsAssumed says which of the two readings holds of who confirms the edits of
// children (SUB-10).
func editsAssumed(p *scenarios.PermissionSpec) string {
	if p.Children != "" {
		return "edits of children accepted, whatever their parent's mode " + p.RootMode()
	}
	return "edits of children decided by their parent's mode " + p.RootMode()
}

// compactionAssumed says when histories become summaries, and how long these may
// be (LOOP-07).
func compactionAssumed(sc *scenarios.Scenario) string {
	share := sc.CompactionShare()
	if share == 0 {
		return "no compaction"
	}
	window := "the window"
	if n := sc.ContextWindow(0); n > 0 {
		window = fmt.Sprintf("%d tok", n)
	}
	return fmt.Sprintf("compaction at %d %% of %s, summaries of %d tok at most, what a child was started with stays in front", share, window, sc.SummaryBudget())
}

// claudeMd is what a client reads of a project into its prompts.
const claudeMd = "CLAUDE.md"

// clientFiles are others that a client reads of a project, and a run of a directory alone.
var clientFiles = []string{".claude/settings.json", ".claude/settings.local.json", ".mcp.json", "CLAUDE.local.md", ".claude/CLAUDE.md"}

// ownUnread says which of them a scenario's own files hold. Of settings the agents are read.
func ownUnread(spec *Spec) (out []string) {
	for _, p := range clientFiles {
		_, own := spec.Scenario.Project.Files.Literal[p]
		text, ok := spec.Project.Content(p)
		if !own || !ok {
			continue
		}
		var keys map[string]json.RawMessage
		what := ""
		if strings.Contains(p, "/settings.") && json.Unmarshal([]byte(text), &keys) == nil {
			if p == clientFiles[0] {
				delete(keys, "agents")
			}
			if len(keys) == 0 {
				continue
			}
			what = strings.Join(slices.Sorted(maps.Keys(keys)), ", ") + " of "
		}
		out = append(out, what+p+" among the project's files counts in a directory alone (project: DIR): say it in the scenario")
	}
	return out
}

// MaxStands is how many of the paths that stand for others are listed.
const MaxStands = 4

func standsText(stands map[string]string) string {
	text := fmt.Sprintf("%d paths of the scenario stand for files of this project: ", len(stands))
	if len(stands) == 1 {
		text = "1 path of the scenario stands for a file of this project: "
	}
	var which []string
	for _, p := range slices.Sorted(maps.Keys(stands)) {
		which = append(which, p+" is "+stands[p])
	}
	if n := len(which) - MaxStands; n > 1 {
		which = append(which[:MaxStands], fmt.Sprintf("and %d more", n))
	}
	return text + strings.Join(which, ", ")
}

// plansText names the breakpoint plan; where roots differ, each plan with the
// roots that follow it.
func (r *run) plansText() string {
	sc := r.spec.Scenario
	var plans []string
	roots := map[string][]string{}
	for _, s := range Roots(r.spec.Scenario) {
		plan := string(Plan(&sc.Provider, &s).Name)
		if roots[plan] == nil {
			plans = append(plans, plan)
		}
		roots[plan] = append(roots[plan], s.Name)
	}
	for i, plan := range plans {
		if len(plans) > 1 {
			plans[i] = plan + " (" + strings.Join(roots[plan], ", ") + ")"
		}
	}
	text := strings.Join(plans, ", ")
	if sc.Provider.FourthMark {
		text += " and a fourth mark"
	}
	return text
}

func workAssumed(m *scenarios.Model) []string {
	return []string{
		"hand-off style " + m.Prompting,
		readsText(m),
		"reports of " + sizeText(m.ReportTokens),
		fmt.Sprintf("what is passed on: %d tok a fact, at most %d in a prompt and %d in a report", m.GistTokens, m.PromptBudget, m.ReportBudget),
	}
}

func readsText(m *scenarios.Model) string {
	if m.AtOnce.Main.Set || m.AtOnce.SubAgent.Set {
		return "tool uses a turn drawn by role"
	}
	return fmt.Sprintf("%d reads a turn", m.ReadsPerTurn)
}

// profileAssumed says which recordings the figures come from that the scenario does not
// give itself, and how well they are known.
func profileAssumed(sc *scenarios.Scenario) []string {
	if len(sc.Profile.From) == 0 && len(sc.Work) > 0 {
		return []string{"profile " + scenarios.TinyProfile + ": heads and sizes are invented, and smaller than recorded ones"}
	}
	var n [2]int
	for _, from := range sc.Profile.From {
		for i, grade := range [...]string{"measured", "scaled"} {
			if strings.HasPrefix(from, grade) {
				n[i] += strings.Count(from, "(n ")
			}
		}
	}
	if len(sc.Profile.From) == 0 {
		return nil
	}
	lines := append([]string{fmt.Sprintf("of the figures %d measured, %d scaled, the others assumed", n[0], n[1])}, sc.Profile.From...)
	if len(sc.Work) == 0 {
		lines = append(lines, "exact turns say what is done and said, and how long a session is: figures of items, reports and tool uses move nothing here")
	}
	if sc.Profile.GivesHeads() && sc.Project.Fronts() {
		lines = append(lines, "what the project has in front of agents takes the place of what recorded sessions had there after their heads")
	}
	return lines
}

func sizeText(s scenarios.Size) string {
	switch {
	case s.Dist != nil:
		return fmt.Sprintf("%d to %d tok, drawn", s.Lo, s.Hi)
	case s.Lo == s.Hi:
		return fmt.Sprintf("%d tok", s.Lo)
	}
	return fmt.Sprintf("%d to %d tok", s.Lo, s.Hi)
}

// fileSize is a size of a file: 83 bytes, 1.2 kB.
func fileSize(bytes int) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d.%d kB", bytes/1000, bytes%1000/100)
}
