package scenarios

import (
	"strings"
	"testing"
)

// TestSilent reads settings that were accepted without effect, or refused though they
// had one.
func TestSilent(t *testing.T) {
	const head = "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.go: x}}\n"
	read := func(text, variant string) (*Scenario, string) {
		f, err := Parse("my.yaml", []byte(text))
		if err == nil {
			var s *Scenario
			if s, err = f.Effective(variant, nil); err == nil {
				return s, ""
			}
		}
		return nil, err.Error()
	}
	t.Run("WKT-01 a team has no worktrees to ask for", func(t *testing.T) {
		if _, got := read(head+"work: [{id: a, reads: [a.go]}]\nstructure: team\nagents: {isolation: worktree}\n", ""); !strings.Contains(got, "teammates of structure team work in their lead's directory") {
			t.Error(got)
		}
	})
	t.Run("WKT-03 an empty list of linked directories is none", func(t *testing.T) {
		s, bad := read(strings.Replace(head, "x}", "x}, linked: []", 1)+"agents: {isolation: offered}\nscript: {main: {user: Go.}, answers: [{agent: main, turns: [{spawn: {subagent: [a], prompt: Go.}}, {say: x}]}, {agent: main/*, turns: [{say: x}]}]}\n", "")
		if bad != "" || s.Project.Linked == nil || len(*s.Project.Linked) != 0 {
			t.Error(bad)
		}
	})
	t.Run("REPO-01 on a directory those without a list of tools have a shell, and elsewhere they are told to list it", func(t *testing.T) {
		text := strings.Replace(head, "a.go: x}}", "a.go: x}, tests: [{command: go test ./..., files: \"*.go\"}]}", 1) + "structure: inline\nscript: {main: {user: Go.}}\nwork: [{id: a, kind: verify, runs: [go test ./...]}]\n"
		if _, got := read(text, ""); !strings.Contains(got, "cannot be done without Bash") {
			t.Error(got)
		}
		if _, err := Parse("my.yaml", []byte(text), OnDirectory([]string{"a.go"})); err != nil {
			t.Error(err)
		}
	})
	t.Run("SCN-04 a null for what nothing gives is refused, and one for what any variant gives is not", func(t *testing.T) {
		f, err := Parse("my.yaml", []byte(head+"profile: recorded-2026-11\nstructure: inline\nscript: {main: {user: Go.}}\nwork: [{id: a, kind: research, reads: [a.go]}]\nvariants: {a: {}, b: {provider: {ttl: 1h}}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		for set, want := range map[string]bool{"model.wander=null": false, "lab.limits=null": false, "provider.ttl=null": true, "profile=null": true} {
			_, err := f.CheckSets(f.VariantNames(), []string{set})
			if refused := err != nil && strings.Contains(err.Error(), "null takes away what the file gives, and nothing in it gives "); refused == want {
				t.Errorf("%s: %v", set, err)
			}
		}
	})
	t.Run("SCN-04 a fault that finds nobody in some of the runs is told with how many", func(t *testing.T) {
		f, err := Parse("my.yaml", []byte(head+"structure: subagent\nscript: {main: {user: Go.}}\nwork: [{id: a, kind: research, reads: [a.go]}]\nlab: {faults: [500 agent=main/1.2 call=1]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		var runs []Ran
		for seed, names := range [][]string{{"main", "main/1.1", "main/1.2"}, {"main", "main/1.1"}, {"main", "main/1.1"}, {"main", "main/1.1", "main/1.2"}} {
			runs = Join(runs, Ran{Whole: true, Lineages: names, Casts: []Cast{{Lineages: names, Runs: 1, Seed: uint64(seed)}}})
		}
		told, err := f.Unstruck(nil, runs, false)
		if want := "my.yaml:8:16: fault 500 agent=main/1.2 call=1 has no effect in 2 of 4 runs: with seed 1 no agent has such a name, so nothing fails; their figures count with the others"; err != nil || len(told) != 1 || told[0].String() != want {
			t.Errorf("%v %v, want %s", told, err, want)
		}
	})
	t.Run("GATE-02 a variant turns a gate off that its file turns on", func(t *testing.T) {
		text := head + "lab: {interactive: true, gates: {FORK_SUBAGENT: true}}\nscript: {main: {user: Go.}, answers: [{agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: Go.}}]}, {say: x}]}, {agent: main/*, turns: [{say: x}]}]}\nvariants: {on: {}, off: {lab: {gates: {FORK_SUBAGENT: false}}}}\n"
		if s, bad := read(text, "off"); bad != "" || s.Gate("FORK_SUBAGENT") != "false" {
			t.Error(bad)
		}
	})
}

// TestTeamlessTools reads roots that name tools of teams.
func TestTeamlessTools(t *testing.T) {
	const head = `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5}
script:
  main: {user: hello, tools: [Agent, SendMessage, TaskList]}
  answers: [{agent: main, turns: [{text: done}]}]
`
	const mail = "my.yaml:5:30: main.tools SendMessage has no effect: teams and coordinators alone have it, and neither gate AGENT_SWARMS nor those of a coordinator are on"
	const list = "my.yaml:5:30: main.tools TaskList has no effect: teams alone have it, and gate AGENT_SWARMS is off"
	for text, want := range map[string]string{
		"":                                     mail + "\n" + list,
		"lab: {gates: {AGENT_SWARMS: true}}\n": "",
		"lab: {gate_flips: [{at: 3s, gate: AGENT_SWARMS, value: \"true\"}]}\n": "",
		"variants: {alone: {}, team: {lab: {gates: {AGENT_SWARMS: true}}}}\n":  "",
		"sweep: {lab.gates.AGENT_SWARMS: [true, false]}\n":                     "",
	} {
		t.Run("SWM-13 SCN-04 a tool that a root names and that teams alone have is told where no variant has any: "+text, func(t *testing.T) {
			f, err := Parse("my.yaml", []byte(head+text))
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, x := range f.Idle(nil) {
				told = append(told, x.String())
			}
			if got := strings.Join(told, "\n"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
