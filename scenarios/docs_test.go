package scenarios

import (
	"os"
	"strings"
	"testing"

	"agentsim/mockllm/fault"
)

// fragments are what the page's examples that are no whole scenarios are loaded on,
// by a word of theirs.
var fragments = map[string]string{
	"found_in: [docs/agreed.md]": "structure: subagent\nprovider: {model: claude-sonnet-5-5, aliases: {haiku: claude-haiku-5-5}}\nscript: {main: {user: hello}}\n" +
		"project: {files: {docs/agreed.md: Keys are kept., api/orders.go: {tokens: 900, class: code}}, facts: [{name: agreed.keys, file: docs/agreed.md, line: 1}]}\n",
	"matrix: {model.reads_per_turn": "structure: subagent\nprovider: {model: claude-sonnet-5-5, aliases: {haiku: claude-haiku-5-5}}\n" +
		"script: {roots: [{name: first, user: hello}, {name: second, user: hello}]}\n" +
		"project: {files: {a.go: {tokens: 1_000, class: code}}}\n" +
		"work: [{id: orders, kind: implement, edits: [{file: a.go, tokens: 90}]}, {id: mail, kind: implement, edits: [{file: a.go, tokens: 30}]}]\n",
	"eight.misses.look-back": "structure: subagent\nprovider: {model: claude-sonnet-5-5}\nscript: {roots: [{name: first, user: hello}, {name: second, user: hello}]}\n" +
		"variants: {subagent: {}, fork: {structure: fork}, eight: {model: {reads_per_turn: 8}}, three-seconds: {set: {roots.second.at: 3s}}}\n" +
		"project: {files: {a.go: {tokens: 900}}}\nwork: [{id: a, kind: research, reads: [a.go]}]\n",
	"{say: Noted., until: idle}": "provider: {model: claude-sonnet-5-5}\nlab: {interactive: true, gates: {FORK_SUBAGENT: true}}\nproject: {files: {notes.md: {tokens: 10}, a.go: {tokens: 10}}}\n",
}

// TestPage loads every example of docs/scenarios.md and docs/scaling.md.
func TestPage(t *testing.T) {
	var examples []string
	for _, name := range []string{"../docs/scenarios.md", "../docs/scaling.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, strings.Split(string(page), "```yaml\n")[1:]...)
	}
	if len(examples) < 5 {
		t.Fatalf("%d examples only", len(examples))
	}
	for _, example := range examples {
		text, _, _ := strings.Cut(example, "```")
		first, _, _ := strings.Cut(text, "\n")
		t.Run("LANG-12 example "+first, func(t *testing.T) {
			if !strings.HasPrefix(text, "agentsim: 1\n") {
				text = "agentsim: 1\nname: page\n" + base(t, text) + text
			}
			f, err := Parse("docs/scenarios.md", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, idle := range f.Idle(nil) {
				t.Errorf("%s has no effect: %s", idle.Path, idle.Why)
			}
		})
	}
}

// TestPageFaults reads every rule of the table of faults.
func TestPageFaults(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Faults\n")
	table, _, _ = strings.Cut(table, "\n## ")
	kinds := map[fault.Kind]bool{}
	for line := range strings.Lines(table) {
		rule, _, is := strings.Cut(strings.TrimPrefix(line, "| `"), "` | ")
		if !is {
			continue
		}
		r, err := fault.Parse(rule)
		if err != nil {
			t.Errorf("LLM-08 LANG-12 %v", err)
		}
		kinds[r.Kind] = true
	}
	for kind := fault.RateLimited; kind <= fault.Slow; kind++ {
		if !kinds[kind] {
			t.Errorf("LLM-08 LANG-12 the page's table has no fault %s", kind)
		}
	}
}

// base is what a fragment is loaded on.
func base(t *testing.T, text string) string {
	t.Helper()
	for word, base := range fragments {
		if strings.Contains(text, word) {
			return base
		}
	}
	t.Fatal("no base for this example")
	return ""
}
