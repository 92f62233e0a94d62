package scenarios

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios/document"
	"agentsim/sim/recording/profile"
)

const profiled = `agentsim: 1
name: profiled
profile: recorded-2026-11
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: {tokens: 300, class: code}}}
script: {main: {user: Go., then: [{message: And?}, {after: 3s, message: And now?}]}}
structure: subagent
work: [{id: read, kind: research, reads: [a.go]}]
`

func TestProfiles(t *testing.T) {
	t.Run("PRO-05 WAN-01 a profile gives heads, thinking, sizes and gaps, and what the scenario says stands over it", profileGives)
	t.Run("WAN-02 how much a stranger wanders, and how near, is the profile's unless the scenario says it", profileWanders)
	t.Run("PRO-05 no profile is tiny, and tiny is what a scenario without one has", profileTiny)
	t.Run("PRO-05 tokens are those of the recorded models, converted for others by the ratio of prose, and it is said", profileConverts)
	t.Run("PRO-05 forks, which nobody has recorded, are assumed and never measured", profileForks)
	t.Run("PRO-05 an effective scenario holds the figures, and is read again without the profile", profileRoundTrip)
	t.Run("PRO-05 a profile that is none, or is no one population, is refused with its place", profileRefused)
}

func effectiveOf(t *testing.T, text string, sets ...string) *Scenario {
	t.Helper()
	f, err := Parse("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Effective("", sets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func profileGives(t *testing.T) {
	s := effectiveOf(t, profiled)
	main, child, explore := s.Head("main", true), s.Head("general-purpose", false), s.Head("Explore", false)
	if main.Shared != 40_473*581/1000 || main.Prompt.Lo != 18_747 || main.Prompt.Hi != 55_396 {
		t.Errorf("main: %+v", main)
	}
	if child.Type != "sub-agent" || child.Shared < 10_000 || child.Shared > 11_500 || explore.Type != "Explore" || explore.Shared >= child.Shared {
		t.Errorf("sub-agents: %+v, Explore: %+v", child, explore)
	}
	if s.Settings.Thinking != "adaptive" || !s.Model.AtOnce.SubAgent.Set || s.Tools.Commands.Takes == nil || s.Main.Then[0].After == nil {
		t.Errorf("thinking %q, at once %+v, commands %+v, gap %v", s.Settings.Thinking, s.Model.AtOnce, s.Tools.Commands, s.Main.Then[0].After)
	}
	if own := s.Main.Then[1].After; !own.Literal() {
		t.Errorf("a gap that is given became %v", own)
	}
	s = effectiveOf(t, profiled, "settings.thinking=disabled", "model.reads_per_turn=3", "heads=[{type: main, prompt: 9_000}]", "tools.commands.takes=4s")
	if s.Settings.Thinking != "disabled" || s.Model.AtOnce.Main.Set || s.Model.ReadsPerTurn != 3 || len(s.Heads) != 1 || !s.Tools.Commands.Takes.Literal() {
		t.Errorf("thinking %q, at once %+v, heads %+v, commands %+v", s.Settings.Thinking, s.Model.AtOnce, s.Heads, s.Tools.Commands)
	}
}

func profileWanders(t *testing.T) {
	w := effectiveOf(t, profiled).Model.Wander
	if w.Near < 15 || w.Near > 30 || w.Uses.Lo != 1 || w.Uses.Hi != 66 {
		t.Errorf("%+v", w)
	}
	if w = effectiveOf(t, profiled, "model.wander.near=70").Model.Wander; w.Near != 70 || w.Uses.Hi != 66 {
		t.Errorf("%+v", w)
	}
	if w = effectiveOf(t, profiled, "model.wander.uses=5").Model.Wander; w.Uses.Hi != 5 {
		t.Errorf("%+v", w)
	}
}

func profileTiny(t *testing.T) {
	none := effectiveOf(t, strings.Replace(profiled, "profile: recorded-2026-11\n", "", 1))
	tiny := effectiveOf(t, profiled, "profile=tiny")
	tiny.Profile.Name = ""
	if a, b := string(none.Canonical()), string(tiny.Canonical()); a != b {
		t.Errorf("%s\n%s", a, b)
	}
	if len(none.Heads) > 0 || none.Model.Wander.Uses.Set || none.Settings.Thinking != "" {
		t.Errorf("%+v", none.Agents)
	}
}

func profileConverts(t *testing.T) {
	of := func(model string) (*Scenario, string) {
		s := effectiveOf(t, profiled, "provider.model="+model)
		return s, strings.Join(s.Profile.From, "\n")
	}
	old, said := of("claude-sonnet-4-6")
	if !strings.Contains(said, "measured by profile recorded-2026-11: first prompts of main agents (n 161)") || strings.Contains(said, "scaled") {
		t.Error(said)
	}
	now, said := of("claude-sonnet-5-5")
	if !strings.Contains(said, "recorded of claude-to-4.6 and converted to tokens of claude-from-4.7, 1.45×: first prompts of main agents") || strings.Contains(said, "measured by") {
		t.Error(said)
	}
	if a, b := old.Heads[0].Prompt.Hi, now.Heads[0].Prompt.Hi; b*100/a < 144 || b*100/a > 146 {
		t.Errorf("%d became %d", a, b)
	}
}

func profileForks(t *testing.T) {
	from := effectiveOf(t, profiled).Profile.From
	at := slices.IndexFunc(from, func(line string) bool { return strings.Contains(line, "forks") })
	if at < 0 || !strings.HasPrefix(from[at], "assumed") || at != len(from)-1 {
		t.Errorf("%q", from)
	}
}

func profileRoundTrip(t *testing.T) {
	s := effectiveOf(t, profiled)
	s.Profile.Name = "somebody's.yaml" // which nobody has any more
	again := effectiveOf(t, string(s.Canonical()))
	if a, b := string(s.Canonical()), string(again.Canonical()); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

func profileRefused(t *testing.T) {
	shipped, err := os.ReadFile("../sim/recording/profile/shipped/" + profile.Default + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	two := string(shipped) + "  - {sessions: 1, requests: 1, roles: []}\n"
	files := map[string]string{"mine.yaml": string(shipped), "two.yaml": two, "none.yaml": "name: x\n"}
	beside := Beside(func(p string) ([]byte, error) {
		if text, ok := files[p]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	})
	for name, want := range map[string]string{
		"recorded-2026-12": `no profile "recorded-2026-12" in this agentsim`,
		"gone.yaml":        "cannot be read: no such file",
		"none.yaml":        "this is no profile",
		"two.yaml":         "which are no one population",
		"mine.yaml":        "",
	} {
		_, err := Parse("p.yaml", []byte(strings.Replace(profiled, "recorded-2026-11", name, 1)), beside)
		var at *document.Errors
		switch {
		case want == "" && err != nil:
			t.Error(err)
		case want != "" && (!errors.As(err, &at) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.yaml:3:10")):
			t.Errorf("%s: %v", name, err)
		}
	}
}
