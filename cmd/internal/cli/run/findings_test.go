package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// saw is what a variant's run found: agent, rule, detail by three.
func saw(sc *scenarios.Scenario, variant string, found ...string) executed {
	v := seen{lineages: map[int32]string{}}
	for i := 0; i < len(found); i += 3 {
		v.Emit(&transcript.Event{Agent: int32(i), Body: &transcript.AgentStart{Lineage: found[i]}})
		v.Emit(&transcript.Event{Agent: int32(i), Body: &transcript.Finding{Rule: found[i+1], Detail: found[i+2]}})
	}
	return executed{Run: &harness.Run{Spec: &sim.Spec{Variant: variant, Scenario: sc}, Result: &sim.Result{RunID: "0123456789"}}, causes: v.causes}
}

func TestFindings(t *testing.T) {
	said := func(done ...executed) string {
		a := &answer{options: &options{record: "full"}, rec: &harness.Record{}, done: done}
		return strings.Join(a.findings(&ui.Env{}), "\n")
	}
	sc := &scenarios.Scenario{Name: "alone"}
	sc.Scripts = []scenarios.Script{
		{Agent: "main/1.*", Turns: []scenarios.Turn{{Text: &scenarios.Content{Text: "done"}}}},
		{Agent: "main/2.1", Turns: []scenarios.Turn{{Text: &scenarios.Content{Bytes: 9}}}}}
	t.Run("CLI-07 what was ignored or went wrong is told in a line for each cause, the loudest first", func(t *testing.T) {
		got := said(
			saw(sc, "a", "main/1.1", "effort-ignored", "effort high has no effect", "main/1.2", "readonly_breach", "Explore changed a.go"),
			saw(sc, "b", "main/1.1", "effort-ignored", "effort high has no effect", "main/1.3", "no-server", "there is no MCP server x", "main/1.4", "no-server", "there is no MCP server x"))
		want := "a: a read-only agent changed files: Explore changed a.go (main/1.2)\nignored: effort high has no effect (main/1.1)\nb: not there: there is no MCP server x (main/1.3, main/1.4)"
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("CLI-07 what the scenario asks for, or another line says, is no news, nor is the form of a report that nobody wrote", func(t *testing.T) {
		got := said(saw(sc, "", "main", "definition", "broken.md", "main", "minimal", "SUB-08: no environment", "main/1.1", "plan-report", "no files",
			"main/2.1", "fork-report", "begins so", "main/3.1", "fork-uncommitted", "no commit"))
		if want := "form of a report: no files (main/1.1)"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("CLI-07 many causes are counted, and the line says what lists them", func(t *testing.T) {
		var found []string
		for i := range 7 {
			found = append(found, "main", "ignored-field", "field "+strconv.Itoa(i))
		}
		if got := said(saw(sc, "", found...)); !strings.HasSuffix(got, "field 4 (main)\nand 2 more: -o json lists all") {
			t.Error(got)
		}
	})
	t.Run("CLI-07 each rule of the source has its words", func(t *testing.T) {
		for _, rule := range rulesOf(t) {
			if (&transcript.Finding{Rule: rule}).About().Words == rule {
				t.Errorf("the rule %s has no words in sim/transcript/finding.go", rule)
			}
		}
	})
}

// rulesOf are the names of the rules that the simulated world records.
func rulesOf(t *testing.T) (names []string) {
	written := regexp.MustCompile(`(?:Finding{Rule: |[fF]inding\(|Rule(?:Breach|Unknown|Obeyed|WorkerModel|ForkOff)\s+= )"([a-z_-]+)"`)
	err := filepath.WalkDir("../../../../sim", func(p string, _ os.DirEntry, err error) error {
		if filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") || strings.Contains(p, "/lint/") {
			return err
		}
		text, err := os.ReadFile(p)
		for _, m := range written.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
		return err
	})
	if err != nil || len(names) < 20 || !slices.Contains(names, "readonly_breach") {
		t.Fatalf("%d rules, %v", len(names), err)
	}
	return names
}
