package sim_test

import (
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// work is a small world with work to do: the lead looks, two others change
// files. %STRUCTURE% is filled in by its users.
const work = `
agentsim: 1
name: small
about: a world small enough to run in a test and large enough to have every structure
provider: {model: claude-sonnet-4-5-20250929}
project:
  files:
    internal/orders/a.go: {tokens: 900, class: code}
    internal/orders/b.go: {tokens: 1200, class: code}
    internal/orders/c.go: {tokens: 700, class: code}
    internal/store/s.go: {tokens: 700, class: code}
    internal/auth/t.go: {tokens: 700, class: code}
  claude_md: {tokens: 300}
%STRUCTURE%work:
  - id: look
    kind: research
    by: lead
    knows: [summaries]
    found_in: [{glob: "internal/orders/**", count: 3}]
  - id: one
    kind: implement
    after: [look]
    knows: []
    edits: [{file: {glob: "internal/store/**", count: 1}, tokens: 200}]
  - id: two
    kind: implement
    after: [look]
    edits: [{file: {glob: "internal/auth/**", count: 1}, tokens: {uniform: [100, 300]}}]
script:
  main:
    user: Make it safe.
lab:
  interactive: true
`

// structures are the ways of doing the same work.
var structures = map[string]string{
	"inline":     "inline",
	"subagent":   "subagent",
	"background": "subagent-background",
	"fork":       "fork",
}

// workText is the small world's text for a structure.
func workText(structure string) string {
	return strings.Replace(work, "%STRUCTURE%", "structure: "+structures[structure]+"\n", 1)
}

// merged is a scenario of parts that give blocks more than once.
func merged(text string) string {
	var keys []string
	body := map[string]string{}
	key := ""
	for line := range strings.Lines(text) {
		if name, rest, ok := strings.Cut(line, ":"); ok && line[0] >= 'a' && line[0] <= 'z' {
			key = name
			if _, again := body[key]; !again {
				keys = append(keys, key)
			} else if strings.TrimSpace(rest) == "" {
				continue
			}
		}
		body[key] += line
	}
	out := body[""]
	for _, k := range keys {
		out += body[k]
	}
	return out
}

// specOf makes a spec of scenario text.
func specOf(t testing.TB, text, variant string, sets ...string) *sim.Spec {
	t.Helper()
	f, err := scenarios.Parse("test.yaml", []byte(merged(text)))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective(variant, sets)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// workSpec is the small world done by a structure.
func workSpec(t testing.TB, structure string, sets ...string) *sim.Spec {
	t.Helper()
	return specOf(t, workText(structure), "", sets...)
}

// runOf runs a spec that must complete.
func runOf(t testing.TB, spec *sim.Spec, sinks ...transcript.Sink) *sim.Result {
	t.Helper()
	res, err := sim.Run(spec, sim.Options{Sinks: sinks})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != sim.Completed {
		t.Fatalf("the run ended as %s: %s", res.Outcome, res.Detail)
	}
	return res
}

// linesOf are the canonical lines of a run.
func linesOf(t testing.TB, spec *sim.Spec) []string {
	t.Helper()
	var b strings.Builder
	runOf(t, spec, transcript.NewText(&b))
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
