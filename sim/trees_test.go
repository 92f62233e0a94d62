package sim_test

import (
	"strings"
	"testing"

	"agentsim/scenarios"
)

const apart = `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project:
  files:
    list.md: {text: "# The list\n"}
    a.go: {tokens: 300, class: code}
    b.go: {tokens: 300, class: code}
script: {main: {user: Change it., tools: [Agent, Read, Glob, Grep, Edit, Bash]}}
structure: subagent
agents: {isolation: worktree}
model: {spawns_per_turn: 2}
work:
  - {id: first, kind: implement, edits: [{file: a.go, tokens: 20}]}
  - {id: second, kind: implement, edits: [{file: b.go, tokens: 20}]}
  - {id: own, kind: implement, by: lead, edits: [{file: a.go, tokens: 30}], after: [first, second]}
  - {id: third, kind: implement, edits: [{file: a.go, tokens: 40}], after: [own]}
  - {id: check, kind: verify, after: [third]}
`

// TestTrees runs leads whose agents work in worktrees.
func TestTrees(t *testing.T) {
	t.Run("WKT-09 a lead merges the branch of each agent that edits before anything else, and commits its own changes before it gives more out", testMerges)
	t.Run("WKT-09 a lead makes one text of what is in conflict and commits it, in the background and where forks do the work too", testConflicts)
	t.Run("WKT-09 a lead whose history becomes a summary merges each branch, in conflict or not", testMergesSummed)
	t.Run("WKT-09 items whose branch cannot be merged fail", testUnmerged)
	t.Run("WKT-09 a worktree that a definition brings is merged like one that is asked for", testDefinedTrees)
	t.Run("WKT-09 an item whose branch nobody merged is not done, whoever reported it", testKeptBranch)
	t.Run("WKT-08 worktrees are refused where nobody could merge them or nothing is committed", testNoTrees)
}

// same has both items change the three lines of one file.
func same() string {
	text := strings.Replace(apart, "{file: a.go, tokens: 20}", "{file: list.md, tokens: 20}", 1)
	return strings.Replace(text, "{file: b.go, tokens: 20}", "{file: list.md, tokens: 30}", 1)
}

// treeSteps are a run's steps with conflicts and the ends of items.
func treeSteps(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for _, l := range linesOf(t, specOf(t, text, "")) {
		f := strings.SplitN(l, " ", 6)
		field := func(name string) string {
			_, rest, _ := strings.Cut(" "+f[5]+" ", " "+name+"=")
			word, _, _ := strings.Cut(rest, " ")
			return word
		}
		switch f[4] {
		case "worktree":
			out = append(out, field("op"))
		case "conflict":
			out = append(out, "conflict:"+field("path"))
		case "item":
			out = append(out, field("item")+":"+field("outcome"))
		case "compact":
			out = append(out, "compact")
		case "tool_result":
			if f[3] == "0" && (field("name") == "Bash" || field("name") == "Edit" || field("name") == "Read") {
				out = append(out, field("name"))
			}
		}
	}
	return out
}

const allowed = "permissions: {allow: [\"Bash(git:*)\"]}"

func testMerges(t *testing.T) {
	want(t, treeSteps(t, apart), "made made first:done kept second:done kept Bash Bash Read Edit Bash own:done made third:done kept Bash check:done")
}

func testConflicts(t *testing.T) {
	const mended = "made made first:done kept second:done kept Bash conflict:list.md Bash Read Edit Bash Read Edit Bash own:done made third:done kept Bash "
	want(t, treeSteps(t, same()), mended+"check:done")
	inBackground := strings.Replace(same(), "structure: subagent", "structure: subagent-background", 1)
	want(t, treeSteps(t, inBackground+"lab: {"+allowed+"}\n"), mended+"check:done")
	forks := strings.Replace(same(), "structure: subagent", "structure: fork", 1)
	want(t, treeSteps(t, forks+"lab: {interactive: true}\n"), mended+"check:rework")
}

func testMergesSummed(t *testing.T) {
	for _, window := range []string{"6_500", "7_000", "7_500", "8_000"} {
		got := strings.Join(treeSteps(t, same()+"lab: {compaction: {window: "+window+", share: 90}}\n"), " ")
		if !strings.Contains(got, "compact") || !strings.Contains(got, "conflict:list.md") || strings.Contains(got, "failed") || !strings.Contains(got, "third:done kept") || !strings.Contains(got, "check:done") {
			t.Errorf("window %s: %s", window, got)
		}
	}
}

