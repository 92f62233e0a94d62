package sim_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

func TestStack(t *testing.T) {
	t.Run("MIN-05 MIN-06 the same work on both stacks: what it took, and which statements the minimal one leaves, none the full one", compareStacks)
	t.Run("MIN-05 MIN-02 MIN-04 what the findings say can be seen: unmarked errors, a cost line that lacks tokens, prompts that lack context", seeDepartures)
	t.Run("MIN-01 a project's own definitions come first, and what is wrong with one is told and loses nothing", ownDefinitions)
	t.Run("MIN-01 DEF-02 the user's definitions count too, the project's before them", userDefinitions)
	t.Run("MIN-01 run_shell stands in the read-only set unless the scenario takes it out", readOnlyShell)
	t.Run("MIN-01 the policy works through the minimal tools: it searches, reads, edits and gives out", minimalWork)
}

// told is what a test asks of a run.
type told struct {
	run   *metrics.Run
	lines []string
}

func toldOf(t *testing.T, spec *sim.Spec) told {
	t.Helper()
	var b strings.Builder
	fold := metrics.New(metrics.Options{})
	runOf(t, spec, transcript.NewText(&b), fold)
	return told{fold.Run(), strings.Split(b.String(), "\n")}
}

// tell runs a variant of a library scenario.
func tell(t *testing.T, entry, variant string) told {
	t.Helper()
	f, err := scenarios.Open(entry)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective(variant, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	return toldOf(t, spec)
}

// figure is a metric of the run, or of a type of agent of it.
func (r told) figure(t *testing.T, subject, metric string) int64 {
	t.Helper()
	v, ok := metrics.Lookup(r.run, subject, metric)
	if !ok {
		t.Fatalf("%s has no %s", subject, metric)
	}
	return v.Num
}

// kinds are the lines of a kind of event.
func (r told) kinds(kind string) (out []string) {
	for _, l := range r.lines {
		if f := strings.SplitN(l, " ", 6); len(f) > 5 && f[4] == kind {
			out = append(out, f[3]+" "+f[5])
		}
	}
	return out
}

var departure = regexp.MustCompile(`^0 rule=minimal detail="?([A-Z]+-[0-9]+): `)

// left are the ids of the statements that a run left, sorted.
func (r told) left() string {
	ids := map[string]bool{}
	for _, l := range r.kinds("finding") {
		if m := departure.FindStringSubmatch(l); m != nil {
			ids[m[1]] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(ids)), " ")
}

func compareStacks(t *testing.T) {
	for _, c := range []struct{ full, minimal, fullType, minimalType, left string }{
		{"full", "minimal", "general-purpose", "general", "SUB-08 SUB-10 SUB-12"},
		{"full-explore", "minimal-explore", "Explore", "explore", "SUB-08 SUB-10 SUB-12"},
		{"full-error", "minimal-error", "general-purpose", "general", "SUB-08 SUB-10 SUB-12 SUB-16 SUB-18"},
	} {
		full, minimal := tell(t, "minimal-vs-full", c.full), tell(t, "minimal-vs-full", c.minimal)
		if got := full.left(); got != "" {
			t.Errorf("%s leaves %s", c.full, got)
		}
		if got := minimal.left(); got != c.left {
			t.Errorf("%s leaves %q, want %q", c.minimal, got, c.left)
		}
		for _, same := range []string{"agents", "calls", "reads", "tool_uses", "items.done", "items.failed", "items.wrong", "errors"} {
			if f, m := full.figure(t, "", same), minimal.figure(t, "", same); f != m {
				t.Errorf("%s has %d %s, %s has %d", c.full, f, same, c.minimal, m)
			}
		}
		if f, m := full.figure(t, c.fullType, "tokens.prompt"), minimal.figure(t, c.minimalType, "tokens.prompt"); m >= f {
			t.Errorf("sub-agents of %s sent %d tokens, those of %s %d", c.full, f, c.minimal, m)
		}
		if f, m := full.figure(t, "", "time"), minimal.figure(t, "", "time"); m < f+f/2 {
			t.Errorf("%s took %d ns, %s %d: its sub-agents wait for each other", c.full, f, c.minimal, m)
		}
	}
	f, m := tell(t, "minimal-vs-full", "full").figure(t, "", "time"), tell(t, "minimal-vs-full", "minimal-beside").figure(t, "", "time")
	if diff := f - m; diff > f/50 || diff < -f/50 {
		t.Errorf("full took %d ns, minimal side by side %d", f, m)
	}
}

func seeDepartures(t *testing.T) {
	full, minimal := tell(t, "minimal-vs-full", "full-error"), tell(t, "minimal-vs-full", "minimal-error")
	failed := func(r told, tool string) (n int) {
		for _, l := range r.kinds("tool_result") {
			if strings.HasPrefix(l, "0 ") && strings.Contains(l, " name="+tool+" ") && strings.Contains(l, " error=true") {
				n++
			}
		}
		return n
	}
	if f, m := failed(full, "Agent"), failed(minimal, "agent"); f != 1 || m != 0 {
		t.Errorf("%d and %d results of agents are marked as errors, want 1 and 0", f, m)
	}
	all := minimal.figure(t, "", "tokens.prompt")
	lost := int64(0)
	for _, a := range minimal.run.Agents {
		if a.Status == "failed" {
			lost += a.Tally.Usage.Prompt()
		}
	}
	line := fmt.Sprintf(`0 line="Tokens: %d in / `, all-lost)
	if lost == 0 || !slices.ContainsFunc(minimal.kinds("terminal"), func(l string) bool { return strings.HasPrefix(l, line) }) {
		t.Errorf("of %d tokens %d were lost, and the terminal shows %q", all, lost, minimal.kinds("terminal"))
	}
	if len(full.kinds("terminal")) > 0 {
		t.Error("the full stack shows lines of the minimal one")
	}
	for _, l := range minimal.kinds("agent_start") {
		child := strings.Contains(l, " structure=subagent ")
		if told := strings.Contains(l, "claudeMd"); told == child {
			t.Errorf("an agent starts with or without CLAUDE.md: %s", l)
		}
	}
}

const owned = `
agentsim: 1
name: owned
provider: {model: claude-sonnet-4-5-20250929}
project:
  files:
    a.go: "package a"
    .claude/agents/explore.md: "---\nname: explore\ndescription: of this project\nmodel: haiku\nallowed-tools: read_file, agent\n---\nLook twice."
    .claude/agents/broken.md: "---\nname: [x"
script:
  main: {user: go}
  answers:
    - agent: main
      turns:
        - tools: [{name: agent, input: {description: look, prompt: Look., type: explore}}, {name: agent, input: {description: plan, prompt: Plan., type: plan}}]
        - text: done
    - {agent: main/1.1, turns: [{contains: Look twice., text: looked}]}
    - {agent: main/1.2, turns: [{text: planned}]}
lab:
  stack: minimal
`

func ownDefinitions(t *testing.T) {
	r := toldOf(t, specOf(t, owned, ""))
	starts := r.kinds("agent_start")
	if len(starts) != 3 || !strings.Contains(starts[1], " source=agent:custom ") || !strings.Contains(starts[1], " tools=read_file ") ||
		!strings.Contains(starts[1], " model=claude-sonnet-4-5-20250929 ") {
		t.Errorf("the project's explorer started as %q", starts)
	}
	if found := r.kinds("finding"); !slices.ContainsFunc(found, func(l string) bool {
		return strings.Contains(l, `rule=definition detail=".claude/agents/broken.md:1:1: `)
	}) {
		t.Errorf("the broken definition is told as %q", found)
	}
}

func userDefinitions(t *testing.T) {
	users := `project.agents.user={explore.md: "---\nname: explore\ndescription: the user's\n---\nLook thrice.", plan.md: "---\nname: plan\ndescription: the user's\n---\nPlan much."}`
	starts := toldOf(t, specOf(t, owned, "", users)).kinds("agent_start")
	if !strings.Contains(starts[1], " tools=read_file ") || !strings.Contains(starts[2], " source=agent:custom ") {
		t.Errorf("explore is the project's and plan the user's; they started as %q", starts)
	}
	_, err := sim.Run(specOf(t, workText("subagent"), "", "stack=minimal", users, "type=nobody"), sim.Options{})
	if err == nil || !strings.Contains(err.Error(), `type: no agent of type "nobody" is defined; there are explore, plan, general`) {
		t.Errorf("a lead that names a type that is not there: %v", err)
	}
}

func readOnlyShell(t *testing.T) {
	for set, want := range map[string]bool{"minimal.read_only_shell=true": true, "minimal.read_only_shell=false": false, "minimal.read_only_shell=null": true} { // order: runs that know nothing of each other
		starts := toldOf(t, specOf(t, owned, "", set)).kinds("agent_start")
		if got := strings.Contains(starts[2], "run_shell"); got != want {
			t.Errorf("%s: a planner has run_shell: %v", set, got)
		}
	}
}

func minimalWork(t *testing.T) {
	for _, structure := range []string{"inline", "subagent"} {
		full, minimal := toldOf(t, workSpec(t, structure)), toldOf(t, workSpec(t, structure, "stack=minimal"))
		for _, same := range []string{"items.done", "reads", "tool_uses", "agents"} {
			if f, m := full.figure(t, "", same), minimal.figure(t, "", same); f != m || f == 0 {
				t.Errorf("%s: %d %s in the full stack, %d in the minimal one", structure, f, same, m)
			}
		}
		used := map[string]bool{}
		for _, l := range minimal.kinds("tool_call") {
			_, name, _ := strings.Cut(l, " name=")
			name, _, _ = strings.Cut(name, " ")
			used[name] = true
		}
		want := "edit_file list_files read_file"
		if structure == "subagent" {
			want = "agent " + want
		}
		if got := strings.Join(slices.Sorted(maps.Keys(used)), " "); got != want {
			t.Errorf("%s uses %s, want %s", structure, got, want)
		}
	}
}
