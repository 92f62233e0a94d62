package sim

import (
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/fault"
	"agentsim/mockllm/policy"
	"agentsim/mockllm/recorded"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/plan"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// buildModel makes the provider's cache and the server that answers behind it.
func (r *run) buildModel() error {
	sc := r.spec.Scenario
	r.profiles = map[string]*cachemodel.Profile{}
	if _, err := r.profile(r.model(sc.Provider.Model)); err != nil {
		return err
	}
	timing, err := sc.Provider.Latency.Whole()
	if err != nil {
		return err
	}
	if r.faults, err = parseFaults(sc.Faults); err != nil {
		return err
	}
	r.filler = script.NewFiller(tokens.Approx(r.model(sc.Provider.Model)))
	source, err := r.sources()
	if err != nil {
		return err
	}
	r.engine = &checkedEngine{Engine: cachemodel.NewAnthropic(CacheOptions(&sc.Provider))}
	r.builder.Binds = sc.Provider.AccountCreated != ""
	r.server = mockllm.NewServer(mockllm.Config{
		Engine: r.engine, Source: source, Builder: r.builder, Latency: timing, Faults: r.faults, Profile: r.profile,
		NoHidden: sc.Provider.HiddenTokens != nil && !*sc.Provider.HiddenTokens, MaxPrompt: sc.Limits.Tokens,
		Limits: sc.Provider.Limits(),
	})
	return nil
}

// profile is a model's profile, made once.
func (r *run) profile(id string) (*cachemodel.Profile, error) {
	if p := r.profiles[id]; p != nil {
		return p, nil
	}
	p, err := r.alike.profiles.Get(id, func(id string) (*cachemodel.Profile, error) { return Profile(&r.spec.Scenario.Provider, id) })
	if err == nil {
		r.profiles[id] = p
	}
	return p, err
}

// saltRules are a model's; an unknown model has the default ones and is refused
// when it is called.
func (r *run) saltRules(model string) llm.SaltRules {
	p, err := r.profile(model)
	if err != nil {
		return llm.SaltRules{}
	}
	return p.Salts
}

// literalOrDrawn is a span as a plain duration or, where it is drawn, as itself
// beside the longest it can be.
func literalOrDrawn(s *rng.Span) (vtime.Duration, *rng.Span) {
	if s.Literal() {
		return vtime.Duration(s.Hi), nil
	}
	return vtime.Duration(s.Hi), s
}

// parseFaults makes the plan of a scenario's faults; nil, which costs a call
// nothing, when there are none.
func parseFaults(lines []string) (*fault.Plan, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	rules, i, err := fault.ParseAll(lines)
	if err != nil {
		return nil, fmt.Errorf("fault %q: %w", lines[i], err)
	}
	return fault.NewPlan(rules), nil
}

// payloads are a content's texts; its size, if drawn, by its place in the
// scenario.
func (r *run) payloads(c scenarios.Content, name string) []*llm.Payload {
	return r.filler.Content(&c, r.key.Sub("content").Sub(name))
}

func (r *run) texts(c scenarios.Content, name string) []string {
	var out []string
	for _, p := range r.payloads(c, name) {
		out = append(out, p.Raw())
	}
	return out
}

func (r *run) text(c scenarios.Content, name string) string {
	s := ""
	for _, t := range r.texts(c, name) {
		s += t
	}
	return s
}

func (r *run) blocks(c scenarios.Content, name string) []llm.Block {
	var out []llm.Block
	for _, p := range r.payloads(c, name) {
		out = append(out, llm.Block{Kind: llm.Text, Content: p})
	}
	return out
}

// sources are where behaviour comes from: scripts first, then the policy.
func (r *run) sources() (mockllm.Source, error) {
	if len(r.scenario.Recorded) > 0 {
		r.session = &session{recorded.New(r.scenario, r.filler), r.scenario, r.filler}
		return mockllm.Sources{r.session}, nil
	}
	book, err := script.NewBook(r.scripts(), r.filler)
	if err != nil {
		return nil, err
	}
	r.book = book
	sc := r.scenario
	if len(sc.Work) == 0 {
		return mockllm.Sources{script.Hidden{Filler: r.filler}, book, script.Asides{Filler: r.filler}}, nil
	}
	table, err := policy.Bind(sc, policy.Options{Files: r.fs.Paths(), Works: reads(r), Says: r.line, Place: r.within, Apart: apart(r), Key: r.key.Sub("policy"), Marks: r.marks, Filler: r.filler})
	if err != nil {
		return nil, err
	}
	r.table = table
	return mockllm.Sources{script.Hidden{Filler: r.filler}, book, script.Asides{Filler: r.filler}, policy.New(table)}, nil
}

// line is a line of a file, "" where there is none.
func (r *run) line(path string, n int) string {
	content, _ := r.fs.Content(path)
	for ; n > 1 && content != ""; n-- {
		_, content, _ = strings.Cut(content, "\n")
	}
	line, _, _ := strings.Cut(content, "\n")
	return line
}

// options are the undocumented points of the cache and the server that touched a
// figure.
func (r *run) options() []string { return append(r.engine.Options(), r.server.Options()...) }

// What stands around a lineage in a scripted tool input: $id(main/1.1) is the id that the
// agent of that lineage has in a run of this seed, $plan(main) its plan file.
const (
	idOpen   = "$id("
	planOpen = "$plan("
	idClose  = ")"
)

// scripts are the scenario's, with ids and plan files in the place of lineages.
func (r *run) scripts() []scenarios.Script {
	out := append([]scenarios.Script(nil), r.spec.Scenario.Scripts...)
	for i := range out {
		out[i].Turns = append([]scenarios.Turn(nil), out[i].Turns...)
		for j := range out[i].Turns {
			t := &out[i].Turns[j]
			for k := range t.Tools {
				if raw := r.withNames(t.Tools[k].Raw); raw != t.Tools[k].Raw {
					t.Tools = append([]scenarios.ToolTurn(nil), t.Tools...)
					t.Tools[k].Raw = raw
				}
			}
		}
	}
	return out
}

// withNames is a text with ids and plan files in the place of lineages.
func (r *run) withNames(s string) string {
	agents := r.key.Sub("agents")
	s = replaceNamed(s, idOpen, func(lineage string) string {
		return llm.AgentID(agents.Sub(lineage).Sub("agent").Seen()).String()
	})
	return replaceNamed(s, planOpen, func(lineage string) string { return plan.File(agents.Sub(lineage).Sub("plan")) })
}

// replaceNamed puts what name says in the place of each lineage behind open. What is not
// closed stays.
func replaceNamed(s, open string, name func(lineage string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, open)
		lineage, after, closed := strings.Cut(rest, idClose)
		if !found || !closed {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(before + name(lineage))
		s = after
	}
}