func testUnmerged(t *testing.T) {
	const lost = "made made first:done kept second:done kept Bash Bash first:failed second:failed own:failed third:failed check:failed"
	for _, rule := range []string{"merge", "commit"} {
		want(t, treeSteps(t, same()+"lab: {permissions: {deny: [\"Bash(git "+rule+":*)\"]}}\n"), lost)
	}
	want(t, treeSteps(t, apart+"lab: {permissions: {deny: [Bash]}}\n"), lost)
}

// defined is apart with a definition that brings the worktrees.
func defined(text string) string {
	text = strings.Replace(text, "agents: {isolation: worktree}\n", "agents: {type: changer}\n", 1)
	return strings.Replace(text, "  files:\n", "  files:\n    .claude/agents/changer.md: \"---\\nname: changer\\ndescription: d\\nisolation: worktree\\n---\\nYou.\\n\"\n", 1)
}

func testDefinedTrees(t *testing.T) {
	// Whoever verifies has a worktree too, and leaves nothing in it.
	want(t, treeSteps(t, defined(apart)), "made made first:done kept second:done kept Bash Bash Read Edit Bash own:done made third:done kept Bash made check:done removed")
	want(t, treeSteps(t, defined(apart)+"lab: {permissions: {deny: [\"Bash(git merge:*)\"]}}\n"), "made made first:done kept second:done kept Bash Bash first:failed second:failed own:failed third:failed check:failed")
	// What others changed in the directory is committed before a worktree is made of it.
	mixed := strings.Replace(defined(apart), "id: first, kind: implement,", "id: first, kind: implement, agent: {type: general-purpose},", 1)
	mixed = strings.Replace(mixed, "{file: b.go, tokens: 20}]}", "{file: a.go, tokens: 20}], after: [first]}", 1)
	want(t, treeSteps(t, mixed), "first:done Bash made second:done kept Bash Read Edit Bash own:done made third:done kept Bash made check:done removed")
}

func testKeptBranch(t *testing.T) {
	for _, text := range []string{apart, defined(apart)} {
		got := strings.Join(treeSteps(t, strings.Replace(text, "{user: Change it.,", "{user: Change it., max_turns: 1,", 1)), " ")
		if !strings.HasSuffix(got, "second:done kept first:failed second:failed") {
			t.Error(got)
		}
	}
}

func testNoTrees(t *testing.T) {
	const brings = `: agents of type "changer" edit with isolation worktree (.claude/agents/changer.md:4): `
	for _, c := range []struct{ old, new, want string }{
		{", Bash]", "]", "type" + brings + "a lead that merges branches needs Bash, which main has not got"},
		{", tools: [Agent, Read, Glob, Grep, Edit, Bash]", "", "type" + brings + "a lead that merges branches needs Bash"},
		{"project:\n", "project:\n  repository: empty\n", "type" + brings + "no worktree can be made where nothing is committed"},
		{"structure: subagent", "structure: team", "type" + brings + "the lead of a team merges no branches"},
		{"isolation: worktree\\n---\\nYou.\\n\"\n", "isolation: remote\\n---\\nYou.\\n\"\n", "isolation remote"},
	} {
		text := strings.Replace(defined(apart), c.old, c.new, 1)
		if strings.Contains(c.new, "team") {
			text = strings.Replace(strings.Replace(text, " by: lead,", "", 1), ", tools: [Agent, Read, Glob, Grep, Edit, Bash]", "", 1)
		}
		if strings.Contains(c.new, "remote") {
			text = strings.Replace(text, "{type: changer}", "{type: changer, remote: {latency: 100ms}}\nlab: {gates: {USER_TYPE: ant}}", 1)
		}
		if _, err := runText(t, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{"structure: subagent", "structure: coordinator", "a coordinator has no shell to merge branches in"},
		{", Bash]", "]", "a lead that merges branches needs Bash, which main has not got"},
		{"project:\n", "project:\n  repository: empty\n", "no worktree can be made where nothing is committed"},
		{"project:\n", "project:\n  repository: none\n", "no worktree can be made where nothing is committed"},
		{"isolation: worktree", "isolation: remote", "unknown isolation"},
	} {
		f, err := scenarios.Parse("my.yaml", []byte(strings.Replace(apart, c.old, c.new, 1)))
		if err == nil {
			_, err = f.Effective(f.VariantNames()[0], nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}
