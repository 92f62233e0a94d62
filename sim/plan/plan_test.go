package plan

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim/permission"
	"agentsim/sim/rng"
)

func rules(t *testing.T, allow ...string) *permission.Rules {
	t.Helper()
	r := &permission.Rules{Deny: []permission.Rule{{Tool: "WebFetch"}}, Ask: []permission.Rule{{Tool: "Edit", Spec: "docs/**"}}}
	for _, text := range allow {
		rule, err := permission.ParseRule(text, permission.Session)
		if err != nil {
			t.Fatal(err)
		}
		r.Allow = append(r.Allow, rule)
	}
	return r
}

func TestConformance(t *testing.T) {
	t.Run("PLN-01 entering remembers the mode, and from auto alone takes dangerous rules away", testEnter)
	t.Run("PLN-01 dangerous are a Bash rule for every command, interpreters and every type of agent", testDangerous)
	t.Run("PLN-02 the plan file is drawn by a key, and is what Write and Edit alone may change", testFile)
	t.Run("PLN-03 the instructions have five headings in order, and name the file, Explore and Plan", testPrompt)
}

func testEnter(t *testing.T) {
	own := rules(t, "Bash", "Bash(go test:*)", "Agent(*)", "Agent(Explore)", "Bash(python:*)", "Edit")
	for _, mode := range permission.Modes() {
		m, now := Enter(mode, nil, own)
		if m.Mode != mode || m.Rules != nil {
			t.Errorf("%s: remembered %+v", mode, m)
		}
		if mode != permission.Auto {
			if now != nil || m.Stripped != nil {
				t.Errorf("%s: %v is taken away", mode, m.Stripped)
			}
			continue
		}
		if want := rules(t, "Bash(go test:*)", "Agent(Explore)", "Edit"); !slices.Equal(now.Allow, want.Allow) || !slices.Equal(now.Deny, own.Deny) || !slices.Equal(now.Ask, own.Ask) {
			t.Errorf("left: %+v", now)
		}
		if want := rules(t, "Bash", "Agent(*)", "Bash(python:*)").Allow; !slices.Equal(m.Stripped, want) {
			t.Errorf("taken away: %v", m.Stripped)
		}
	}
	if len(own.Allow) != 6 {
		t.Error("the session's own rules changed")
	}
	mine := rules(t, "Edit")
	if m, now := Enter(permission.Auto, mine, mine); now != mine || m.Rules != mine || m.Stripped != nil {
		t.Errorf("with nothing dangerous the rules stay: %+v %+v", m, now)
	}
}

func testDangerous(t *testing.T) {
	for text, want := range map[string]bool{"Bash": true, "Bash(*)": true, "Bash(:*)": true, "Bash(python:*)": true, "Bash(node:*)": true, "Bash(python *)": true,
		"Bash(npm run:*)": true, "Bash(npm run test)": false, "Bash(git:*)": false, "Bash(pythonic:*)": false, "Bash(python x.py)": false, "Agent": true, "Agent(*)": true, "Task": true,
		"Agent(Plan)": false, "Read": false, "Edit": false, "mcp__tracker": false} {
		if got := Dangerous(rules(t, text).Allow[0]); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func testFile(t *testing.T) {
	file := File(rng.Root(7))
	if !strings.HasPrefix(file, "~/.claude/plans/") || !strings.HasSuffix(file, ".md") || strings.Count(strings.TrimPrefix(file, "~/.claude/plans/"), "/") > 0 {
		t.Error(file)
	}
	if File(rng.Root(7)) != file || File(rng.Root(8)) == file {
		t.Error("the name is not the key's")
	}
	home := "/home/user" + strings.TrimPrefix(file, "~")
	for _, c := range []struct {
		tool, name string
		want       bool
	}{
		{"Write", file, true}, {"Edit", file, true}, {"Write", home, true},
		{"NotebookEdit", file, false}, {"Bash", file, false}, {"mcp__x__write", file, false},
		{"Write", File(rng.Root(8)), false}, {"Write", file + "x", false}, {"Write", "x/" + file, false}, {"Write", "/work/project/a.go", false}, {"Write", "", false},
	} {
		if Open(c.tool, c.name, file) != c.want {
			t.Errorf("%s of %s: %v", c.tool, c.name, !c.want)
		}
	}
}

func testPrompt(t *testing.T) {
	text := Prompt("~/.claude/plans/x.md", false)
	var got []string
	for line := range strings.Lines(text) {
		if h, is := strings.CutPrefix(line, "## "); is {
			got = append(got, strings.TrimSpace(h))
		}
	}
	if want := []string{"Initial Understanding", "Solution Design", "Solution Review", "Write Plan", "Exit Plan"}; !slices.Equal(got, want) {
		t.Error(got)
	}
	for _, want := range []string{"you MUST NOT make any edits, run any\nnon-readonly tools, or otherwise make any changes to the system", "~/.claude/plans/x.md", "type Explore", "type Plan", "ExitPlanMode"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
	for there, want := range map[bool]string{false: "make it with Write", true: "It holds a plan already"} {
		if got := strings.Contains(Prompt("~/.claude/plans/x.md", there), want); !got {
			t.Errorf("%q is not said", want)
		}
	}
}
