package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
)

// TestOneAnswer asks three commands one question: what forks cost of what fresh
// sub-agents cost on the flagship's work.
func TestOneAnswer(t *testing.T) {
	t.Run("TRI-07 the flagship's run, crossover's simulation and whatif agree within 5 %, over seeds, and each prints its map", oneAnswer)
	t.Run("TRI-07 CON-23 they agree for two to twelve forks of one answer, within the look-back's reach and out of it, with recorded sizes, and for the starter", manyForks)
	t.Run("TRI-09 each input is graded: measured of n children, scaled where a scenario draws it, else assumed or an outcome", graded)
}

// graded looks at what inputs rest on, of recorded sessions and of simulated ones.
func graded(t *testing.T) {
	long(t)
	sample, err := filepath.Abs("../../../testdata/validation/sample.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, recorded, _ := try(nil, "crossover", sample)
	variants := []string{"run", "fork-vs-subagent", "--no-audit", "--variant", "subagent-background", "--variant", "fork"}
	_, drawn, _ := try(nil, append(variants, "--variant", "subagent")...)
	_, simulated, _ := try(nil, "crossover", runNamed(t, drawn))
	try(nil, "export", runNamed(t, drawn), "-o", "written")
	_, few, _ := try(nil, "crossover", "written") // taken for recorded
	try(nil, "profile", "merge", sample, "-o", "ours.yaml")
	_, ours, _ := try(nil, append(variants, "--profile", "ours.yaml")...)
	_, unkept, _ := try(nil, append(variants, "--record", "none")...)
	_, tiny, _ := try(nil, append(variants, "--set", "profile=tiny")...)
	_, undone, _ := try(nil, append(variants, "--set", "limits.turns=12")...)
	for _, c := range []struct {
		out, pattern string
		is           bool
	}{
		{undone, `\nforks +not compared with fresh sub-agents: subagent-background did 0 of 9 items\n`, true},
		{recorded, `what it reads that its parent had read .* assumed: that of recorded children`, true},
		{recorded, `its own first prompt .* measured: n 29, 88 sessions`, true},
		{recorded, `output of a call .* not known`, true},
		{recorded, `what a fork thinks .* assumed: as the child did`, true},
		{recorded, `CHILD'S MODEL +A FORK THINKS 0, HERE +250 +500 +1\.00 k\n`, true},
		{recorded, `\nits parent's +(fork|fresh) \d\.\d+×`, true},
		{drawn, `its own first prompt .* scaled; recorded P50 `, true},
		{drawn, `parent's prompt at the spawn .* outcome; recorded P50 `, true},
		{drawn, `calls that a fork does not make .* assumed: \d+ simulated forks`, true},
		{drawn, `children of one answer .* 9 or 10 forks: the look-back ends`, true},
		{drawn, `\nprofile +recorded are figures of recorded-2026-11, \d+ sessions from `, true},
		{drawn, `\nassumed +of the figures \d+ measured, \d+ scaled, the others assumed`, true},
		{drawn, `measured: n`, false},
		{drawn, `\nforks +cost \S+ what fresh sub-agents cost at seed 42 alone \(billed`, true},
		{drawn, `\nnext +agentsim crossover .*\n +agentsim sweep fork-vs-subagent --seeds 20 --variant subagent-background --variant fork\n`, true},
		{recorded, `at seed|another seed`, false},
		{drawn, `\n +the map is arithmetic, .* it gives \S+× here, \d+\.\d % (less|more)`, true},
		{recorded, `\nforks +cost \S+ what fresh sub-agents cost; \S+ by arithmetic were children on their parents' model \(`, true},
		{recorded, `\n +output is not known for 252 of 252 calls of children`, true},
		{drawn, `output is not known|parents' model \(`, false},
		{drawn, `(?i)yours`, false},
		{drawn, `\n\d+\.\d %, turn +fork`, true},
		{recorded, `k, YOURS`, true},
		{ours, `its own first prompt .* recorded P50 .*, n 36 `, true},
		{ours, `\nprofile +recorded are figures of ours.yaml, 88 sessions from `, true},
		{few, `; 14\.2 % is assumed here, as of recorded children: 8 of 8 show theirs, 8\.5 %, which is too few\n`, true},
		{few, `what it reads that its parent had read +14\.2 % +assumed: that of recorded children; thin here: n 8 `, true},
		{few, `\n14\.2 %, assumed +fork`, true},
		{simulated, `; here 8\.5 %\n`, true},
		{unkept, `\nforks +not compared with fresh sub-agents: .* --record none does not keep\n`, true},
		{drawn, `\n +compared with subagent-background, not with the sub-agents that are waited for`, true},
		{tiny, `its own first prompt .* assumed; recorded P50 `, true},
		{tiny, `scaled; |scaled by|measured`, false},
	} {
		if regexp.MustCompile(c.pattern).MatchString(c.out) != c.is {
			t.Errorf("%s: found is not %v in\n%s", c.pattern, c.is, c.out)
		}
	}
}

// runNamed is the first run that an answer names to be compared.
func runNamed(t *testing.T, out string) string {
	t.Helper()
	m := regexp.MustCompile(`\nnext +agentsim crossover (\w+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatal(out)
	}
	return m[1]
}

func oneAnswer(t *testing.T) {
	long(t)
	t.Chdir(t.TempDir())
	for _, c := range [...][3]string{{"fork-vs-subagent", "subagent-background", "4"}, {"fork-vs-subagent", "subagent-background", "7"}, {"explore-or-fork", "explore", "42"}} {
		var run struct {
			Ratio    float64 `json:"fork_to_fresh"`
			Map      []any   `json:"fork_or_fresh"`
			Variants []struct{ Variant, Run string }
		}
		answered(t, &run, "run", c[0], "--seed", c[2], "--variant", c[1], "--variant", "fork")
		ids := map[string]string{}
		for _, v := range run.Variants {
			ids[v.Variant] = v.Run
		}
		type ratio struct {
			Ratio float64  `json:"fork_to_fresh"`
			Low   float64  `json:"fork_to_fresh_low"`
			High  float64  `json:"fork_to_fresh_high"`
			Map   []any    `json:"fork_or_fresh"`
			Of    []string `json:"other_runs"`
		}
		var crossed, played ratio
		answered(t, &crossed, "crossover", ids[c[1]])
		answered(t, &played, "whatif", ids[c[1]], "--structure", "fork")
		t.Logf("%s: billed %.3f, crossover %.3f, whatif %.3f", c, run.Ratio, crossed.Ratio, played.Ratio)
		for _, other := range []ratio{crossed, played} {
			if off := math.Abs(other.Ratio/run.Ratio - 1); !(off <= 0.05) || len(other.Map) < 4 || len(run.Map) < 4 {
				t.Errorf("%s: they do not agree within 5 %%, or one prints no map", c)
			}
			if len(other.Of) != 1 || !strings.HasPrefix(ids["fork"], other.Of[0]) {
				t.Errorf("%s: forks are taken from %s, not from %s", c, other.Of, ids["fork"])
			}
		}
		if c[2] != "7" {
			continue
		}
		var named ratio
		if answered(t, &named, "whatif", ids[c[1]], "--structure", "fork", "--forks", ids["fork"]); named.Ratio != played.Ratio || named.Of != nil {
			t.Errorf("with --forks it is %.3f, without %.3f", named.Ratio, played.Ratio)
		}
		// Forks that did not do the work say nothing of it: the answer is then a band.
		var alone ratio
		answered(t, &run, "run", c[0], "--seed", c[2], "--variant", c[1], "--db", "alone.db")
		try(nil, "run", c[0], "--seed", c[2], "--variant", "fork", "--set", "limits.turns=12", "--db", "alone.db")
		answered(t, &alone, "crossover", ids[c[1]], "--db", "alone.db")
		if alone.Of != nil || run.Ratio < alone.Low || run.Ratio > alone.High || alone.Low >= alone.Ratio {
			t.Errorf("%s: billed %.3f, without forks %+v", c, run.Ratio, alone)
		}
		_, text, _ := try(nil, "whatif", ids[c[1]], "--structure", "fork", "--db", "alone.db")
		for _, line := range []string{`\n +or \S+× to \S+×, so which is cheaper is not known: no fork ran`, `\nnext +agentsim run fork-vs-subagent --variant fork --seed 7 --db alone.db\n`} {
			if !regexp.MustCompile(line).MatchString(text) {
				t.Errorf("%s: not found in\n%s", line, text)
			}
		}
	}
}

// forksText has an item for each of so many files, all given out in one answer.
const forksText = `agentsim: 1
name: many
compare: [subagent-background, fork]
project: {files: {a.go: {tokens: 2k}, b.go: {tokens: 2k}, c.go: {tokens: 2k}, d.go: {tokens: 2k}, e.go: {tokens: 2k}, f.go: {tokens: 2k}, g.go: {tokens: 2k}, h.go: {tokens: 2k}, i.go: {tokens: 2k}, j.go: {tokens: 2k}, k.go: {tokens: 2k}, l.go: {tokens: 2k}}}
provider: {model: claude-sonnet-5-5}
model: {spawns_per_turn: 12}
script: {main: {user: Review this., system: {tokens: 40k}}}
work: [{each: {files: "*.go", count: %d, by: 1, as: look}, kind: research}]
`

func manyForks(t *testing.T) {
	long(t)
	t.Chdir(t.TempDir())
	try(nil, "scenario", "new", "first.yaml", "--example")
	cases := [][]string{{"first.yaml", "subagent"}}
	for _, n := range [...]int{2, 4, 8, 9, 10, 12} {
		name := fmt.Sprintf("%d.yaml", n)
		if err := os.WriteFile(name, fmt.Appendf(nil, forksText, n), 0o600); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, []string{name, "subagent-background"})
	}
	cases = append(cases, []string{"10.yaml", "subagent-background", "--profile", "recorded-2026-11", "--set", "model.at_once={spawns: 10}"})
	for i, c := range cases {
		db := fmt.Sprintf("%d.db", i)
		var run, crossed, alone, played struct {
			Ratio    float64 `json:"fork_to_fresh"`
			Variants []struct{ Variant, Run string }
		}
		answered(t, &run, append([]string{"run", c[0], "--no-audit", "--variant", c[1], "--variant", "fork", "--db", db}, c[2:]...)...)
		fresh, forked := run.Variants[0].Run, run.Variants[1].Run
		answered(t, &crossed, "crossover", fresh, forked, "--db", db)
		answered(t, &alone, "crossover", forked, "--db", db)
		answered(t, &played, "whatif", fresh, "--structure", "fork", "--db", db)
		t.Logf("%s: billed %.3f, crossover %.3f, whatif %.3f", c, run.Ratio, crossed.Ratio, played.Ratio)
		for _, other := range []float64{crossed.Ratio, alone.Ratio, played.Ratio} {
			if off := math.Abs(other/run.Ratio - 1); !(off <= 0.05) {
				t.Errorf("%s: billed %.3f, crossover %.3f, whatif %.3f", c, run.Ratio, crossed.Ratio, played.Ratio)
				break
			}
		}
		if off := math.Abs(played.Ratio/crossed.Ratio - 1); c[0] != "first.yaml" && !(off <= 0.01) { // it makes no call less
			t.Errorf("%s: crossover %.3f, whatif %.3f of the same first prompts", c, crossed.Ratio, played.Ratio)
		}
		if c[0] != "10.yaml" {
			continue
		}
		// Where no fork ran, what the look-back loses is in the answer: the bill lies in the
		// band, or no more than a tenth below, as forks' parents may say less.
		var guessed struct {
			Low  float64 `json:"fork_to_fresh_low"`
			High float64 `json:"fork_to_fresh_high"`
		}
		answered(t, &struct{}{}, append([]string{"run", c[0], "--no-audit", "--variant", c[1], "--db", "alone.db"}, c[2:]...)...)
		answered(t, &guessed, "crossover", fresh, "--db", "alone.db")
		if 0.9*guessed.Low > run.Ratio || run.Ratio > guessed.High {
			t.Errorf("%s: billed %.3f, without forks %+v", c, run.Ratio, guessed)
		}
		if len(c) > 2 {
			continue
		}
		_, text, _ := try(nil, "crossover", fresh, forked, "--db", db)
		for _, line := range []string{`\n +the runs themselves were billed \S+×: `, `\n +10 of 10 forks did not find all of their parent's prompt in the cache, and wrote \d+ tokens of it again\n`,
			`\nforks that miss part of their parent's prompt +100\.0 % +outcome of 10 forks`, `\nchildren of one answer +10 .* 9 forks: the look-back ends\n`, `\nwhat a fork's first prompt adds to it +\S+ k +outcome of 10 forks`} {
			if !regexp.MustCompile(line).MatchString(text) {
				t.Errorf("%s: not found in\n%s", line, text)
			}
		}
		if strings.Contains(text, "does not hold here") || strings.Contains(text, "everything cached and forks alike") {
			t.Errorf("the map does not hold, or leaves the misses out:\n%s", text)
		}
	}
}

func answered(t *testing.T, into any, args ...string) {
	t.Helper()
	code, out, errs := try(nil, append(args, "-o", "json")...)
	if code != ui.Pass {
		t.Fatal(args, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatal(args, err)
	}
}
