package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim"
)

func TestScenario(t *testing.T) {
	t.Run("CACHE-38 a run lists the undocumented points that it decided, however it ends", undocumented)
	t.Run("SUB-09 a model's alias and its id make the same run", aliases)
	t.Run("PRM-05 settings that a root or a step does not give stay as they are", settings)
	t.Run("LOOP-12 CON-06 what a run assumes names its breakpoints and who counts", assumptions)
	t.Run("CON-14 a scenario's name and a variant's are in no key: whatever they are, every event but the first is the same", renamed)
}

func undocumented(t *testing.T) {
	res := runOf(t, workSpec(t, "inline"))
	if !slices.ContainsFunc(res.Options, func(o string) bool { return strings.HasPrefix(o, "tail_tokens=3") }) {
		t.Errorf("options %q", res.Options)
	}
	cut, err := sim.Run(workSpec(t, "inline", "limits.steps=25"), sim.Options{})
	if err != nil || cut.Outcome != sim.Limited {
		t.Fatal(cut, err)
	}
	if !slices.Equal(cut.Options, res.Options) {
		t.Errorf("cut short, the options are %q", cut.Options)
	}
}

// renamed runs one spec under four names, in each structure.
func renamed(t *testing.T) {
	for structure := range structures { // order: each structure is a world of its own
		var want []string
		for _, name := range []string{"small", "a", "another-name", "fork"} {
			spec := workSpec(t, structure)
			spec.Scenario.Name, spec.Variant = name, name
			got := linesOf(t, spec)[1:]
			if want == nil {
				want = got
			}
			if !slices.Equal(want, got) {
				t.Errorf("%s: named %s it is another run", structure, name)
			}
		}
	}
}

// aliases compares everything but the first event, which holds the hash of the
// scenario's text. The model is one whose counter is not the default one.
func aliases(t *testing.T) {
	const id, named = "{model: claude-opus-4-7}", "{model: opus, aliases: {opus: claude-opus-4-7}}"
	text := strings.Replace(workText("subagent"), "{model: claude-sonnet-4-5-20250929}", id, 1)
	want := specOf(t, text, "")
	got := specOf(t, strings.Replace(text, id, named, 1), "")
	if want.Project.Hash() != got.Project.Hash() {
		t.Error("the alias has other files")
	}
	if w, g := linesOf(t, want), linesOf(t, got); !slices.Equal(w[1:], g[1:]) {
		t.Error("the alias makes another run")
	}
}

// spoken is a root with two further messages; %0 to %3 are the settings of the
// scenario, of the root and of the two steps.
const spoken = `
agentsim: 1
name: spoken
provider: {model: claude-sonnet-4-6}
agents: {settings: %0}
script:
  main:
    user: Hello.
    system: {tokens: 3_000}
    settings: %1
    then:
      - {message: And then?, settings: %2}
      - {message: And now?, settings: %3}
  answers: [{agent: main, turns: [{text: One.}, {text: Two.}, {text: Three.}]}]
`

// settings compares, but for the first event, with a scenario that says
// everything again.
func settings(t *testing.T) {
	lines := func(global, root, second, third string) []string {
		text := strings.NewReplacer("%0", global, "%1", root, "%2", second, "%3", third).Replace(spoken)
		return linesOf(t, specOf(t, text, ""))[1:]
	}
	short := lines("{thinking: enabled, thinking_budget: 4_000, tool_choice: any}", "{effort: low}", "{effort: medium}", "{tool_choice: none}")
	long := lines("{}", "{thinking: enabled, thinking_budget: 4_000, tool_choice: any, effort: low}",
		"{thinking: enabled, thinking_budget: 4_000, tool_choice: any, effort: medium}",
		"{thinking: enabled, thinking_budget: 4_000, tool_choice: none, effort: medium}")
	if !slices.Equal(short, long) {
		t.Error("what was not given did not stay")
	}
	for _, other := range [][]string{
		lines("{}", "{effort: low}", "{effort: medium}", "{tool_choice: none}"),
		lines("{thinking: enabled, thinking_budget: 4_000, tool_choice: any}", "{effort: low}", "{}", "{tool_choice: none}"),
		lines("{thinking: enabled, thinking_budget: 4_000, tool_choice: any}", "{effort: low}", "{effort: medium}", "{}"),
	} {
		if slices.Equal(short, other) {
			t.Error("other settings make the same run")
		}
	}
}

func assumptions(t *testing.T) {
	of := func(variant, want string, sets ...string) {
		t.Helper()
		if got := runOf(t, workSpec(t, variant, sets...)).Assumed; !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	has := func(want string, sets ...string) { t.Helper(); of("inline", want, sets...) }
	of("subagent", "tokens of claude-haiku-5-5 counted by approx-claude-4.7", "provider.subagent_model=claude-haiku-5-5")
	has("tokens counted by approx-claude-4.6")
	has("tokens counted by recorded, approx-claude-4.6 elsewhere", "provider.counter=recorded")
	has("claude-sonnet-4-5-20250929 at prices of 2026-11-10: $3 input, $0.30 cache read, $3.75 cache write ($6 for 1h), $15 output a million tokens, retires on 2026-11-30")
	has("claude-opus-4-1-20250805 at prices of 2026-08-31: $15 input, $1.50 cache read, $18.75 cache write ($30 for 1h), $75 output a million tokens, retired on 2026-08-05",
		"provider.model=claude-opus-4-1-20250805", "provider.prices_on=2026-08-31")
	has("claude-opus-5-5: 286 hidden tok for tools (406 where one is forced), as of claude-opus-5 (not published)", "provider.model=claude-opus-5-5")
	has("breakpoints agent, TTL 5m")
	has("breakpoints agent and a fourth mark, TTL 1h", "provider.fourth_mark=true", "provider.ttl=1h")
}
